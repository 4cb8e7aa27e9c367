import type { ErrorCode } from '../base/error-codes.js';
import { HostError } from '../base/errors.js';
import type { ServerState } from '../host/servers/server-state.js';
import type { Waited } from './action-context.js';
import type { Told } from './told.js';

/** Why an action stopped waiting; undefined when it waited to the end. */
export function reasonOf(waited: Waited): HostError | undefined {
  if (waited.kind === 'settled') return undefined;
  if (waited.kind === 'interrupted') return new HostError('cancelled', 'Stopped before it was done');
  const hint = 'Raise --timeout, or leave it out';
  return new HostError('connect-timeout', `within --timeout ${waited.timeoutMs} ms`, { hint });
}

/**
 * The state of a server after the wait for it ended with `reason`. On `connect-timeout` a pending server has failed;
 * the reason's message continues "did not answer": `within --timeout 500 ms`.
 */
export function asWaited(state: ServerState, reason: unknown): ServerState {
  if (!(reason instanceof HostError) || reason.code !== 'connect-timeout') return state;
  const { status, tools, error, name } = state;
  const hint = reason.hint ?? '';
  if (status === 'pending') {
    const message = `Server "${name}" did not answer ${reason.message}`;
    return { ...state, status: 'failed', error: { code: 'connect-timeout', message, hint } };
  }
  if (status !== 'connected' || tools !== null || error) return state;
  const message = `Server "${name}" did not answer tools/list ${reason.message}`;
  return { ...state, error: { code: 'call-timeout', message, hint } };
}

/** The error code for the one server that an action was about; undefined when it is connected. */
export function codeOfState({ status, error }: ServerState, reason: unknown): ErrorCode | undefined {
  if (reason instanceof HostError && reason.code === 'cancelled') return 'cancelled';
  if (status === 'connected') return undefined;
  if (status === 'needs-auth') return 'unauthorized';
  return error ? (error.code as ErrorCode) : 'connect-failed';
}

export function toneOfState({ status, error }: ServerState): Told['tone'] {
  if (error) return 'failed';
  return status === 'connected' ? 'done' : 'note';
}
