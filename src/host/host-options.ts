import type { ConfigOptions } from '../config/context.js';
import type { ControlChannel } from '../connection/control.js';
import type { ConnectionFactoryOptions } from '../connection/connection-factory.js';
import type { EmbeddedServer } from '../transports/kind.js';
import type { HookFunctions } from '../guard/hook-functions.js';
import type { CallContext, ToolInput, ToolResult } from '../model/tool.js';
import type { LocalTool } from '../tools/local-tool.js';
import type { Ports } from './ports.js';
import type { SharedServers } from './servers/shared-servers.js';

export type { LocalTool } from '../tools/local-tool.js';

export interface HostOptions extends ConfigOptions {
  readonly ports?: Partial<Ports>;
  /** Servers inside this program, by the name that their entries give. */
  readonly embedded?: ReadonlyMap<string, EmbeddedServer>;
  /** Whether an edit of a configuration file takes effect while the host runs; it does unless said otherwise. */
  readonly watch?: boolean;
  /** Whether `plugboard reconnect` reaches this host; it does where edits do, unless said otherwise. */
  readonly socket?: boolean;
  /** Only these servers, of all that are configured. */
  readonly only?: readonly string[];
  /** Whether servers are started before somebody uses them; they are, unless their entry says `"start": "lazy"`. */
  readonly start?: 'eager' | 'lazy';
  /** Servers of this program whose tools go by their own names, where those are free: of type `sdk` and `in-process`. */
  readonly unprefixed?: readonly string[];
  /** Tools of this program, beside those that every host brings. Throws where one has a name that cannot be. */
  readonly tools?: readonly LocalTool[];
  /** Functions that are asked before a call, after it, and for answers to servers' questions; before the commands of settings. */
  readonly hooks?: HookFunctions;
}

/** What the terminal program brings besides. */
export interface ProgramOptions {
  readonly control?: ControlChannel | undefined;
  readonly tap?: ConnectionFactoryOptions['tap'];
  /** For connecting to a server, where the environment does not say less. */
  readonly timeoutMs?: number | undefined;
  /** The same for each of its lists. Whoever ends the whole run when that time is over needs none. */
  readonly listTimeoutMs?: number | undefined;
  /** Whoever opens the host has asked the catalogue of connectors, or wants none of them. */
  readonly areConnectorsKnown?: boolean;
}

export interface ForkOptions {
  /**
   * Names of servers to share, and entries of servers of its own. All of them are shared, unless some are named. A name has to be known:
   * connectors, and the own servers of a fork, are when the host has settled.
   */
  readonly servers?: SharedServers;
  /** Names that no server has are left out, in place of an error: whoever wrote the list did not know what is configured here. */
  readonly mayLack?: boolean;
  /** Its own servers were written for every folder: they start in the working directory only if the user trusts it. */
  readonly isForEveryFolder?: boolean;
  /** Only tools that one of these rules names, as in permissions: `mcp__github`, `mcp__github__get_*`, `Read`. All unless said. */
  readonly tools?: readonly string[];
  /** Of this program, in place of those that the host has. */
  readonly local?: readonly LocalTool[];
}

export interface ToolRequest extends Partial<CallContext> {
  /** As the model knows it: `mcp__server__tool`. */
  readonly name: string;
  readonly input?: ToolInput;
  /** A person has typed exactly this call: that is its own approval. Rules that deny hold all the same. */
  readonly isTyped?: boolean;
  /** `model`, unless said otherwise: what is too large, or nothing that a model reads, is in files. `raw`: as it came. */
  readonly shape?: 'model' | 'raw';
}

/** How a call ended: exactly once. */
export interface CallResult extends ToolResult {
  /** As the model knows the tool; as it was asked for where there is none. */
  readonly name: string;
  readonly server: string | undefined;
  readonly tool: string | undefined;
  readonly callId: string;
  /** What the request called it: another name where a tool was called by CallMcpTool. */
  readonly calledAs: string;
  /** From the request to the result. */
  readonly ms: number;
  /** Of these, how long a person was asked. */
  readonly askedMs?: number;
}
