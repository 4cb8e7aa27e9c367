// https://platform.claude.com/docs/en/about-claude/models/overview, .../build-with-claude/adaptive-thinking and .../effort
import type { JsonObject } from '../../base/json.js';
import type { ModelRequest } from '../model-port.js';
import type { ModelOptions } from './model-endpoint.js';
import type { ModelThinking, ModelTuning, TuningField } from './model-tuning.js';

/** Lowers or leaves out what the model's generation does not accept, because the API would answer 400. */
export function toSampling({ name, maxTokens = MAX_TOKENS, tuning }: ModelOptions, request: ModelRequest): JsonObject {
  const { temperature, stopSequences, toolChoice } = request;
  const generation = generationOf(name);
  const limit = Math.min(request.maxTokens ?? maxTokens, generation.maxTokens ?? Infinity);
  // The API refuses both beside thinking; servers ask for them (sampling).
  const mayThink = temperature === undefined && toolChoice !== 'required';
  return {
    max_tokens: limit,
    ...(mayThink && tuning?.thinking && toThinking(tuning.thinking, generation, limit)),
    ...toOutputConfig(tuning, generation),
    ...(temperature !== undefined &&
      generation.takesTemperature && { temperature: Math.min(Math.max(temperature, 0), 1) }),
    ...(stopSequences !== undefined && { stop_sequences: stopSequences }),
  };
}

/** The names of betas that a request takes part in. */
export function toBetas({ name, tuning }: ModelOptions): readonly string[] {
  const { betas = [], taskBudget } = tuning ?? {};
  const own = taskBudget !== undefined && generationOf(name).takesTaskBudget ? [TASK_BUDGETS] : [];
  return [...new Set([...betas.filter(isBeta), ...own])];
}

/** What of the tuning the model does not have, or only in another way. */
export function anthropicUnsupported({ name, tuning }: ModelOptions): readonly TuningField[] {
  const { thinking, effort, betas = [], taskBudget } = tuning ?? {};
  const generation = generationOf(name);
  return [
    ...(thinking && !isExact(thinking, generation) ? (['thinking'] as const) : []),
    ...(effort !== undefined && toEffort(effort, generation) === undefined ? (['effort'] as const) : []),
    ...(betas.every(isBeta) ? [] : (['betas'] as const)),
    ...(taskBudget !== undefined && !generation.takesTaskBudget ? (['taskBudget'] as const) : []),
  ];
}

const MAX_TOKENS = 32_000; // enough for a long file
const LEAST_BUDGET = 1_024; // the API's minimum
const ROOM_TO_THINK = 4_096; // in a shorter answer thinking would leave no room for words
const TASK_BUDGETS = 'task-budgets-2026-03-13';

interface Generation {
  readonly names: RegExp;
  /** The most tokens of one answer; undefined when unknown. */
  readonly maxTokens?: number;
  readonly takesTemperature: boolean;
  /** Whether it decides itself how long it thinks, or is given a number of tokens. */
  readonly thinking: 'adaptive' | 'budget' | 'both' | 'none';
  readonly takesEffort: boolean;
  readonly takesTaskBudget: boolean;
}

const OLDER = { takesTemperature: true, thinking: 'budget', takesEffort: false, takesTaskBudget: false } as const;
const NEWER = { takesTemperature: false, thinking: 'adaptive', takesEffort: true, takesTaskBudget: true } as const;

/** The first match counts. An endpoint's name for a model may contain it anywhere: `us.anthropic.claude-opus-5-v1`. */
const GENERATIONS: readonly Generation[] = [
  { names: /claude-(?:(?:sonnet|opus|fable)-5|haiku-5-5|opus-4-[78])/u, maxTokens: 128_000, ...NEWER },
  { names: /claude-(?:sonnet|opus)-4-6/u, maxTokens: 128_000, ...OLDER, thinking: 'both', takesEffort: true },
  { names: /claude-opus-4-5/u, maxTokens: 64_000, ...OLDER, takesEffort: true },
  { names: /claude-(?:haiku-4-5|sonnet-4-)/u, maxTokens: 64_000, ...OLDER },
  { names: /claude-opus-4-/u, maxTokens: 32_000, ...OLDER },
  { names: /claude-3-7-/u, ...OLDER },
  { names: /claude-3-haiku/u, maxTokens: 4_096, ...OLDER, thinking: 'none' },
  { names: /claude-(?:instant(?:-|$)|v?2(?=$|[-.:])|3(?=$|[-.]))/u, ...OLDER, thinking: 'none' },
  { names: /claude-/u, ...NEWER },
];

/** Models of others behind an API like Anthropic's: they are sent what was asked for. */
const FOREIGN: Generation = { names: /^/u, ...NEWER, takesTemperature: true, thinking: 'both' };

function generationOf(name: string): Generation {
  return GENERATIONS.find(({ names }) => names.test(name)) ?? FOREIGN;
}

/** A model that only thinks adaptively does so in place of a budget, and refuses the word for not thinking. */
function toThinking(wanted: ModelThinking, { thinking }: Generation, limit: number): JsonObject {
  if (thinking === 'none') return {};
  if (wanted.kind === 'disabled') return thinking === 'adaptive' ? {} : { thinking: { type: 'disabled' } };
  if (wanted.kind === 'adaptive' || thinking === 'adaptive')
    return thinking === 'budget' || limit < ROOM_TO_THINK ? {} : { thinking: { type: 'adaptive' } };
  // A budget is part of the answer's length, and has to be smaller.
  const tokens = Math.min(wanted.tokens, limit - 1);
  return tokens < LEAST_BUDGET ? {} : { thinking: { type: 'enabled', budget_tokens: tokens } };
}

function isExact(wanted: ModelThinking, { thinking }: Generation): boolean {
  if (wanted.kind === 'disabled' || thinking === 'both') return true;
  return wanted.kind === thinking;
}

function toOutputConfig(tuning: ModelTuning | undefined, generation: Generation): JsonObject {
  const { effort: wanted, taskBudget } = tuning ?? {};
  const effort = wanted === undefined ? undefined : toEffort(wanted, generation);
  const budget = generation.takesTaskBudget ? taskBudget : undefined;
  if (effort === undefined && budget === undefined) return {};
  return {
    output_config: {
      ...(effort !== undefined && { effort }),
      ...(budget !== undefined && { task_budget: { type: 'tokens', total: budget } }),
    },
  };
}

function toEffort(effort: string, { takesEffort }: Generation): string | undefined {
  return takesEffort && /^[a-z]{1,20}$/u.test(effort) ? effort : undefined;
}

/** Anything else would not be one header. */
function isBeta(name: string): boolean {
  return /^[\w.-]{1,100}$/u.test(name);
}
