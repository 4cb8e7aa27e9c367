import { HostError } from '../../base/errors.js';
import { exchange } from './http-exchange.js';
import { findRoute, type RouteOptions } from './route.js';

export interface FetchTextOptions extends Pick<RouteOptions, 'label' | 'env' | 'cwd'> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly limit: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * One bounded GET over the same routes as any server: limited bytes and time, no redirect. Rejects with a `HostError`,
 * also for any status but 2xx.
 */
export async function fetchText(text: string, options: FetchTextOptions): Promise<string> {
  const { label, env, cwd, headers = {}, limit, timeoutMs, signal } = options;
  const url = new URL(text);
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  const refuses = (status: number): HostError | undefined =>
    status >= 200 && status <= 299
      ? undefined
      : new HostError('fetch-failed', `${label} answered HTTP ${status}`, { hint: hintOf(status) });
  try {
    const route = await findRoute(url, { label, env, cwd });
    const { body } = await exchange(url, { label, route, headers, limit, signal: either, refuses });
    return body.toString('utf8');
  } catch (cause) {
    if (signal?.aborted === true)
      throw new HostError('cancelled', `The request to ${url.origin} was cancelled`, { cause });
    if (timeout.aborted)
      throw new HostError('fetch-failed', `${label} did not answer within ${timeoutMs} ms`, { cause });
    if (!(cause instanceof HostError)) throw cause;
    throw new HostError('fetch-failed', cause.message, { hint: cause.hint, cause });
  }
}

function hintOf(status: number): string {
  if (status === 401 || status === 403) return 'Check the token';
  return status >= 300 && status < 400 ? 'Redirects are not followed; write the final address' : 'Try again later';
}
