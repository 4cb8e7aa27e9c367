import { isObject, type JsonObject } from '../../base/json.js';
import type { Usage } from '../model-port.js';

/**
 * The usage of an answer of Anthropic's API. Iterations are added up where the API lists them, because its total leaves
 * out the cost of a compaction; but after a fallback to another model only the total is right.
 */
export function toAnthropicUsage(usage: JsonObject): Usage {
  const { iterations: rounds } = usage;
  const all = Array.isArray(rounds) ? rounds.filter(isObject) : [];
  const own = all.filter(({ type }) => type === 'message' || type === 'compaction');
  const counted = own.length === 0 || all.some(({ type }) => type === 'fallback_message') ? [usage] : own;
  const sum = (field: string): number => counted.reduce((total, round) => total + toCount(round[field]), 0);
  const cacheRead = toCount(usage['cache_read_input_tokens']);
  const cacheWrite = toCount(usage['cache_creation_input_tokens']);
  return { input: sum('input_tokens') + cacheRead + cacheWrite, output: sum('output_tokens'), cacheRead, cacheWrite };
}

/** The usage of an answer of OpenAI's API, which does not report writes to the cache. */
export function toOpenaiUsage(usage: JsonObject): Usage {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage;
  const cached = isObject(details) ? details['cached_tokens'] : 0;
  return { input: toCount(input), output: toCount(output), cacheRead: toCount(cached), cacheWrite: 0 };
}

/** 0 for what is not a positive whole number. */
function toCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
