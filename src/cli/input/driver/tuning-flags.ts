import type { ModelThinking, ModelTuning, TuningField } from '../../../session/index.js';
import type { Invocation } from '../arguments.js';
import { usageError } from '../usage-error.js';

/** How the model is to work, by the flags that agent SDKs send; undefined without any. Throws `usage`. */
export function tuningFlags(invocation: Invocation): ModelTuning | undefined {
  const thinking = readThinking(invocation);
  const effort = invocation.value('effort') || undefined;
  const betas = invocation.values('betas').flatMap((text) => text.split(',').filter((name) => name !== ''));
  const taskBudget = readTokens(invocation, 'task-budget');
  const fallbackModel = invocation.value('fallback-model') || undefined;
  const tuning: ModelTuning = {
    ...(thinking && { thinking }),
    ...(effort !== undefined && { effort }),
    ...(betas.length > 0 && { betas }),
    ...(taskBudget !== undefined && { taskBudget }),
    ...(fallbackModel !== undefined && { fallbackModel }),
  };
  return Object.keys(tuning).length === 0 ? undefined : tuning;
}

/** Thinking with at most so many tokens; 0 means none, undefined as the model sees fit. */
export function toThinking(maxTokens: number | undefined): ModelThinking {
  if (maxTokens === undefined) return { kind: 'adaptive' };
  return maxTokens === 0 ? { kind: 'disabled' } : { kind: 'budget', tokens: maxTokens };
}

/** A note on what of the flags the model does not have. */
export function tuningNote(unsupported: readonly TuningField[], model: string): string | undefined {
  if (unsupported.length === 0) return undefined;
  const flags = unsupported.map((field) => FLAGS[field]).join(', ');
  return `${flags} without effect, or another one: the model ${model} does not have it`;
}

function readThinking(invocation: Invocation): ModelThinking | undefined {
  const word = invocation.value('thinking');
  const tokens = readTokens(invocation, 'max-thinking-tokens');
  if (word === 'disabled') return { kind: 'disabled' };
  if (tokens !== undefined) return toThinking(tokens);
  return word === undefined ? undefined : { kind: 'adaptive' };
}

function readTokens(invocation: Invocation, flag: 'task-budget' | 'max-thinking-tokens'): number | undefined {
  const text = invocation.value(flag);
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/u.test(text)) return Number(text);
  throw usageError(`--${flag} must be a number of tokens, got ${text}`, { hint: `Write --${flag} 10000` });
}

const FLAGS: Readonly<Record<TuningField, string>> = {
  thinking: '--thinking',
  effort: '--effort',
  betas: '--betas',
  taskBudget: '--task-budget',
  fallbackModel: '--fallback-model',
};
