import type { HostError } from '../../base/errors.js';
import { NO_USAGE } from '../../session/index.js';
import { toUsage } from './stream-blocks.js';
import type { Stop, TurnEnd } from './turn-end.js';
import { TurnRecord } from './turn-record.js';

/** The last line of a turn in stream-json. */
export function toResultLine({
  stop,
  text,
  turns,
  usage,
  ms,
  record,
  error,
  incompleteAnswer,
}: Omit<TurnEnd, 'exitCode'>): object {
  const problem = error ?? incompleteAnswer;
  const subtype = error ? 'error_during_execution' : stop === 'max-turns' ? 'error_max_turns' : 'success';
  return {
    type: 'result',
    subtype,
    is_error: problem !== undefined,
    duration_ms: ms,
    duration_api_ms: Math.round(record.apiMs),
    num_turns: turns,
    result: text,
    stop_reason: STOP_REASONS[stop],
    ...(problem && { errors: [problem.message], error: { ...problem.toJSON(), hint: problem.hint ?? '' } }),
    usage: toUsage(usage),
    permission_denials: record.denials.map(({ name, callId, input, reason }) => ({
      tool_name: name,
      tool_use_id: callId,
      tool_input: input,
      reason,
    })),
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
  return { ...toResultLine({ ...nothing, error, record: new TurnRecord(() => 0) }), session_id: '' };
}
