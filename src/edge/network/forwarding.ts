// https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
import type { Dispatcher, Pool } from 'undici';
import type { ProxyServer } from './proxy-choice.js';
import type { Route } from './route.js';

/** What requests are handed to. */
export type HttpDispatcher = Pick<Pool, 'dispatch' | 'close' | 'destroy'>;

/** The proxy that is to pass requests on as it reads them, which is the custom where nothing is encrypted. */
export function forwarderOf(origin: string, { proxy }: Route): ProxyServer | undefined {
  return origin.startsWith('http:') ? proxy : undefined;
}

/** Requests to the origin over connections to a proxy: in absolute form, with the server's own Host. */
export function forward(pool: Pool, { origin, proxy }: { origin: string; proxy: ProxyServer }): HttpDispatcher {
  const host = ['host', new URL(origin).host];
  const added = proxy.authorization ? ['proxy-authorization', proxy.authorization.reveal()] : [];
  return {
    dispatch: (options: Dispatcher.DispatchOptions, handler) => {
      const given = options.headers as string[];
      const isNamed = given.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
      const headers = [...given, ...(isNamed ? [] : host), ...added];
      return pool.dispatch({ ...options, path: origin + options.path, headers }, handler);
    },
    close: () => pool.close(),
    destroy: () => pool.destroy(),
  };
}
