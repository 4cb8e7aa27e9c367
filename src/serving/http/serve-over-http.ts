import { HttpServing, type HttpServingOptions } from './http-serving.js';
import { type HttpListener, openHttpListener, type HttpListenerOptions } from './http-listener.js';

/** Endpoints that are served over HTTP. Disposing of it closes every connection. */
export interface ServedHttp extends AsyncDisposable, Pick<HttpListener, 'host' | 'port' | 'origin'> {
  /**
   * Takes no new sessions, and waits for requests in flight, at most this long; `onWait` is told how many, if there are
   * any. Never rejects.
   */
  drain(ms: number, onWait?: (requests: number) => void): Promise<void>;
}

/** Listens, and serves. Rejects with a HostError where the address cannot be listened on. */
export async function serveOverHttp(
  options: HttpServingOptions & Omit<HttpListenerOptions, 'handle'>,
): Promise<ServedHttp> {
  const serving = new HttpServing(options);
  try {
    const listener = await openHttpListener({ ...options, handle: serving.handle });
    const { host, port, origin } = listener;
    return {
      host,
      port,
      origin,
      drain: (ms, onWait) => serving.drain(ms, onWait),
      async [Symbol.asyncDispose]() {
        await serving[Symbol.asyncDispose]();
        await listener[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await serving[Symbol.asyncDispose]();
    throw error;
  }
}
