import type { Secret } from '../../base/secret.js';
import type { Clock } from '../../model/clock.js';

/** Where a model is asked, and as whom. */
export interface Endpoint {
  readonly api: 'anthropic' | 'openai';
  /** With the version in its path, and without a slash at its end. */
  readonly baseUrl: string;
  /** For people: `Anthropic`, or the host of the URL. */
  readonly provider: string;
  /** None where the endpoint wants none: models on this machine. */
  readonly key: ApiKey | undefined;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
}

export interface ApiKey {
  readonly secret: Secret;
  /** The variable that it comes from. */
  readonly variable: string;
  readonly sentAs: 'x-api-key' | 'bearer';
}

/** What a model at an endpoint is asked for, and how it is waited for. */
export interface ModelOptions {
  /** As the API knows it. */
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly contextTokens?: number | undefined;
  /** The most that one answer may have. */
  readonly maxTokens?: number | undefined;
  readonly providerTools?: readonly object[] | undefined;
  readonly clock?: Clock;
  /** From 0 to 1, by chance. */
  readonly random?: () => number;
  readonly limits?: Partial<ModelLimits>;
}

/** An endpoint may lie, and it may hang. */
export interface ModelLimits {
  /** From the request to the first byte of the answer. */
  readonly firstByteMs: number;
  /** Within an answer. */
  readonly silenceMs: number;
  readonly answerBytes: number;
  readonly eventBytes: number;
  readonly parts: number;
}

export const MODEL_LIMITS: ModelLimits = {
  firstByteMs: 600_000, // a model on a small machine reads a long conversation for minutes
  silenceMs: 300_000, // APIs send a ping every few seconds, and no model thinks that long over one word
  answerBytes: 67_108_864, // a million tokens, each in an event of its own, take less
  eventBytes: 16_777_216, // what a search of the provider has found comes in one event
  parts: 4_096,
};

/** The headers by which an endpoint knows who asks. */
export function toKeyHeaders(key: ApiKey | undefined): Record<string, string> {
  if (!key) return {};
  const value = key.secret.reveal();
  return key.sentAs === 'bearer' ? { authorization: `Bearer ${value}` } : { 'x-api-key': value };
}
