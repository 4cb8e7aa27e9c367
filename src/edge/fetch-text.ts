import { HostError } from '../base/errors.js';
import { HttpClient } from './http-client.js';
import { findRoute } from './route.js';

export interface FetchOptions {
  /** Begins the sentence of every error: `The catalogue`. */
  readonly label: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limit: number;
  readonly timeoutMs: number;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly signal?: AbortSignal;
}

/**
 * One bounded GET, by the same ways as to any server: so many bytes, so much time, no redirect. Anything but a 2xx with a
 * text is a HostError.
 */
export async function fetchText(text: string, options: FetchOptions): Promise<string> {
  const { label, env, cwd, timeoutMs, signal } = options;
  const url = new URL(text);
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  let client: HttpClient | undefined;
  try {
    const route = await findRoute(url, { label, env, cwd });
    client = new HttpClient({ origin: url.origin, label, route });
    return await get(client, url, { ...options, signal: either });
  } catch (cause) {
    if (signal?.aborted === true)
      throw new HostError('cancelled', `The request to ${url.origin} was cancelled`, { cause });
    if (timeout.aborted)
      throw new HostError('fetch-failed', `${label} did not answer within ${timeoutMs} ms`, { cause });
    if (!(cause instanceof HostError)) throw cause;
    throw new HostError('fetch-failed', cause.message, {
      ...(cause.hint !== undefined && { hint: cause.hint }),
      cause,
    });
  } finally {
    await client?.close();
  }
}

function get(client: HttpClient, url: URL, options: FetchOptions & { readonly signal: AbortSignal }): Promise<string> {
  const { label, limit, signal, headers = {} } = options;
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const path = url.pathname + url.search;
    const request = {
      method: 'GET',
      path,
      headers: Object.entries(headers).flat(),
      body: null,
      headersTimeoutMs: 0,
    } as const;
    const stop = (error: HostError): void => {
      exchange.abort();
      reject(error);
    };
    const exchange = client.send(request, {
      headers(status) {
        if (status >= 200 && status <= 299) return;
        stop(new HostError('fetch-failed', `${label} answered HTTP ${status}`, { hint: hintOf(status) }));
      },
      data(bytes) {
        size += bytes.length;
        if (size > limit) stop(new HostError('fetch-failed', `${label} sent more than ${limit} bytes`));
        else pieces.push(bytes);
        return true;
      },
      end: () => resolve(Buffer.concat(pieces).toString('utf8')),
      failed: reject,
    });
    signal.addEventListener('abort', () => stop(new HostError('cancelled', `${label} was not waited for`)), {
      once: true,
    });
    if (signal.aborted) stop(new HostError('cancelled', `${label} was not waited for`));
  });
}

function hintOf(status: number): string {
  if (status === 401 || status === 403) return 'Check the token';
  return status >= 300 && status < 400 ? 'Redirects are not followed; write the final address' : 'Try again later';
}
