/** One server, as in a configuration file. An unknown field is reported among the problems, as for a file. */
export interface ServerEntry {
  /** How messages travel. Default: `stdio` with a command, `http` with a URL. */
  readonly type?: 'stdio' | 'http' | 'sse' | 'ws' | 'in-process' | 'sdk';
  /** The program of a stdio server. A relative path starts in the option `cwd`. */
  readonly command?: string;
  /** The program's arguments. */
  readonly args?: readonly string[];
  /** Variables for the program, besides the few that every server gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder that the program runs in. */
  readonly cwd?: string;
  /** The address of a remote server. */
  readonly url?: string;
  /** HTTP headers for a remote server. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A command that prints headers as JSON. */
  readonly headersHelper?: string;
  /** Settings for signing in with OAuth. */
  readonly oauth?: Readonly<Record<string, unknown>>;
  /** Signs in through the identity provider of the settings. */
  readonly xaa?: boolean;
  /** Certificates for a remote server: PEM texts or paths. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Milliseconds for a call. */
  readonly timeout?: number;
  /** Milliseconds for connecting. */
  readonly startTimeout?: number;
  /** Calls of this server need no permission question. */
  readonly trust?: boolean;
  /** Models are shown the definitions of this server's tools from the beginning. */
  readonly alwaysLoad?: boolean;
  /** The server is not started. */
  readonly disabled?: boolean;
  /** The only tools of this server to offer. */
  readonly includeTools?: readonly string[];
  /** Tools of this server that are not offered. */
  readonly excludeTools?: readonly string[];
  /** `lazy`: started by the first use. */
  readonly start?: 'eager' | 'lazy';
  /** Which MCP is spoken. Default: found out. */
  readonly era?: 'auto' | 'legacy' | 'modern';
  /** Variables of this process that the program gets as well; `true`: all. */
  readonly inheritEnv?: boolean | readonly string[];
  /** Runs the program in a sandbox. */
  readonly sandbox?: boolean | Readonly<Record<string, unknown>>;
  /** Fields that this version does not know are kept and reported. */
  readonly [field: string]: unknown;
}
