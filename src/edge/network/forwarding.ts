// https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
import type { Dispatcher, Pool } from 'undici';
import type { ProxyServer } from './proxy-choice.js';
import type { Route } from './route.js';

export type HttpDispatcher = Pick<Pool, 'dispatch' | 'close' | 'destroy'>;

/** The proxy that forwards requests to an unencrypted origin; undefined when there is none. */
export function forwarderOf(origin: string, { proxy }: Route): ProxyServer | undefined {
  return origin.startsWith('http:') ? proxy : undefined;
}

/** Sends requests for the origin to a proxy: in absolute form, with the server's own Host. */
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
