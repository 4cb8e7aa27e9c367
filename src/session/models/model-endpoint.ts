import type { Secret } from '../../base/secret.js';
import type { Clock } from '../../model/clock.js';
import type { ModelPort } from '../model-port.js';
import type { ModelTuning } from './model-tuning.js';

/** Where a model's API is, and with which credentials. */
export interface ModelEndpoint {
  readonly api: 'anthropic' | 'openai';
  /** With the version in its path, and without a trailing slash. */
  readonly baseUrl: string;
  /** For messages: `Anthropic`, or the host of the URL. */
  readonly provider: string;
  /** Undefined where the endpoint needs none: models on this machine. */
  readonly key: ApiKey | undefined;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
}

export interface ApiKey {
  readonly secret: Secret;
  /** The environment variable with the key. */
  readonly variable: string;
  readonly sentAs: 'x-api-key' | 'bearer';
}

export interface ModelOptions {
  /** The model's name at the API. */
  readonly name: string;
  readonly endpoint: ModelEndpoint;
  /** The context window as the user says it: nobody is asked for it. */
  readonly contextTokens?: number | undefined;
  /** The context window as a list of the endpoint had it before. */
  readonly listedContextTokens?: number | undefined;
  /** The most tokens of one answer. */
  readonly maxTokens?: number | undefined;
  readonly providerTools?: readonly object[] | undefined;
  readonly tuning?: ModelTuning | undefined;
  /** Answers when this model still cannot after the retries. Contract: has the same profile. */
  readonly fallback?: ModelPort | undefined;
  readonly clock?: Clock;
  /** A random number from 0 to 1. */
  readonly random?: () => number;
  readonly limits?: Partial<ModelLimits>;
}

/** Bounds on an answer: an endpoint may send anything, and may hang. */
export interface ModelLimits {
  /** From the request to the first byte of the answer. */
  readonly firstByteMs: number;
  /** Between two chunks of an answer. */
  readonly silenceMs: number;
  readonly answerBytes: number;
  readonly eventBytes: number;
  readonly parts: number;
}

export const MODEL_LIMITS: ModelLimits = {
  firstByteMs: 600_000, // a model on a small machine reads a long conversation for minutes
  silenceMs: 300_000, // APIs send a ping every few seconds, and no model thinks that long over one word
  answerBytes: 67_108_864, // a million tokens, each in an event of its own, take less
  eventBytes: 16_777_216, // the results of a provider's search come in one event
  parts: 4_096,
};

export function toKeyHeaders(key: ApiKey | undefined): Record<string, string> {
  if (!key) return {};
  const value = key.secret.reveal();
  return key.sentAs === 'bearer' ? { authorization: `Bearer ${value}` } : { 'x-api-key': value };
}
