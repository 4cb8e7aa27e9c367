import type { ConfigOptions } from '../config/context.js';
import type { ControlChannel } from '../connection/control.js';
import type { ConnectionFactoryOptions } from '../connection/connection-factory.js';
import type { EmbeddedServer } from '../transports/kind.js';
import type { HookCallback } from '../guard/hook-callback.js';
import type { HookFunctions } from '../guard/hook-functions.js';
import type { AskPermission } from '../guard/permission-question.js';
import type { HookSession } from '../model/hooks/session-hooks.js';
import type { CallContext, ToolResult } from '../model/tool.js';
import type { LocalTool } from '../tools/local-tool.js';
import type { Ports } from './ports.js';
import type { SharedServers } from './servers/shared-servers.js';

export type { LocalTool } from '../tools/local-tool.js';

/** Options of `Host.open`. Everything has a default. */
export interface HostOptions extends ConfigOptions {
  /** What the embedding program supplies: questions to the user, tokens, a model, a clock. */
  readonly ports?: Partial<Ports>;
  /** Servers inside this program, by the names that entries have for them. */
  readonly embedded?: ReadonlyMap<string, EmbeddedServer>;
  /** Whether edits of configuration files take effect while the host runs. Default: true. */
  readonly watch?: boolean;
  /** Whether `plugboard reconnect` reaches this host. Default: as `watch`. */
  readonly socket?: boolean;
  /** Only these of the configured servers. */
  readonly only?: readonly string[];
  /** Whether servers start before their first use. Default: `eager`, except for entries with `"start": "lazy"`. */
  readonly start?: 'eager' | 'lazy';
  /** Servers of type `sdk` and `in-process` whose tools keep their own names, where those are free. */
  readonly unprefixed?: readonly string[];
  /** The embedder's own tools, beside the built-in ones. `Host.open` rejects for a name that is invalid or taken. */
  readonly tools?: readonly LocalTool[];
  /** Functions for before and after calls, and for servers' questions. They run before the commands of the settings. */
  readonly hooks?: HookFunctions;
  /** Hooks that speak the JSON of commands. They run after `hooks`, and before the commands of the settings. */
  readonly hookCallbacks?: readonly HookCallback[];
  /** The session that the host works for, read whenever a hook runs. Contract: must not throw. */
  readonly session?: () => HookSession;
  /**
   * The host serves others, and has no user of its own: its own connections to servers declare everything that can be
   * passed on, so that lists are whole, and every question there is declined. Calls whose callers have a `lane` are
   * asked about as ever. Default: false.
   */
  readonly serves?: boolean;
  /** How many connections of their own callers with a `lane` may have. Default: 200 in all, 100 for each principal. */
  readonly lanes?: { readonly limit?: number; readonly principalLimit?: number };
}

/** Options of the terminal program only. */
export interface ProgramOptions {
  readonly control?: ControlChannel | undefined;
  readonly tap?: ConnectionFactoryOptions['tap'];
  /** Milliseconds for connecting to a server, in place of MCP_TIMEOUT. An entry's `startTimeout` comes first. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for each list of a server. Default: the longer of `timeoutMs` and MCP_TIMEOUT, or 60 s. */
  readonly listTimeoutMs?: number | undefined;
  /** The terminal program has fetched the account's connectors already, or wants none of them. */
  readonly areConnectorsKnown?: boolean;
}

/** What a fork shares with its host, and what it has for itself. */
export interface ForkOptions {
  /**
   * Names of servers to share, and entries of own servers. Without any name, all servers are shared. Names must be
   * known: connectors, and own servers of a fork, are known once the host has settled.
   */
  readonly servers?: SharedServers;
  /** Ignores unknown names instead of throwing: the author of the list did not know what is configured here. */
  readonly mayLack?: boolean;
  /** The own servers were written for every folder: they start in the working directory only if the user trusts it. */
  readonly isForEveryFolder?: boolean;
  /** Permission rules for the only tools to offer: `mcp__github`, `mcp__github__get_*`, `Read`. Default: all tools. */
  readonly tools?: readonly string[];
  /** The embedder's tools for the fork. Default: those of the host. */
  readonly local?: readonly LocalTool[];
}

/** Which conversation something belongs to. */
export interface InConversation {
  /** As calls name it. Default: the conversation of calls that name none. */
  readonly conversation?: string | undefined;
}

/** A conversation that the flow guard follows. Disposing of it ends it: the guard forgets what was read. */
export interface FollowedConversation extends Disposable {
  /** The user's own words: they may go anywhere, also where a server repeats them. */
  typed(text: string): void;
  /** Text that the model reads without a call, such as that of stdin: it counts as text from outside. */
  given(text: string, from: string): void;
}

/** A call to make. */
export interface ToolRequest extends Partial<CallContext> {
  /** The name that the model knows: `mcp__server__tool`. */
  readonly name: string;
  /** An object, as the tool's schema describes it. Anything else is refused with `bad-input`, and nothing is sent. */
  readonly input?: unknown;
  /**
   * A person typed exactly this call, which approves it: no permission question, and also for a tool that its server
   * keeps from models. Rules that deny still apply, and so does the tool's schema.
   */
  readonly isTyped?: boolean;
  /** With `isTyped`: input that does not fit the tool's schema is sent as it is. Without `isTyped` it has no effect. */
  readonly isForced?: boolean;
  /**
   * The input goes to the server as it is, nulls and what does not fit the schema included: for a gateway, whose clients
   * are to read the server's own answer.
   */
  readonly isExact?: boolean | undefined;
  /**
   * Answers the permission question about this one call where `ports.ask` is not set: for a program that has asked its
   * user by means of its own. Contract: as `ports.ask`. The answer holds for this call alone: `remember` may only be
   * `once`, as the question's `offers` say; `session` and `always` count as `once`, and no rule is written. Rules that
   * deny still apply.
   */
  readonly ask?: AskPermission | undefined;
  /**
   * `model` (default): what is too large or unreadable for a model is saved to files. `raw`: as the server sent it, but
   * for what memory has no room for. Of a response of more than 16 MB, each string or structured content of more than
   * 64 KB is in a file: the result has its beginning there, `saved` names the file and the place that it belongs `at`,
   * and `readSaved` reads all of it in pieces. `serverResult` has the whole response with a `Spilled` at each such place.
   */
  readonly shape?: 'model' | 'raw';
}

/** The result of a call, and which call it was. */
export interface CallResult extends ToolResult {
  /** The name that the model knows; the requested name where there is no such tool. */
  readonly name: string;
  /** Undefined for a built-in tool, and where there is no such tool. */
  readonly server: string | undefined;
  /** The tool's name as its server spells it; undefined where there is no such tool. */
  readonly tool: string | undefined;
  /** The id of the call in the ledger, in hooks and in permission questions. */
  readonly callId: string;
  /** The name in the request: differs from `name` where a tool was called through CallMcpTool. */
  readonly calledAs: string;
  /** Milliseconds from the request to the result. */
  readonly ms: number;
  /** Milliseconds of `ms` in which a person was asked. */
  readonly askedMs?: number;
}
