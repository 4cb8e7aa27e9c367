import type { LookupFunction } from 'node:net';
import type { Secret } from '../base/secret.js';
import type { ProcessRegistry } from '../edge/processes/process-registry.js';
import type { SandboxHost, SandboxSettings } from '../edge/sandbox/sandbox.js';
import type { Clock } from '../model/clock.js';
import type { Credentials } from '../model/credentials.js';
import type { OAuthSettings } from '../model/oauth-settings.js';
import type { Pipe } from '../wire/pipe.js';
import type { ControlChannel } from './in-process/control-channel.js';
import type { LinkedEnd } from './in-process/in-process-pipe.js';

/** A server entry as someone wrote it: a JSON object whose fields nobody has checked yet. */
export type RawEntry = { readonly [field: string]: unknown };

/** One thing that is wrong with, or odd about, an entry. `path` leads to it from the entry itself. */
export interface FieldIssue {
  readonly severity: 'error' | 'warning';
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
}

/** What every kind of server may say. */
export interface CommonConfig {
  readonly timeout?: number;
  /** How long it may take to connect, in milliseconds; otherwise what MCP_TIMEOUT says. */
  readonly startTimeout?: number;
  readonly trust?: boolean;
  readonly alwaysLoad?: boolean;
  readonly disabled?: boolean;
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly start?: 'eager' | 'lazy';
  readonly era?: 'auto' | 'legacy' | 'modern';
  /** The folders that it is told of; the project's own unless said otherwise. `false`: it hears nothing of folders at all. */
  readonly roots?: false | readonly string[];
}

/** What every server behind a URL may say besides. */
export interface RemoteConfig extends CommonConfig {
  readonly url: string;
  readonly headers: Readonly<Record<string, Secret>>;
  readonly headersHelper?: string;
  readonly oauth?: OAuthSettings;
  readonly xaa?: boolean;
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** Where a server is: what policy matches on, what deduplication compares and what people are shown. */
export type ServerTarget =
  | { readonly kind: 'command'; readonly argv: readonly string[]; readonly cwd?: string }
  /** `proxyUrl`: where the request really goes. */
  | { readonly kind: 'url'; readonly url: string; readonly proxyUrl?: string }
  | { readonly kind: 'embedded'; readonly name: string };

/** What opening a server needs of the world around it. */
export interface OpenContext {
  /** The server's name, for texts that people read. */
  readonly name: string;
  readonly clock: Clock;
  readonly env: { readonly [name: string]: string | undefined };
  readonly platform: NodeJS.Platform;
  /** Where a relative command or folder starts from. */
  readonly cwd: string;
  /** That folder is the server's own, and no one else's. */
  readonly ownsCwd?: boolean | undefined;
  /** The program that was approved; looked up in PATH where there was nothing to approve. */
  readonly commandPath?: string | undefined;
  readonly processes: ProcessRegistry;
  /** Runs servers in sandboxes; one is made where it is missing, so that a server never runs without. */
  readonly sandbox?: SandboxHost | undefined;
  /** Where everything goes that a server says on stderr. */
  readonly stderrFile?: string | undefined;
  /** What its entry tells the server in confidence. */
  readonly secrets?: readonly Secret[] | undefined;
  /** Servers inside this program, by the name that their entries give. */
  readonly embedded?: ReadonlyMap<string, EmbeddedServer> | undefined;
  /** Where servers of the embedding process are reached: control messages on stdin and stdout. */
  readonly control?: ControlChannel | undefined;
  /** Who we are to it, beyond what its entry says. */
  readonly credentials?: Credentials | undefined;
  /** Asks for the addresses of a host; the system's own way by default. */
  readonly lookup?: LookupFunction | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A server inside the program that embeds Plugboard. */
export interface EmbeddedServer {
  /** Starts to answer at its end of a linked pair; called for each connection. */
  connect(end: LinkedEnd): void | Promise<void>;
}

/** All that the host must know about one kind of transport. */
export interface TransportKind<Config extends CommonConfig & { readonly type: string }> {
  readonly type: Config['type'];
  /** Other words that people write for this type. */
  readonly aliases: readonly string[];
  /** How lists name it beside a URL. */
  readonly label: string;
  /** Which start-up pool it belongs to. */
  readonly locality: 'local' | 'remote';
  /**
   * Who asks for one. `program`: something writes it into a file for a person, who never types it. `embedder`: only the
   * program that embeds Plugboard can serve one, so it has to come with the run.
   */
  readonly origin: 'anyone' | 'program' | 'embedder';
  /** Whether one can sign in to a server of this kind, when its entry does not say already who we are. */
  readonly signsIn: boolean;
  /** Whether a server of this kind may speak 2026-07-28, so that it is asked before it is greeted in the older way. */
  readonly probes: boolean;
  /** The only tools of such a server that are kept. */
  readonly onlyTools?: readonly string[];
  readonly fields: readonly string[];
  /** Contract: must not throw. Reports every issue it finds; when one is an error, nobody looks at what it returns. */
  parse(raw: RawEntry, report: (issue: FieldIssue) => void): Config;
  /** Checks what only makes sense once variables are expanded. Contract: must not throw. */
  check(config: Config, report: (issue: FieldIssue) => void): void;
  target(config: Config): ServerTarget;
  /** What its sandbox is to be like; undefined when it is to run without. Only for kinds that start something. */
  sandboxOf?(config: Config): SandboxSettings | undefined;
  /** The same, in a sandbox like this. */
  confine?(config: Config, settings: SandboxSettings): Config;
  /** Imports its pipe when first used. Rejects with a HostError that names the server and the cause. */
  open(config: Config, context: OpenContext): Promise<Pipe>;
  /** Another way to the same server, for when there is no MCP at the end of the first. As `open`. */
  openFallback?(config: Config, context: OpenContext): Promise<Pipe>;
}

export type ConfigOf<Kind> = Kind extends TransportKind<infer Config> ? Config : never;
