import type { Form } from '../elicitation/form.js';
import type { ContentBlock, ToolInput } from '../tool.js';

/** A call as hooks see it. */
export interface HookCall {
  /** As the model knows the tool. */
  readonly name: string;
  /** The built-in tool by which a model asks for it, where that is another: matchers may name either. */
  readonly alias?: string | undefined;
  /** Undefined for a tool that is built in. */
  readonly server: string | undefined;
  /** Its server is an account of that one. */
  readonly accountOf?: string | undefined;
  /** As its server spells it. */
  readonly tool: string;
  readonly input: ToolInput;
  readonly callId: string;
  /** The scope that the server comes from. */
  readonly source: string | undefined;
  /** The permission mode that the call is made in. */
  readonly mode: string;
  readonly signal?: AbortSignal | undefined;
}

/** What becomes of a call. */
export type PreVerdict =
  | {
      readonly kind: 'go';
      /** The same object as before when no hook changed it. */
      readonly input: ToolInput;
      /** A hook allows it: rules that ask need not be asked; those that deny, and tools that need a person, hold. */
      readonly isAllowed: boolean;
      /** A hook wants a person to decide. Never together with `isAllowed`. */
      readonly mustAsk: boolean;
      /** Why, in the words of the hook that decided. */
      readonly reason: string | undefined;
      /** For the model, to stand beside the result. */
      readonly context: readonly string[];
    }
  | { readonly kind: 'block'; readonly reason: string };

/** What one hook says before a call; what it leaves out stays as it is. */
export interface PreAnswer {
  readonly decision?: 'allow' | 'deny' | 'ask' | undefined;
  readonly reason?: string | undefined;
  /** Instead of the input that it was shown. */
  readonly input?: ToolInput | undefined;
  readonly context?: string | undefined;
}

/** What one hook says after a call. */
export interface PostAnswer {
  /** The model is not to have the result, for this reason. */
  readonly block?: string | undefined;
  /** Instead of what the tool gave; its structured content goes with it. */
  readonly output?: HookOutput | undefined;
  readonly context?: string | undefined;
}

export interface HookOutput {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
}

/** What a server asks the user. It has passed the text gate, and the URL its own; only the schema is as the server wrote it. */
export interface Elicitation {
  readonly server: string;
  readonly mode: 'form' | 'url';
  readonly message: string;
  /** For programs: people are shown the form. */
  readonly requestedSchema?: unknown;
  readonly form?: Form | undefined;
  readonly url?: string | undefined;
  readonly elicitationId?: string | undefined;
  /** What is to be said beside it, in our own words. */
  readonly warnings?: readonly string[] | undefined;
  /** The fields of a form that ask for a password, a key and the like, which no form may ask for. */
  readonly secretFields?: readonly string[] | undefined;
  /**
   * For a URL: whether to answer as soon as the user agrees to open it, because the server waits for that, or when the user says
   * that what there is to do is done. The latter is withdrawn when the server says so itself after the user has agreed.
   */
  readonly wants?: 'consent' | 'completion' | undefined;
}

/** What a hook says in the user's place. */
export interface ElicitationReply {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: { readonly [field: string]: unknown } | undefined;
  /** Why not, where it was not the user who said so. */
  readonly reason?: string | undefined;
}

/** The reason that the signal of a question aborts with where the server has told that the user is done with its page. */
export const COMPLETED = 'completed';

/** @deprecated Its name is `Elicitation`. */
export type HookQuestion = Elicitation;

/** @deprecated Its name is `ElicitationReply`. */
export type HookReply = ElicitationReply;
