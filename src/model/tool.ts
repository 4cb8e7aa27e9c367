import type { HostError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import type { Caller } from './caller.js';
import type { ContentBlock } from './content/content-block.js';
import type { ServerAct } from './permissions/server-act.js';
import type { ServerDefinition } from './server-definition.js';
import type { ServerResult } from './server-result.js';

/** Something that a model can call: a tool of a server or a built-in one. Callers need not know which. */
export interface Tool {
  /** The name that the model knows: unique, at most 64 characters of [a-zA-Z0-9_-]. */
  readonly name: string;
  /** Undefined for a built-in tool. */
  readonly server: string | undefined;
  /** As the server spells it, and as calls have to name it. */
  readonly tool: string;
  /** A name for people; undefined where the server gave none. */
  readonly title: string | undefined;
  /** What the server claims; a missing hint counts as the worse value. */
  readonly hints: ToolHints;
  /** What else the server says of the tool, as far as this host acts on it. */
  readonly marks: ToolMarks;
  /** This host implements the tool, even if it acts on a server. */
  readonly isOurs: boolean;
  /** Set for an action that rules decide like a tool: see `ServerAct`. */
  readonly act?: ServerAct;
  /** The built-in tool through which a model makes this call. */
  readonly alias?: string;
  /** Whether a model is shown the definition from the beginning, or may have to search for it. */
  readonly load: 'always' | 'deferred';
  /** Read lazily. Undefined when it is no longer known; never rejects. */
  definition(): Promise<ToolDefinition | undefined>;
  /** The tool as its server listed it; undefined when no longer known. Only for tools of servers. */
  serverDefinition?(): Promise<ServerDefinition | undefined>;
  /** Contract: never rejects; a failure is a result. */
  call(input: ToolInput, context: CallContext): Promise<ToolResult>;
  /** Loads what the decision about a call needs. Contract: never rejects. */
  prepare?(input: ToolInput, context: CallContext): Promise<void> | undefined;
  /** What the decision about a call depends on besides the tool. Contract: never throws. */
  traitsOf?(input: ToolInput): CallTraits | undefined;
}

/** Properties of one call that differ between calls of a tool. */
export interface CallTraits {
  /** The call sends nothing that its server has not listed itself: decided like a built-in tool that only reads. */
  readonly isHarmless?: boolean;
  /** The call would read a file that looks as if it holds secrets. */
  readonly isSecret?: boolean;
  /** A clause that begins the given reason, before the mode. */
  readonly circumstance?: string;
  /** The URI of the resource that is read, for the ledger. */
  readonly uri?: string;
  /** The name of the prompt that is got, for the ledger and for pins. */
  readonly prompt?: string;
  /** The name of the argument that is completed, for the ledger: the call is a completion. */
  readonly completes?: string;
}

/** The arguments of a call, by name. */
export type ToolInput = { readonly [name: string]: unknown };

/** A schema as its author wrote it; the host never converts it. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What a model reads before it calls a tool. Texts are cleaned and truncated, schemas are as the server sent them. */
export interface ToolDefinition {
  /** The name that the model knows. */
  readonly name: string;
  /** A name for people; undefined where the server gave none. */
  readonly title: string | undefined;
  /** Empty where the server gave none. */
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly inputSchema: JsonSchema;
  /** The schema of `structuredContent`; undefined where the server gave none. */
  readonly outputSchema: JsonSchema | undefined;
  /** What the server claims; a missing hint counts as the worse value. */
  readonly hints: ToolHints;
  /** What else the server says of the tool, as far as this host acts on it. */
  readonly marks: ToolMarks;
  /** What the server says in `_meta`, as far as this host acts on it. */
  readonly meta: ToolMeta;
  /** The tool as its server listed it, if requested. */
  readonly serverDefinition?: ServerDefinition;
}

/** A server's hints about its tool; never a basis for permission. A missing hint counts as the worse value. */
export interface ToolHints {
  /** The tool changes nothing. Default: false. */
  readonly readOnly: boolean;
  /** The tool may delete or overwrite. Default: true. */
  readonly destructive: boolean;
  /** A second call with the same input changes nothing more. Default: false. */
  readonly idempotent: boolean;
  /** The tool reaches beyond the server's own data, such as to the web. Default: true. */
  readonly openWorld: boolean;
}

/** Further statements of a server about its tool that this host acts on. */
export interface ToolMarks {
  /** The server says explicitly that the tool is destructive, not only by leaving it open. */
  readonly saysDestructive: boolean;
  /** `_meta["anthropic/alwaysLoad"]` */
  readonly alwaysLoad: boolean;
  /** `_meta["anthropic/requiresUserInteraction"]`: the user is asked about every call. */
  readonly needsUser: boolean;
  /** `_meta.ui.visibility` without "model": only for the server's own page. */
  readonly isHidden: boolean;
}

/** What a server says about a tool in `_meta`, as far as this host acts on it. */
export interface ToolMeta {
  /** `_meta["anthropic/searchHint"]`: words for the search. */
  readonly searchHint: string | undefined;
  /** `_meta["anthropic/maxResultSizeChars"]`: how many characters of a result a model is shown. */
  readonly maxResultChars: number | undefined;
}

/** What a call brings along besides tool and input. */
export interface CallContext {
  /** The id of this call, in the ledger and for hooks. */
  readonly callId: string;
  /** Whom the call is made for: the server's questions and log messages about this call go there. */
  readonly caller?: Caller | undefined;
  /** The conversation that the call belongs to, for the flow guard. Default: all calls without one are one conversation. */
  readonly conversation?: string | undefined;
  /** Whether no model reads the result, so that the flow guard does not count it as read. */
  readonly isUnread?: boolean | undefined;
  /** Cancels the call; the result is an error `cancelled`, or `unknown` where the tool may have run. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. Default: the entry's `timeout`, then `MCP_TOOL_TIMEOUT`. */
  readonly timeoutMs?: number | undefined;
  /** Called whenever the server reports progress. What it throws is dropped. */
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
  /**
   * The caller answers a modern server's `input_required` by itself: it becomes the result (`serverResult`), and these are
   * sent with the next call. Without it `caller.answer` is asked, and the request is sent again.
   */
  readonly relay?: InputRelay | undefined;
  /**
   * The caller follows the task itself that the call may become: the handle of it becomes the result (`serverResult`).
   * Without it the task is waited for.
   */
  readonly task?: TaskTerms | undefined;
  /** Further `_meta` of the request, such as `traceparent`. */
  readonly meta?: JsonObject | undefined;
  /** The lowest level of the server's log messages about this call that the caller wants. Default: none. */
  readonly logLevel?: string | undefined;
  /** Whether to return `serverResult`: the server's own response beside the processed one. */
  readonly keepServerResult?: boolean | undefined;
  /** Nothing of the result goes to files: a response that is too large for memory is an error, which says so. */
  readonly isInMemory?: boolean | undefined;
}

/** What a caller answers to an `input_required` that was relayed to it; empty in the first call. */
export interface InputRelay {
  /** The answers, by the keys of the server's `inputRequests`. */
  readonly inputResponses?: JsonObject;
  /** As the server sent it. */
  readonly requestState?: string;
}

/** How a call may become a task that its caller follows. */
export interface TaskTerms {
  /** The `task` parameter of 2025-11-25, which asks a server of that era for a task: absent where it is not asked for one. */
  readonly params?: JsonObject | undefined;
}

/** How far a call is, as its server reports it. */
export interface CallProgress {
  /** Grows with each report, in the unit of `total`. */
  readonly progress: number;
  /** Absent where the server does not know it. */
  readonly total?: number;
  /** What the server is doing, for people. */
  readonly message?: string;
}

/** How a call ended: exactly once. A tool's own error has content; a call without a response has `error` as well. */
export interface ToolResult {
  /** `unknown`: the server may have executed the call. */
  readonly outcome: 'ok' | 'error' | 'unknown';
  /** What a model may read: cleaned, and cut where it was too long. */
  readonly content: readonly ContentBlock[];
  /** The result as JSON, where the tool has an output schema or sends it anyway. */
  readonly structuredContent?: unknown;
  /** Blocks that the server meant for the user only; a model reads a line instead. */
  readonly forUser?: readonly ContentBlock[];
  /** Content in files: too large for memory or for a model, or not readable by a model. */
  readonly saved: readonly SavedFile[];
  /** Remarks: blocks left out, a schema that could not be checked, a hook that failed. */
  readonly notes: readonly string[];
  /** Absent where the tool itself answered, even with an error. */
  readonly error?: HostError;
  /** The call was denied by a hook that wants the whole turn to end. */
  readonly isInterrupting?: true;
  /** How often the request was sent. */
  readonly attempts: number;
  /** The server's own response, if requested and received. */
  readonly serverResult?: ServerResult;
  /** The caller's own line to the server was opened anew since its last result: what the server kept for it is gone. */
  readonly isNewLane?: true;
  /** With `serverResult`: a hook has changed the result, so it differs from the server's. */
  readonly changedByHook?: true;
}

/** A file with content that was too large, or that a model cannot read. */
export interface SavedFile {
  /** Absolute; below the results folder. */
  readonly path: string;
  /** The size of the file. */
  readonly bytes: number;
  /** As the server states it, or as the content shows. */
  readonly mimeType: string;
  /**
   * With `shape: 'raw'`: where the content of the file belongs in the result, as a JSON Pointer (RFC 6901), such as
   * `/content/0/text`. A file of `application/json` is a JSON value, any other the characters of a string, in UTF-8.
   */
  readonly at?: string;
}
