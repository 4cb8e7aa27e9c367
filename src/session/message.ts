import type { ToolInput } from '../model/tool.js';

/** What a conversation is made of. It only grows: nothing of it changes by a byte once a model has read it. */
export type Message =
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] }
  /** The answers to all calls of the message before, in the shape of the model's own API: see `ModelTurn.toolResults`. */
  | { readonly role: 'results'; readonly results: readonly object[] };

export type UserPart = TextPart | ImagePart;

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

export type AssistantPart = (
  | TextPart
  | { readonly kind: 'reasoning'; readonly text: string }
  | ToolCallPart
  | ProviderCallPart
  | ProviderResultPart
) & {
  /** What the API wants to have back with it, untouched: signatures, its own names. Plain JSON. */
  readonly extra?: object;
};

/** A tool that the provider of the model runs itself: it never comes to the host. */
export interface ProviderCallPart {
  readonly kind: 'provider-call';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ProviderResultPart {
  readonly kind: 'provider-result';
  readonly id: string;
  readonly name: string;
  readonly result: unknown;
  readonly isError: boolean;
}

export interface ToolCallPart {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  readonly input: ToolInput;
  /** Why the input could not be read: the call is answered with this, and not made. */
  readonly fault?: string;
}
