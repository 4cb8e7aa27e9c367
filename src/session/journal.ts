import type { CallResult } from '../host/host-options.js';
import type { Message } from './message.js';

/** One message of a conversation as it is kept: without the format of any model's API. */
export type StoredItem =
  | {
      readonly kind: 'message';
      /** A UUID, unique in the session. */
      readonly id: string;
      readonly message: Exclude<Message, { readonly role: 'results' }>;
      /** Who wrote a user message; `user` by default. */
      readonly from?: 'user' | 'host' | 'summary';
      /** The words of the user in a message with more, such as mentioned resources. Without: all of the message. */
      readonly typed?: string;
      /** The model that wrote an assistant message: only that one understands its reasoning. */
      readonly model?: string;
      /** With `summary`: a line for each file with a result of what was summarised. */
      readonly files?: readonly string[];
      /** With `summary`: the message of the user that the model still worked on. */
      readonly task?: string;
    }
  /** The results of all calls of the assistant message before, in the order of the calls. */
  | { readonly kind: 'results'; readonly id: string; readonly results: readonly CallResult[] };

/** Why the messages of a conversation are others now. */
export type RewriteReason =
  /** Older messages were summarised, or their results replaced by where they are saved. */
  | 'compact'
  /** Another model reads the conversation. */
  | 'model'
  /** The model's API refused results. */
  | 'withheld'
  /** Messages that the model has not answered were taken back, or unfinished parts dropped. */
  | 'taken-back';

/**
 * Keeps a conversation as it grows, so that it can go on in another process. What was handed over survives the death of
 * this process. Contract: no method throws; a journal that cannot write says so by means of its own, once.
 */
export interface Journal {
  /** The file that hooks are told as the transcript. */
  readonly path: string | undefined;
  /** A message joined the end. A `results` item follows the `result` of each of its calls. */
  add(item: StoredItem): void;
  /** The words of the user whose messages join the end next: a prompt of a server may come before them. */
  typed?(words: string): void;
  /** A call has ended: kept at once, because other calls of the same message may still run. */
  result(result: CallResult): void;
  /** The conversation consists of exactly these items now, in this order; some may be new. */
  rewrite(items: readonly StoredItem[], reason: RewriteReason): void;
  /** What the model knows of the servers by now, as JSON: `ModelTurn.told`. */
  told(told: object): void;
  /** What the flow guard has to remember of a text: JSON without content. The order counts. */
  flow?(record: object): void;
  /** Called once, after the last of the others. Never rejects. */
  close?(): Promise<void>;
}

/** A conversation as a journal gives it back. */
export interface StoredConversation {
  readonly items: readonly StoredItem[];
  /** What the model knew of the servers: the last `told`. */
  readonly told: object | undefined;
  /** What the flow guard remembers: all that `flow` was given. */
  readonly flow?: readonly object[] | undefined;
}
