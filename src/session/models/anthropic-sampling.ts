// https://platform.claude.com/docs/en/about-claude/models/overview
import type { JsonObject } from '../../base/json.js';
import type { ModelRequest } from '../model-port.js';
import type { ModelOptions } from './endpoint.js';

/** Lowers or leaves out what the model's generation does not accept, because the API would answer 400. */
export function toSampling({ name, maxTokens = MAX_TOKENS }: ModelOptions, request: ModelRequest): JsonObject {
  const { temperature, stopSequences } = request;
  const generation = GENERATIONS.find(({ names }) => names.test(name));
  const takesTemperature = generation?.takesTemperature ?? true;
  return {
    max_tokens: Math.min(request.maxTokens ?? maxTokens, generation?.maxTokens ?? Infinity),
    ...(temperature !== undefined && takesTemperature && { temperature: Math.min(Math.max(temperature, 0), 1) }),
    ...(stopSequences !== undefined && { stop_sequences: stopSequences }),
  };
}

const MAX_TOKENS = 32_000; // enough for a long file

interface Generation {
  readonly names: RegExp;
  /** The most tokens of one answer; undefined when unknown. */
  readonly maxTokens?: number;
  readonly takesTemperature: boolean;
}

/** The first match counts. An endpoint's name for a model may contain it anywhere: `us.anthropic.claude-opus-5-v1`. */
const GENERATIONS: readonly Generation[] = [
  { names: /claude-(?:(?:sonnet|opus|fable)-5|haiku-5-5|opus-4-[78])/u, maxTokens: 128_000, takesTemperature: false },
  { names: /claude-(?:sonnet|opus)-4-6/u, maxTokens: 128_000, takesTemperature: true },
  { names: /claude-(?:(?:opus|haiku)-4-5|sonnet-4-)/u, maxTokens: 64_000, takesTemperature: true },
  { names: /claude-opus-4-/u, maxTokens: 32_000, takesTemperature: true },
  { names: /claude-3-haiku/u, maxTokens: 4_096, takesTemperature: true },
  { names: /claude-(?:instant(?:-|$)|v?2(?=$|[-.:])|3(?=$|[-.]))/u, takesTemperature: true },
  { names: /claude-/u, takesTemperature: false },
];
