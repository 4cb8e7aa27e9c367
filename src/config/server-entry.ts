// Written by node scripts/reference.mjs from src/transports/entry-fields.ts.

/** One server, as in a configuration file. An unknown field is reported among the problems, as for a file. */
export interface ServerEntry {
  /** How messages travel. Default: `stdio` with a command, `http` with a URL. */
  readonly type?: 'stdio' | 'http' | 'sse' | 'ws' | 'sdk' | 'in-process';
  /**
   * For `stdio`. The program to start. A name is looked up on PATH; a relative path is resolved against the folder that
   * the server starts in.
   */
  readonly command?: string;
  /** For `stdio`. The arguments of the program, each word by itself. No shell reads them. Default: none. */
  readonly args?: readonly string[];
  /**
   * For `stdio`. Environment variables of the program. The values are masked wherever Plugboard shows them, except in
   * the question whether you approve the entry. Default: none.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** For `stdio`. The folder that the program starts in. Default: the working directory. */
  readonly cwd?: string;
  /**
   * For `stdio`. Passes on all of your environment variables (`true`), or those that you name. Default: HOME, PATH,
   * USER, LOGNAME, SHELL, LANG, LC_*, TERM, TMPDIR, TZ, XDG_*, the proxy and CA variables, npm_config_*.
   */
  readonly inheritEnv?: boolean | readonly string[];
  /**
   * For `stdio`. Runs the server in a sandbox (Linux, with bubblewrap), or not at all. `true` gives the server nothing
   * beyond a read-only view. Default: `false`, or what `requireSandbox` says.
   */
  readonly sandbox?:
    | boolean
    | {
        /** Allows the network, and with it everything that listens on this machine. Default: false. */
        readonly network?: boolean;
        /** Paths that the sandbox would hide, such as `~/.npmrc`, and that the server may read. Default: none. */
        readonly read?: readonly string[];
        /**
         * Paths that the server may write. Not `/`, your home folder or a folder above it. Default: none; `/tmp` is
         * private.
         */
        readonly write?: readonly string[];
        /** Lets the server create and reach Unix sockets. Default: false. */
        readonly sockets?: boolean;
        /** Memory limit in megabytes, where the system has cgroups. Default: no limit. */
        readonly memoryMb?: number;
        /** Limit of processes and threads, where the system has cgroups. Default: no limit. */
        readonly processes?: number;
      };
  /** For `http`, `sse` and `ws`. The address of the server. An entry with a `url` and no `type` is of type http. */
  readonly url?: string;
  /**
   * For `http`, `sse` and `ws`. Headers of every request. The values are masked wherever Plugboard shows them, except
   * in the question whether you approve the entry. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * For `http`, `sse` and `ws`. A command that prints a JSON object of headers. Plugboard runs it at each connect, for
   * 10 s at most, and once more when the server refuses the headers. Default: none.
   */
  readonly headersHelper?: string;
  /** For `http`, `sse` and `ws`. How you sign in to the server. Default: the server's own metadata decides. */
  readonly oauth?: {
    /** Your registered OAuth client. Default: Plugboard registers itself. */
    readonly clientId?: string;
    /** The secret of that client. Default: none. */
    readonly clientSecret?: string;
    /** The URL of a client metadata document, for authorization servers that read such documents. */
    readonly clientMetadataUrl?: string;
    /** The port of the callback address on this machine. Default: a free one. */
    readonly callbackPort?: number;
    /**
     * Requested instead of the scopes that the server names. An array, or one string with blanks. Default: what the
     * server names.
     */
    readonly scopes?: string | readonly string[];
    /** Where the authorization server's metadata is, if not at its well-known URL. Default: what the server names. */
    readonly authServerMetadataUrl?: string;
    /**
     * Signs you in through your company's identity provider, named once in `settings.xaaIdp`, without asking you.
     * Default: false.
     */
    readonly xaa?: boolean;
    /** How tokens are obtained. `authorization_code` opens a browser. Default: `authorization_code`. */
    readonly grant?: 'authorization_code' | 'device_code' | 'client_credentials' | 'jwt_bearer';
    /**
     * The client signs with this key instead of sending a secret: a PEM text, or the path of a PEM file. Default: none.
     */
    readonly privateKey?: string;
    /** The algorithm of that signature. Default: the one that fits the key. */
    readonly signingAlgorithm?: string;
    /** For the grant `jwt_bearer`: the workload's token, or the path of a file that holds it. */
    readonly assertion?: string;
    /** Binds tokens to a key of this machine (DPoP), where the authorization server supports that. Default: false. */
    readonly dpop?: boolean;
    /** Accepts an authorization server that does not announce PKCE. Default: false. */
    readonly allowMissingPkce?: boolean;
    /** Accepts an authorization server whose issuer does not match exactly. Default: false. */
    readonly allowIssuerMismatch?: boolean;
  };
  /** For `http`, `sse` and `ws`. The same as `oauth.xaa`. Default: false. */
  readonly xaa?: boolean;
  /** For `http`, `sse` and `ws`. Certificates of your company's CA, or your own. Default: the system's. */
  readonly tls?: {
    /** The file with your company's CA certificate (PEM). */
    readonly ca?: string;
    /** The file with your client certificate (PEM). */
    readonly cert?: string;
    /** The file with the key of that certificate (PEM). */
    readonly key?: string;
  };
  /** For `sdk` and `in-process`. The name under which your program registered the server. */
  readonly name?: string;
  /** Time limit of a call, in milliseconds. Default: `MCP_TOOL_TIMEOUT`, or 100000000. */
  readonly timeout?: number;
  /**
   * Time limit to start or reach the server and finish the handshake, in milliseconds. Default: `MCP_TIMEOUT`, or
   * 30000.
   */
  readonly startTimeout?: number;
  /**
   * Allows every tool of this server without a question. Works only in an entry that you wrote yourself; Plugboard
   * still asks about a tool that states that it is destructive. Default: false.
   */
  readonly trust?: boolean;
  /**
   * Shows this server's tools to the model at once, even where the model has to search for other tools. Default: false.
   */
  readonly alwaysLoad?: boolean;
  /** Keeps the entry but does not start the server. `plugboard enable NAME` switches it on again. Default: false. */
  readonly disabled?: boolean;
  /** Only these tools are used. Write the names as the server has them. Default: all tools. */
  readonly includeTools?: readonly string[];
  /** These tools are not used, even if `includeTools` names them. Default: none. */
  readonly excludeTools?: readonly string[];
  /**
   * `lazy`: the first use starts the server. Until then Plugboard shows the tools that it has cached. Default: `eager`.
   */
  readonly start?: 'eager' | 'lazy';
  /**
   * How MCP is spoken: `legacy` begins with initialize (until 2025-11-25), `modern` is 2026-07-28. `auto` detects it
   * and remembers it for a week. Default: `auto`.
   */
  readonly era?: 'auto' | 'legacy' | 'modern';
  /**
   * The folders that the server is told as roots. `false`: none. Your home folder is never told. Default: the project's
   * folder, unless the command line names folders.
   */
  readonly roots?: false | readonly string[];
  /** Fields that this version does not know are kept and reported. */
  readonly [field: string]: unknown;
}
