// https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
import type { HttpDispatcher } from './http-connections.js';
import type { ProxyServer } from './proxy-choice.js';
import type { Route } from './route.js';

/** The proxy that forwards requests to an unencrypted origin; undefined when there is none. */
export function forwarderOf(origin: string, { proxy }: Route): ProxyServer | undefined {
  return origin.startsWith('http:') ? proxy : undefined;
}

/** Sends requests for the origin to a proxy: in absolute form, with the server's own Host. */
export function forward(
  carrier: HttpDispatcher,
  { origin, proxy }: { origin: string; proxy: ProxyServer },
): HttpDispatcher {
  const host = ['host', new URL(origin).host];
  const added = proxy.authorization ? ['proxy-authorization', proxy.authorization.reveal()] : [];
  return {
    get hasFree() {
      return carrier.hasFree;
    },
    dispatch(options, handler) {
      const given = options.headers as string[];
      const isNamed = given.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
      const headers = [...given, ...(isNamed ? [] : host), ...added];
      carrier.dispatch({ ...options, path: origin + options.path, headers }, handler);
    },
    close: () => carrier.close(),
    destroy: () => carrier.destroy(),
  };
}
