import type { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { toContextSize } from './model-list.js';

/** What a provider says about a request that its model has no room for. */
export interface ContextFull {
  /** The most tokens that the model takes; undefined when the provider does not say. */
  readonly limit?: number;
  /** The tokens of the request, as the provider counts them. */
  readonly tokens?: number;
}

/** Whether a model's API has refused a request because the conversation is too long. */
export function isContextFull(error: HostError): boolean {
  return contextFullOf(error) !== undefined;
}

/** What the API said with such a refusal; undefined for every other error. */
export function contextFullOf({ code, detail }: HostError): ContextFull | undefined {
  return code === 'model-failed' && detail?.kind === 'http' ? detail.contextFull : undefined;
}

/**
 * Reads whether an error of an API means that. Some APIs have a code for it, others only say it in words.
 * `body`: the error response, or the error event of an answer; parsed where it is JSON.
 */
export function readContextFull(status: number, body: unknown): ContextFull | undefined {
  if (!STATUSES.has(status)) return undefined;
  const { error: inner }: JsonObject = isObject(body) ? body : {};
  const error: JsonObject = isObject(inner) ? inner : isObject(body) ? body : {};
  const { type, code, message, detail, metadata, n_ctx: size, n_prompt_tokens: count } = error;
  const isNamed = CODES.has(type) || CODES.has(code);
  // OpenRouter has the words of the provider behind it in a field of their own.
  const raw = isObject(metadata) ? metadata['raw'] : undefined;
  const words = [message, raw, detail, inner, body]
    .filter((said): said is string => typeof said === 'string')
    .map((said) => said.slice(0, WORDS_LIMIT));
  const said = words.find((text) => SAYINGS.some((saying) => saying.test(text)) && !PASSING.test(text));
  if (!isNamed && said === undefined && status !== 413) return undefined;
  const text = (said ?? words[0] ?? '').replaceAll(MISLEADING, '');
  const limit = toContextSize(size) ?? readNumber(text, LIMITS);
  const tokens = toContextSize(count) ?? readNumber(text, COUNTS);
  return { ...(limit !== undefined && { limit }), ...(tokens !== undefined && { tokens }) };
}

function readNumber(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const [, digits] = pattern.exec(text) ?? [];
    if (digits !== undefined) return toContextSize(Number(digits.replaceAll(',', '')));
  }
  return undefined;
}

const WORDS_LIMIT = 2_000; // some APIs quote the request behind their sentence

/** 200: an answer that begins with an error. 500: older llama.cpp. Never 429, which is about requests a minute. */
const STATUSES: ReadonlySet<number> = new Set([200, 400, 413, 422, 500]);

const CODES: ReadonlySet<unknown> = new Set([
  'context_length_exceeded', // OpenAI, and most that follow it
  'exceed_context_size_error', // llama.cpp
  'request_too_large', // Anthropic
  'model_context_window_exceeded', // Z.ai
]);

/** How APIs say it, each with one that does. */
const SAYINGS: readonly RegExp[] = [
  /\b(?:prompt|input|request|conversation) (?:is )?too (?:long|large)\b/iu, // Anthropic, Bedrock, Ollama, Groq
  /\b(?:exceed\w*|longer|greater|larger|max\w*)\b.{0,60}\bcontext.?(?:length|size|window|limit)\b/iu, // vLLM, SGLang
  /\bcontext.?(?:length|size|window|limit)\b.{0,40}\bexceed/iu, // MiniMax
  /\b(?:input|prompt)\b.{0,40}\b(?:count|length|tokens)\b.{0,40}\bexceed/iu, // Gemini, Poolside
  /\bmaximum prompt length\b/iu, // xAI
  /\bexceed\w* (?:the )?model(?:'s)? token limit\b/iu, // Kimi
  /\breduce the length of the (?:messages|input|prompt)\b/iu, // Groq
  /\brange of input length\b/iu, // DashScope
  /\btoo many tokens\b.{0,80}\bexceed/iu, // Cohere
];

/** A limit for a minute or a day: the same request may pass later. */
const PASSING = /\b(?:per (?:minute|hour|day)|wait)\b/iu;

/** Not a limit: by how much it was exceeded (Ollama), and an error code (MiniMax). */
const MISLEADING = /\bby \d[\d,]*|\blimit \(\d+\)/giu;

/** The first that matches counts: comparisons, then the number behind the limit's name, or before it. */
const LIMITS: readonly RegExp[] = [
  />=?\s*(?:n_ctx:?\s*)?(\d[\d,]*)/u,
  /\binput length should be \[\d+, ?(\d[\d,]*)/iu,
  /\b(?:max\w*|limit|context.?(?:length|size|window)|cannot exceed)\b[^\d;]{0,40}?(\d[\d,]*)/iu,
  /(\d[\d,]*) max(?:imum)?\b/iu,
];

const COUNTS: readonly RegExp[] = [
  /(\d[\d,]*) tokens >/iu,
  /\b(?:requested|resulted in|contains)\b[^\d;]{0,30}?(\d[\d,]*)/iu,
  /\b(?:input|prompt|request|token count|tokens)\b(?: length)?(?: of)? ?\(?(\d[\d,]*)/iu,
];
