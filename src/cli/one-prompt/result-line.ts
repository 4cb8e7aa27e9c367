import { randomUUID } from 'node:crypto';
import type { HostError } from '../../base/errors.js';
import { type ModelPort, NO_USAGE, type Usage } from '../../session/index.js';
import { toWholeUsage } from './stream-blocks.js';
import type { Stop, TurnEnd } from './turn-end.js';
import { TurnRecord } from './turn-record.js';

type ResultParts = Omit<TurnEnd, 'exitCode'> & { readonly model?: ModelPort | undefined };

/** The last line of a turn in stream-json. A turn without an answer has `errors` in place of `result`. */
export function toResultLine({
  stop,
  text,
  turns,
  usage,
  ms,
  record,
  error,
  incompleteAnswer,
  model,
}: ResultParts): object {
  const problem = error ?? incompleteAnswer;
  const subtype = error ? 'error_during_execution' : stop === 'max-turns' ? 'error_max_turns' : 'success';
  const told = subtype === 'error_max_turns' ? `Reached maximum number of turns (${turns})` : problem?.message;
  return {
    type: 'result',
    subtype,
    is_error: problem !== undefined,
    duration_ms: ms,
    duration_api_ms: Math.round(record.apiMs),
    num_turns: turns,
    ...(subtype === 'success' && { result: text }),
    stop_reason: STOP_REASONS[stop],
    ...(problem && { errors: [told], error: { ...problem.toJSON(), hint: problem.hint ?? '' } }),
    total_cost_usd: 0,
    usage: toWholeUsage(usage),
    modelUsage: model ? { [model.name]: toModelUsage(usage, model) } : {},
    permission_denials: record.denials.map(({ name, callId, input, reason }) => ({
      tool_name: name,
      tool_use_id: callId,
      tool_input: input,
      reason,
    })),
  };
}

/** Prices are not known here: costs are 0. */
function toModelUsage({ input, output, cacheRead, cacheWrite }: Usage, { contextTokens }: ModelPort): object {
  return {
    inputTokens: Math.max(0, input - cacheRead - cacheWrite),
    outputTokens: output,
    cacheReadInputTokens: cacheRead,
    cacheCreationInputTokens: cacheWrite,
    webSearchRequests: 0,
    costUSD: 0,
    contextWindow: contextTokens,
    maxOutputTokens: 0,
  };
}

const STOP_REASONS: Readonly<Record<Stop, string | null>> = {
  done: 'end_turn',
  length: 'max_tokens',
  refused: 'refusal',
  'max-turns': 'tool_use',
  cancelled: null,
  failed: null,
};

/** The result line of a run that failed before it could begin. */
export function toFailureLine(error: HostError): object {
  const nothing = { stop: 'failed', text: '', turns: 0, usage: NO_USAGE, ms: 0, incompleteAnswer: undefined } as const;
  const line = toResultLine({ ...nothing, error, record: new TurnRecord(() => 0) });
  return { ...line, session_id: '', uuid: randomUUID() };
}
