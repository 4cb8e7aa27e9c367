import { HostError } from '../base/errors.js';

export interface FetchOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly limit: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** One bounded GET: so many bytes, so much time, no redirect (undici follows none unless told to). Anything but a 2xx with a text is a HostError. */
export async function fetchText(url: string, options: FetchOptions): Promise<string> {
  const { request } = await import('undici');
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const place = new URL(url).origin;
  try {
    const { statusCode, body } = await request(url, { headers: options.headers ?? {}, signal });
    if (statusCode < 200 || statusCode > 299) {
      await body.dump({ limit: 0 });
      throw new HostError('fetch-failed', `${place} answered HTTP ${statusCode}`, { hint: hintOf(statusCode) });
    }
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > options.limit) throw new HostError('fetch-failed', `${place} sent more than ${options.limit} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (cause) {
    if (cause instanceof HostError) throw cause;
    if (options.signal?.aborted === true)
      throw new HostError('cancelled', `The request to ${place} was cancelled`, { cause });
    if (timeout.aborted)
      throw new HostError('fetch-failed', `${place} did not answer within ${options.timeoutMs} ms`, { cause });
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new HostError('fetch-failed', `${place} cannot be reached: ${code}`, {
      hint: 'Check the address and your network',
      cause,
    });
  }
}

function hintOf(status: number): string {
  if (status === 401 || status === 403) return 'Check the token';
  return status >= 300 && status < 400 ? 'Redirects are not followed; write the final address' : 'Try again later';
}
