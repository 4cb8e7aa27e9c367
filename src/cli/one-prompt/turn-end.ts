import { countOf } from '../../model/show.js';
import { HostError } from '../../base/errors.js';
import { NO_USAGE, type Said, type Usage } from '../../session/index.js';
import { exitCodeOf, exitCodes } from '../io.js';
import type { TurnRecord } from './turn-record.js';

export type Stop = 'done' | 'length' | 'refused' | 'max-turns' | 'cancelled' | 'failed';

/** The outcome of one prompt. */
export interface TurnEnd {
  readonly stop: Stop;
  /** The answer, or as much of it as arrived. */
  readonly text: string;
  readonly turns: number;
  readonly usage: Usage;
  readonly ms: number;
  readonly record: TurnRecord;
  /** Why there is no answer. */
  readonly error: HostError | undefined;
  /** What is wrong with an answer: not finished, cut, or refused. */
  readonly incompleteAnswer: HostError | undefined;
  readonly exitCode: number;
}

export interface TurnEndOptions {
  readonly said: Said;
  readonly record: TurnRecord;
  readonly ms: number;
  /** Of the model and its sub-agents, in this turn. */
  readonly usage: Usage;
  /** Gives the true reason where something other than the user ended the turn. */
  readonly explain: (error: HostError) => unknown;
}

export function toTurnEnd({ said, record, ms, usage, explain }: TurnEndOptions): TurnEnd {
  const end = said.kind === 'sent' ? said.end : undefined;
  const failure = failureOf(said);
  const told = failure && explain(failure);
  const error = told instanceof HostError ? told : failure;
  const stop = end?.kind ?? (failure?.code === 'cancelled' ? 'cancelled' : 'failed');
  const incompleteAnswer = shortfallOf(stop, end?.turns ?? 0);
  return {
    stop,
    text: record.words === '' ? (end?.text ?? '') : record.words,
    turns: end?.turns ?? 0,
    usage: end ? usage : NO_USAGE,
    ms: Math.round(ms),
    record,
    error,
    incompleteAnswer,
    exitCode: error ? exitCodeOf(error.code) : incompleteAnswer ? exitCodes.failed : record.exitCode,
  };
}

function failureOf(said: Said): HostError | undefined {
  if (said.kind === 'not-sent') return said.error;
  if (said.kind === 'no-model') return new HostError('no-model', 'No model is configured', { hint: '--model NAME' });
  if (said.end.kind === 'failed') return said.end.error;
  return said.end.kind === 'cancelled' ? new HostError('cancelled', 'Stopped before the model was done') : undefined;
}

function shortfallOf(stop: Stop, turns: number): HostError | undefined {
  if (stop === 'max-turns') {
    return new HostError('model-failed', `The model was still not done after ${countOf(turns, 'turn')}`, {
      hint: `Allow more turns: --max-turns ${turns * 2}`,
    });
  }
  if (stop === 'length') {
    return new HostError('model-failed', 'The answer is cut: the model reached its output limit', {
      hint: 'Ask for less at once',
    });
  }
  if (stop !== 'refused') return undefined;
  return new HostError('model-failed', "The model's provider refused to answer", { hint: 'Rephrase the prompt' });
}
