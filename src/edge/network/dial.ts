import type { Socket } from 'node:net';
import { ConnectAttempt, type ConnectAttemptOptions } from './connect-attempt.js';
import type { ConnectionPeer } from './dial-error.js';
import { type ProxyServer, throughProxy } from './proxy-choice.js';
import type { Route } from './route.js';

/** The timeout covers everything: DNS lookup, TCP, proxy, TLS. */
export interface DialOptions extends ConnectAttemptOptions {
  readonly route: Route;
}

/**
 * Opens a socket to the origin of a URL (http, https, ws, wss): TCP, or TLS with ALPN http/1.1; through the route's
 * proxy if it has one. Rejects with a `HostError` that names the cause. A later error destroys the socket, and is no
 * uncaught exception without a listener.
 */
export async function dial(origin: URL, options: DialOptions): Promise<Socket> {
  const { route, label } = options;
  const { proxy, tls } = route;
  const isSecure = origin.protocol === 'https:' || origin.protocol === 'wss:';
  const port = Number(origin.port) || (isSecure ? 443 : 80);
  const party: ConnectionPeer = {
    subject: proxy ? throughProxy(label, proxy) : label,
    at: ` at ${origin.protocol}//${origin.host}`,
    host: origin.hostname.startsWith('[') ? origin.hostname.slice(1, -1) : origin.hostname,
    hint: 'Is it running? Check the host and the port of its URL',
  };
  using attempt = new ConnectAttempt(options);
  const socket = proxy
    ? await openTunnel(attempt, { label, route, proxy, target: `${origin.hostname}:${port}` })
    : await attempt.reach(party, { port, lookup: route.lookup });
  if (!isSecure) return socket;
  return await attempt.secure(socket, { party, context: tls?.server, hasCertificate: tls?.hasCertificate === true });
}

/** Opens a socket to the proxy itself, for requests that it forwards. */
export async function dialProxy(proxy: ProxyServer, options: DialOptions): Promise<Socket> {
  using attempt = new ConnectAttempt(options);
  return await reachProxy(attempt, { ...options, proxy, party: toParty(proxy, options.label) });
}

async function openTunnel(
  attempt: ConnectAttempt,
  { label, route, proxy, target }: { label: string; route: Route; proxy: ProxyServer; target: string },
): Promise<Socket> {
  const party = toParty(proxy, label);
  const socket = await reachProxy(attempt, { route, proxy, party });
  return attempt.tunnel(socket, { party, proxy, target });
}

async function reachProxy(
  attempt: ConnectAttempt,
  { route, proxy, party }: { route: Route; proxy: ProxyServer; party: ConnectionPeer },
): Promise<Socket> {
  const socket = await attempt.reach(party, { port: proxy.port, lookup: route.lookup });
  // The entry's client certificate is for its server, not for a proxy.
  return proxy.isSecure ? attempt.secure(socket, { party, context: route.tls?.proxy, hasCertificate: false }) : socket;
}

function toParty({ description, host, variable }: ProxyServer, label: string): ConnectionPeer {
  return {
    subject: `${label} cannot be reached: ${description}`,
    at: '',
    host,
    hint: `Is the proxy running? Check ${variable}, or list the host of the server in NO_PROXY to do without it`,
  };
}
