import type { SessionEvent } from '../../../session/index.js';

/** A retry of the model's API, with a reason in the words of agent SDKs and one in ours. */
export function toRetryLine({ attempt, afterMs, reason }: Extract<SessionEvent, { kind: 'retry' }>): object {
  const status = /\b([45]\d\d)\b/u.exec(reason)?.[1];
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt,
    max_retries: RETRIES,
    retry_delay_ms: afterMs,
    error_status: status === undefined ? null : Number(status),
    error: toCategory(reason, status),
    reason,
  };
}

function toCategory(reason: string, status: string | undefined): string {
  if (status === '529' || /overload/iu.test(reason)) return 'overloaded';
  if (status === '429' || /rate/iu.test(reason)) return 'rate_limit';
  if (status?.startsWith('5') === true) return 'server_error';
  return 'unknown';
}

const RETRIES = 3; // as many as a model's API is asked again
