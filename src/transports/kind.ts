import type { LookupFunction } from 'node:net';
import type { Secret } from '../base/secret.js';
import type { ProcessRegistry } from '../edge/processes/process-registry.js';
import type { SandboxHost, SandboxSettings } from '../edge/sandbox/sandbox.js';
import type { Clock } from '../model/clock.js';
import type { Credentials } from '../model/credentials.js';
import type { FieldTable } from '../model/fields/shape.js';
import type { OAuthSettings } from '../model/oauth-settings.js';
import type { Pipe } from '../wire/pipe.js';
import type { COMMON_FIELDS, REMOTE_FIELDS } from './entry-fields.js';
import type { Read } from './field-values.js';
import type { ControlChannel } from './in-process/control-channel.js';
import type { LinkedEnd } from './in-process/in-process-pipe.js';

/** A server entry as written in the file: a JSON object, unchecked. */
export type RawEntry = { readonly [field: string]: unknown };

/** An error or a warning about an entry. `path`: from the entry to the field. */
export interface FieldIssue {
  readonly severity: 'error' | 'warning';
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
}

/** The fields that every kind of server has. */
export type CommonConfig = Read<typeof COMMON_FIELDS>;

/** The fields that every remote server has besides. */
export interface RemoteConfig extends CommonConfig, Omit<Read<typeof REMOTE_FIELDS>, 'oauth'> {
  readonly url: string;
  readonly headers: Readonly<Record<string, Secret>>;
  readonly oauth?: OAuthSettings;
}

/** Where a server is. Policy matches on it, deduplication compares it, and lists show it. */
export type ServerTarget =
  | { readonly kind: 'command'; readonly argv: readonly string[]; readonly cwd?: string }
  /** `proxyUrl`: the address that requests are sent to. */
  | { readonly kind: 'url'; readonly url: string; readonly proxyUrl?: string }
  | { readonly kind: 'embedded'; readonly name: string };

/** What opening a pipe needs from the host. */
export interface OpenContext {
  /** The server's name, for messages to the user. */
  readonly name: string;
  readonly clock: Clock;
  readonly env: { readonly [name: string]: string | undefined };
  readonly platform: NodeJS.Platform;
  /** The folder that relative commands and paths are resolved against. */
  readonly cwd: string;
  /** No other server uses `cwd`. */
  readonly ownsCwd?: boolean | undefined;
  /** The absolute path of the approved program; undefined when no approval was needed: then PATH is searched. */
  readonly commandPath?: string | undefined;
  readonly processes: ProcessRegistry;
  /** Runs servers in sandboxes. Created when missing, so that no server runs outside of its sandbox. */
  readonly sandbox?: SandboxHost | undefined;
  /** The file that the server's stderr is written to. */
  readonly stderrFile?: string | undefined;
  /** The secrets of the entry, which the server receives. */
  readonly secrets?: readonly Secret[] | undefined;
  /** Servers inside this program, by the `name` of their entries. */
  readonly embedded?: ReadonlyMap<string, EmbeddedServer> | undefined;
  /** The control channel to servers of the embedding program, over stdin and stdout. */
  readonly control?: ControlChannel | undefined;
  /** Credentials beyond those of the entry. */
  readonly credentials?: Credentials | undefined;
  /** Resolves host names; the system's resolver by default. */
  readonly lookup?: LookupFunction | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A server inside the program that embeds Plugboard. */
export interface EmbeddedServer {
  /** Starts serving on one end of a linked pair. Called for each connection. */
  connect(end: LinkedEnd): void | Promise<void>;
}

/** What the host needs to know about one kind of transport. */
export interface TransportKind<Config extends CommonConfig & { readonly type: string }> {
  readonly type: Config['type'];
  /** Other spellings of `type`. */
  readonly aliases: readonly string[];
  /** The name in lists, beside a URL. */
  readonly label: string;
  /** Which limit of concurrent starts applies. */
  readonly locality: 'local' | 'remote';
  /**
   * Who writes such entries. `program`: another program writes them to a file; users never type them. `embedder`: only
   * a program that embeds Plugboard can provide such a server, so its entry comes with the run.
   */
  readonly origin: 'anyone' | 'program' | 'embedder';
  /** Whether a user can sign in to such a server, unless its entry has credentials. */
  readonly supportsSignIn: boolean;
  /** Whether such a server may speak 2026-07-28, so that `server/discover` is sent before `initialize`. */
  readonly probes: boolean;
  /** The only tools of such a server that are used. */
  readonly onlyTools?: readonly string[];
  /** The fields of an entry besides `type`. */
  readonly table: FieldTable;
  /** Their names, and `type`. */
  readonly fields: readonly string[];
  /** Contract: must not throw. Reports every issue; after an error its result is ignored. */
  parse(raw: RawEntry, report: (issue: FieldIssue) => void): Config;
  /** Checks what is known only after variables are expanded. Contract: must not throw. */
  check(config: Config, report: (issue: FieldIssue) => void): void;
  target(config: Config): ServerTarget;
  /** The settings of the server's sandbox; undefined when it has none. Only for kinds that start a process. */
  sandboxOf?(config: Config): SandboxSettings | undefined;
  /** The same config with this sandbox. */
  confine?(config: Config, settings: SandboxSettings): Config;
  /** Imports its pipe lazily. Rejects with a HostError that names the server and the cause. */
  open(config: Config, context: OpenContext): Promise<Pipe>;
  /** Opens another transport to the same server, for when the first finds no MCP endpoint. Rejects like `open`. */
  openFallback?(config: Config, context: OpenContext): Promise<Pipe>;
}

export type ConfigOf<Kind> = Kind extends TransportKind<infer Config> ? Config : never;
