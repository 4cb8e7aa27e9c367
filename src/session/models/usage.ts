import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { Usage } from '../model-port.js';

/** What an answer has cost; what makes no sense as a count is 0. */
export function readUsage({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage {
  return {
    input: toCount(inputTokens.total),
    output: toCount(outputTokens.total),
    cacheRead: toCount(inputTokens.cacheRead),
    cacheWrite: toCount(inputTokens.cacheWrite),
  };
}

function toCount(value: number | undefined): number {
  return value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
