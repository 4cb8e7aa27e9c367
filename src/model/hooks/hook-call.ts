import type { Form } from '../elicitation/form.js';
import type { JsonObject } from '../../base/json.js';
import type { ToolInput } from '../tool.js';

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
  readonly input: ToolInput;
  readonly callId: string;
  /** The scope that the server comes from. */
  readonly source: string | undefined;
  readonly mode: string;
  readonly signal?: AbortSignal | undefined;
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
  readonly decision?: 'allow' | 'deny' | 'ask' | undefined;
  readonly reason?: string | undefined;
  /** Replaces the input that the hook was shown. */
  readonly input?: ToolInput | undefined;
  readonly context?: string | undefined;
}

/** The answer of one hook after a call. */
export interface PostAnswer {
  /** Why the model must not get the result. */
  readonly block?: string | undefined;
  /** Replaces the tool's result, including its structured content. */
  readonly output?: HookOutput | undefined;
  readonly context?: string | undefined;
}

/** What a hook has the caller get instead of a tool's result. */
export interface HookOutput {
  /** Blocks as in `ContentBlock`, which are checked: one that is malformed fails the hook. */
  readonly content: readonly JsonObject[];
  readonly structuredContent?: unknown;
}

/** A server's question to the user. Its texts and URL have passed their gates; the schema is as the server wrote it. */
export interface Elicitation {
  readonly server: string;
  readonly mode: 'form' | 'url';
  readonly message: string;
  /** For programs; a person is shown `form`. */
  readonly requestedSchema?: unknown;
  readonly form?: Form | undefined;
  readonly url?: string | undefined;
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
  readonly action: 'accept' | 'decline' | 'cancel';
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
