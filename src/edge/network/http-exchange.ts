import { HostError } from '../../base/errors.js';
import { onAbort } from '../../base/on-abort.js';
import { HttpClient, type HttpHeaders } from './http-client.js';
import type { Route } from './route.js';

export interface ExchangeOptions {
  /** Subject of every error message: `The catalogue`. */
  readonly label: string;
  readonly route: Route;
  readonly headers: Readonly<Record<string, string>>;
  /** Body of a POST; undefined: a GET. */
  readonly body?: string | undefined;
  /** The largest size of the response body, in bytes. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Returns an error for a status whose response must not be read. */
  readonly refuses?: (status: number) => HostError | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Buffer;
}

/** Sends one request on a connection of its own, and reads the whole response. Rejects with a `HostError`. */
export async function exchange(url: URL, options: ExchangeOptions): Promise<HttpAnswer> {
  const { label, route } = options;
  const client = new HttpClient({ origin: url.origin, label, route });
  try {
    return await send(client, url, options);
  } finally {
    await client.close();
  }
}

function send(client: HttpClient, url: URL, options: ExchangeOptions): Promise<HttpAnswer> {
  const { label, limit, signal, refuses, body } = options;
  const request = {
    method: body === undefined ? 'GET' : 'POST',
    path: url.pathname + url.search,
    headers: Object.entries(options.headers).flat(),
    body: body === undefined ? null : Buffer.from(body, 'utf8'),
    headersTimeoutMs: 0,
  } as const;
  // Removed at the end: a signal may outlive many requests, and would keep the response of each in memory.
  let listening: Disposable | undefined;
  return new Promise<HttpAnswer>((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let head: Omit<HttpAnswer, 'body'> | undefined;
    const stop = (error: HostError): void => {
      sent.abort();
      reject(error);
    };
    const sent = client.send(request, {
      headers(status, headers) {
        const refusal = refuses?.(status);
        if (refusal) stop(refusal);
        head = { status, headers };
      },
      data(bytes) {
        size += bytes.length;
        if (size > limit) stop(new HostError('answer-too-large', `${label} sent more than ${limit} bytes`));
        else pieces.push(bytes);
        return true;
      },
      end: () => resolve({ ...head!, body: Buffer.concat(pieces) }),
      failed: reject,
    });
    const abort = (): void => stop(new HostError('cancelled', `${label}: the request was cancelled`));
    if (signal.aborted) abort();
    else listening = onAbort(signal, abort);
  }).finally(() => listening?.[Symbol.dispose]());
}
