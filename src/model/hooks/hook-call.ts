import type { Form } from '../elicitation/form.js';
import type { JsonObject } from '../../base/json.js';
import type { ToolInput, ToolResult } from '../tool.js';

/** A call as it is passed to hooks. */
export interface HookCall {
  /** The tool's name as the model knows it. */
  readonly name: string;
  /** The built-in tool through which the model makes the call, if any: matchers may name either. */
  readonly alias?: string | undefined;
  /** Undefined for a built-in tool. */
  readonly server: string | undefined;
  /** The server that `server` is an account of. */
  readonly accountOf?: string | undefined;
  /** The tool's name as its server spells it. */
  readonly tool: string;
  /** As the hooks before this one left it. */
  readonly input: ToolInput;
  /** The id of the call in the ledger and in `CallResult`. */
  readonly callId: string;
  /** The scope that the server comes from. */
  readonly source: string | undefined;
  /** The permission mode that applies to the call. */
  readonly mode: string;
  /** Aborts when the call is given up. */
  readonly signal?: AbortSignal | undefined;
}

/** A call with its result. */
export interface FinishedCall {
  /** With the input that was sent. */
  readonly call: HookCall;
  /** The result of the tool, or what the hook before this one replaced it with. */
  readonly result: ToolResult;
  /** Milliseconds from the last hook before the call to its result, a permission question included. */
  readonly ms: number;
}

/** A call that a person would be asked about. */
export interface PermissionRequest {
  /** With the input as other hooks left it. */
  readonly call: HookCall;
  /** Why the person would be asked. */
  readonly reason: string;
  /** The rule that would allow such calls for good; undefined where no rule would. */
  readonly rule: string | undefined;
}

/** The answer of one hook to a call that a person would be asked about. */
export interface PermissionHookAnswer {
  /** `allow` saves the question, but no rule that denies or asks, and no tool that needs a person. */
  readonly decision?: 'allow' | 'deny' | undefined;
  /** With `deny`: shown to the user and to the model. */
  readonly reason?: string | undefined;
  /** With `allow`: replaces the input. */
  readonly input?: ToolInput | undefined;
  /** With `deny`: the whole turn is to end. */
  readonly isInterrupting?: boolean | undefined;
}

/** The hooks' decision about a call that a person would be asked about. */
export type PermissionHookVerdict =
  /** No hook decides. */
  | { readonly kind: 'ask' }
  | { readonly kind: 'allow'; readonly input: ToolInput }
  /** `cause`: what a hook threw. */
  | { readonly kind: 'deny'; readonly reason: string; readonly isInterrupting: boolean; readonly cause?: unknown };

/** A server's question with the answer that is about to be sent. */
export interface AnsweredElicitation {
  /** As the user was asked. */
  readonly question: Elicitation;
  /** Without the content of a form that asks for secrets. */
  readonly reply: ElicitationReply;
}

/** The hooks' decision before a call. */
export type PreVerdict =
  | {
      readonly kind: 'go';
      /** The original object when no hook changed the input. */
      readonly input: ToolInput;
      /** A hook allows the call without a question. Rules that deny or ask still hold, tools that need a person too. */
      readonly isAllowed: boolean;
      /** A hook wants a person to decide. Never together with `isAllowed`. */
      readonly mustAsk: boolean;
      /** The reason given by the hook that decided. */
      readonly reason: string | undefined;
      /** Texts for the model, added to the result. */
      readonly context: readonly string[];
    }
  /** `cause`: what a hook threw. */
  | { readonly kind: 'block'; readonly reason: string; readonly cause?: unknown };

/** The answer of one hook before a call; a field that is left out changes nothing. */
export interface PreAnswer {
  /** `allow` saves the question, but no rule that denies or asks; `ask` demands a question. */
  readonly decision?: 'allow' | 'deny' | 'ask' | undefined;
  /** Shown to the user, and to the model when the call is denied. */
  readonly reason?: string | undefined;
  /** Replaces the input that the hook was shown. */
  readonly input?: ToolInput | undefined;
  /** A text for the model, added to the result. */
  readonly context?: string | undefined;
}

/** The answer of one hook after a call. */
export interface PostAnswer {
  /** Why the model must not get the result. */
  readonly block?: string | undefined;
  /** Replaces the tool's result, including its structured content. */
  readonly output?: HookOutput | undefined;
  /** A text for the model, added to the result. */
  readonly context?: string | undefined;
}

/** What a hook has the caller get instead of a tool's result. */
export interface HookOutput {
  /** Blocks as in `ContentBlock`, which are checked: one that is malformed fails the hook. */
  readonly content: readonly JsonObject[];
  /** Absent: the result has none. */
  readonly structuredContent?: unknown;
}

/** A server's question to the user. Its texts and URL have passed their gates; the schema is as the server wrote it. */
export interface Elicitation {
  /** The name of the server that asks. */
  readonly server: string;
  /** `form`: the answer goes to the server. `url`: the user goes to a page, and the answer is only yes or no. */
  readonly mode: 'form' | 'url';
  /** What the server wants to know, and why. */
  readonly message: string;
  /** For programs; a person is shown `form`. */
  readonly requestedSchema?: unknown;
  /** For mode `form`: the fields to ask for. */
  readonly form?: Form | undefined;
  /** For mode `url`: the page. */
  readonly url?: string | undefined;
  /** For mode `url`: by which the server reports that the user is done. */
  readonly elicitationId?: string | undefined;
  /** Warnings of this host, to be shown with the question. */
  readonly warnings?: readonly string[] | undefined;
  /** The fields of the form that ask for a password, key or the like, which the specification forbids. */
  readonly secretFields?: readonly string[] | undefined;
  /**
   * When to answer for a URL. `consent`: as soon as the user agrees to open the page, because the server waits for
   * that. `completion`: when the user is done with the page; withdrawn if the server reports that itself after the user
   * agreed.
   */
  readonly wants?: 'consent' | 'completion' | undefined;
}

/** An answer to a server's question. */
export interface ElicitationReply {
  /** `decline`: the user said no. `cancel`: the user did not answer. */
  readonly action: 'accept' | 'decline' | 'cancel';
  /** With `accept` of a form: the values by field name, checked before they are sent. */
  readonly content?: { readonly [field: string]: unknown } | undefined;
  /** Why the question was not accepted, if not by the user's choice. */
  readonly reason?: string | undefined;
}

/** The abort reason of a question's signal when the server reports that the user has finished on its page. */
export const COMPLETED = 'completed';

/** @deprecated Renamed to `Elicitation`. */
export type HookQuestion = Elicitation;

/** @deprecated Renamed to `ElicitationReply`. */
export type HookReply = ElicitationReply;
