import { parseUrl } from '../base/parse-url.js';
import { HostError } from '../base/errors.js';
import { exchange, type HttpAnswer } from '../edge/network/http-exchange.js';
import { findRoute, type Route, type RouteOptions } from '../edge/network/route.js';
import { sameOrigin } from '../model/urls/canonical-url.js';
import { gateAuth } from './auth-gate.js';
import { hostOfUrl } from './discovery/host-of.js';
import { signInFailure } from './oauth-error.js';
import { namedHostLookup } from './discovery/named-host-lookup.js';

/** The fetch that all OAuth requests go through. Rejects with HostError only. */
export type AuthFetch = (url: string, request?: AuthRequest) => Promise<Response>;

export interface AuthRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `tls` applies to the server's own origin only. */
export interface AuthFetchOptions extends RouteOptions {
  /** The server that the user signs in to. The URLs that it names may be private only if it is private itself. */
  readonly server: URL;
  /** Other URLs that the user wrote into the entry, and that may therefore be private: `authServerMetadataUrl`. */
  readonly trusted?: readonly URL[] | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A bounded fetch: limits bytes, time and redirects, fetches only what passes the URL gate, and sends a form only over
 * https or to loopback. A GET follows redirects within its origin; a POST follows none.
 */
export function openAuthFetch(options: AuthFetchOptions): AuthFetch {
  return async (url, request = {}) => {
    const { timeoutMs = TIMEOUT } = options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const calls = [options.signal, request.signal].filter((signal) => signal !== undefined);
    const signal = AbortSignal.any([timeout, ...calls]);
    const trip = toTrip(url, request);
    const who = `${options.label} (sign-in at ${hostOfUrl(trip.url)})`;
    try {
      return await follow(trip, { ...options, label: who, signal });
    } catch (cause) {
      if (calls.some(({ aborted }) => aborted))
        throw new HostError('cancelled', `${who}: the request was cancelled`, { cause });
      if (timeout.aborted)
        throw signInFailure(`${who} did not answer within ${timeoutMs} ms`, { isTransient: true, cause });
      throw toFailure(cause, who);
    }
  };
}

const TIMEOUT = 20_000; // ms; a token endpoint may ask other servers first, and the user waits
const BODY_LIMIT = 1_048_576;
const REDIRECT_LIMIT = 5;

interface Trip {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The form of a POST; undefined for a GET. */
  readonly body: string | undefined;
}

function toTrip(url: string, { method = 'GET', headers, body = '' }: AuthRequest): Trip {
  const sent = { accept: 'application/json', ...headers };
  return { url, headers: sent, body: method === 'POST' ? String(body) : undefined };
}

type FollowOptions = AuthFetchOptions & { readonly signal: AbortSignal };

async function follow(trip: Trip, options: FollowOptions): Promise<Response> {
  const { label } = options;
  let { url } = trip;
  for (let led = 0; ; led++) {
    const target = gated({ ...trip, url }, options);
    const response = await ask({ ...trip, url: target.href }, options);
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location === null) return response;
    if (trip.body !== undefined)
      throw signInFailure(
        `${label} answered a form with a redirect (HTTP ${response.status}), which Plugboard does not follow`,
      );
    if (led >= REDIRECT_LIMIT) throw signInFailure(`${label} redirects more than ${REDIRECT_LIMIT} times`);
    const next = parseUrl(location, target.href);
    if (!next) throw signInFailure(`${label} redirects to an invalid URL`);
    if (!sameOrigin(next, target))
      throw signInFailure(
        `${label} redirects to another origin, ${hostOfUrl(next.href)}, which Plugboard does not follow`,
      );
    url = next.href;
  }
}

function gated({ url, body }: Trip, { server, trusted = [], label }: FollowOptions): URL {
  const origins = [server, ...trusted];
  const answer = gateAuth(url, { purpose: body === undefined ? 'fetch' : 'sign-in', origins });
  if (!answer.ok) throw signInFailure(`${label} is not called: ${answer.reason}`);
  // For `sign-in` the gate also escapes what a shell would act on; a request needs the path as it was.
  const plain = gateAuth(url, { purpose: 'fetch', origins });
  return plain.ok ? plain.url : answer.url;
}

async function ask(trip: Trip, options: FollowOptions): Promise<Response> {
  const { label, env, cwd, lookup, server, trusted = [] } = options;
  const url = new URL(trip.url);
  const tls = sameOrigin(url, server) ? options.tls : undefined;
  const found = await findRoute(url, { label, env, cwd, tls, lookup });
  // Behind a proxy, the proxy resolves the host name.
  const route: Route = found.proxy
    ? found
    : { ...found, lookup: namedHostLookup(found.lookup, { origins: [server, ...trusted], label }) };
  const { headers, body } = trip;
  return toResponse(await exchange(url, { label, route, headers, body, limit: BODY_LIMIT, signal: options.signal }));
}

/** The response headers that OAuth uses; all others are dropped. */
const HEADERS = ['content-type', 'location', 'www-authenticate', 'dpop-nonce', 'retry-after', 'cache-control'];
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function toResponse(answer: HttpAnswer): Response {
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = answer.headers.get(name);
    if (value !== undefined) headers.set(name, value);
  }
  const status = answer.status >= 200 && answer.status <= 599 ? answer.status : 500;
  return new Response(BODILESS.has(status) ? null : answer.body.toString('utf8'), { status, headers });
}

/** Error codes that a retry does not change. All others, such as a failed connection, are transient. */
const LASTING: ReadonlySet<string> = new Set([
  'url-refused',
  'config-invalid',
  'config-unreadable',
  'config-too-large',
  'answer-too-large',
]);

function toFailure(cause: unknown, who: string): HostError {
  if (!(cause instanceof HostError)) return signInFailure(`${who} could not be reached`, { isTransient: true, cause });
  if (cause.code === 'sign-in-failed' || cause.code === 'internal') return cause;
  const isTransient = !LASTING.has(cause.code);
  // Nothing in the entry is wrong, so the hint of `cause`, which asks the user to change something, is replaced.
  const hint = isTransient ? 'Its authorization server cannot be reached now; try again in a moment' : cause.hint;
  return signInFailure(cause.message, { isTransient, cause, hint });
}
