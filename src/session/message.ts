import type { ToolInput } from '../model/tool.js';

/** One message of a conversation. It does not change by a byte once a model has read it. */
export type Message =
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] }
  /** The results of all calls of the message before, in the format of the model's API: see `ModelTurn.toolResults`. */
  | { readonly role: 'results'; readonly results: readonly object[] };

/** A part of what a user said. */
export type UserPart = TextPart | ImagePart;

/** A text in a message. */
export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
}

/** `data` is base64. */
export interface ImagePart {
  readonly kind: 'image';
  readonly mimeType: string;
  readonly data: string;
}

/** A part of what a model said. */
export type AssistantPart = (
  | TextPart
  | { readonly kind: 'reasoning'; readonly text: string }
  | ToolCallPart
  | ProviderCallPart
  | ProviderResultPart
) & {
  /** What the API has to get back unchanged: signatures, its own names. Plain JSON. */
  readonly extra?: object;
};

/** A call of a tool that the model's provider runs itself; the host never makes it. */
export interface ProviderCallPart {
  readonly kind: 'provider-call';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The result of a tool that the model's provider ran itself. */
export interface ProviderResultPart {
  readonly kind: 'provider-result';
  readonly id: string;
  readonly name: string;
  readonly result: unknown;
  readonly isError: boolean;
}

/** A call that a model makes. */
export interface ToolCallPart {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  readonly input: ToolInput;
  /** Why the input could not be parsed: the call gets this as its result, and is not made. */
  readonly fault?: string;
}
