import type { HostError } from '../base/errors.js';
import type { ServerAct } from './permissions/server-act.js';
import type { ServerDefinition } from './server-definition.js';
import type { ServerResult } from './server-result.js';

/** Something that a model can call: a tool of a server, or one that this host has built in. Nobody has to know which. */
export interface Tool {
  /** As the model knows it: unique, at most 64 characters of [a-zA-Z0-9_-]. */
  readonly name: string;
  /** Whose it is; undefined for one that is built in. */
  readonly server: string | undefined;
  /** As its server spells it: what a call has to say. */
  readonly tool: string;
  readonly title: string | undefined;
  readonly hints: ToolHints;
  readonly marks: ToolMarks;
  /** This host brings it, whoever it is about. */
  readonly isOurs: boolean;
  /** It is no tool of its server's, but something that is decided like one: see `ServerAct`. */
  readonly act?: ServerAct;
  /** The built-in tool by which a model asks for it. */
  readonly alias?: string;
  /** Whether a model is shown its definition from the beginning, or may have to look for it. */
  readonly load: 'always' | 'deferred';
  /** Read when somebody asks. Undefined when it is not known any more; never rejects. */
  definition(): Promise<ToolDefinition | undefined>;
  /** The tool as its server listed it; undefined as above. Only tools of servers have one. */
  serverDefinition?(): Promise<ServerDefinition | undefined>;
  /** Contract: never rejects. What goes wrong is the result. */
  call(input: ToolInput, context: CallContext): Promise<ToolResult>;
  /** What has to be known before a call of it can be decided about. Contract: never rejects. */
  prepare?(input: ToolInput, context: CallContext): Promise<void> | undefined;
  /** What decides besides where that depends on what it is called with. Contract: never throws. */
  traitsOf?(input: ToolInput): CallTraits | undefined;
}

/** What one call means, where that is not the same for every call of a tool. */
export interface CallTraits {
  /** It sends nothing that its server has not said itself: decided like a built-in tool that only reads. */
  readonly isHarmless?: boolean;
  /** It would read a file that looks like one with secrets in it. */
  readonly isSecret?: boolean;
  /** Goes on from "because". */
  readonly circumstance?: string;
  /** What it reads, for the ledger. */
  readonly uri?: string;
}

export type ToolInput = { readonly [name: string]: unknown };

/** A schema as its author wrote it; it is never converted on the way through the host. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What a model reads before it can call a tool. Texts are cleaned and cut, the schemas are as the server sent them. */
export interface ToolDefinition {
  /** As the model knows it. */
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | undefined;
  readonly hints: ToolHints;
  readonly marks: ToolMarks;
  readonly meta: ToolMeta;
  /** The tool as its server listed it, where that was asked for. */
  readonly serverDefinition?: ServerDefinition;
}

/** What a server says of its tool; never to be relied on for permission. What it leaves open is taken as the worse. */
export interface ToolHints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/** What else a server says of it, as far as somebody acts on it. */
export interface ToolMarks {
  /** It says itself that it destroys: not only by leaving that open. */
  readonly saysDestructive: boolean;
  /** `_meta["anthropic/alwaysLoad"]` */
  readonly alwaysLoad: boolean;
  /** `_meta["anthropic/requiresUserInteraction"]`: every call is asked about. */
  readonly needsUser: boolean;
  /** `_meta.ui.visibility` without "model": only for a page of the server's own. */
  readonly isHidden: boolean;
}

export interface ToolMeta {
  /** `_meta["anthropic/searchHint"]`: words that it is to be found by. */
  readonly searchHint: string | undefined;
  /** `_meta["anthropic/maxResultSizeChars"]`: how much of a result a model is to be shown. */
  readonly maxResultChars: number | undefined;
}

export interface CallContext {
  /** Of this call alone, in ledgers and hooks. */
  readonly callId: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
  /** Whether `serverResult` is wanted: what the server itself answered, beside what is made of it. */
  readonly keepServerResult?: boolean | undefined;
}

export interface CallProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** One block of a result, as MCP writes them: `type`, and what belongs to that type. */
export type ContentBlock = { readonly [field: string]: unknown };

/** How a call ended: exactly once. A tool's own error has content; a call that got no answer has an error besides. */
export interface ToolResult {
  /** `unknown`: the server may have done it, and nobody can tell. */
  readonly outcome: 'ok' | 'error' | 'unknown';
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  /** What the server meant for the user alone; a model reads a line in its place. */
  readonly forUser?: readonly ContentBlock[];
  /** What is in files: too large for memory or for a model, or nothing that a model reads. */
  readonly saved: readonly SavedFile[];
  /** What to know about it: blocks left out, a schema that could not be checked, a hook that failed. */
  readonly notes: readonly string[];
  readonly error?: HostError;
  /** How often it was sent. */
  readonly attempts: number;
  /** What the server itself answered, where that was asked for and the server has answered. */
  readonly serverResult?: ServerResult;
  /** Told beside `serverResult`: a hook has changed the result, so that it is no longer what the server said. */
  readonly changedByHook?: true;
}

export interface SavedFile {
  readonly path: string;
  readonly bytes: number;
  readonly mimeType: string;
}
