// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-warning
import { HostError } from '../../base/errors.js';
import { parseUrl } from '../../base/parse-url.js';
import { shorten } from '../../base/shorten.js';

/** What `toAllowedPlaces` is given: the settings and flags of a listener, as a person wrote them. */
export interface PlaceOptions {
  /** Whether the listener itself speaks TLS. */
  readonly isTls?: boolean;
  /** Where clients reach this listener through a proxy, such as `https://mcp.example.com/`. */
  readonly publicUrl?: string | undefined;
  /** Further hosts, with a port where only that one is meant. */
  readonly hosts?: readonly string[];
  /** Further origins of browser clients. */
  readonly origins?: readonly string[];
}

/** The hosts and origins that a listener answers. */
export interface AllowedPlaces {
  readonly scheme: 'http://' | 'https://';
  /** Lower case, some with a port. */
  readonly hosts: ReadonlySet<string>;
  /** As browsers write them. */
  readonly origins: ReadonlySet<string>;
}

/** The beginning of a request, as `IncomingMessage` has it. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Names and values in turn: Node drops a second Host header elsewhere. */
  readonly rawHeaders: readonly string[];
}

export interface HeadRefusal {
  readonly status: 400 | 403 | 431;
  readonly message: string;
}

/** Throws a HostError for what is neither a host nor an origin. */
export function toAllowedPlaces({ isTls = false, publicUrl, hosts = [], origins = [] }: PlaceOptions): AllowedPlaces {
  const own = publicUrl === undefined ? undefined : parseUrl(publicUrl);
  if (publicUrl !== undefined && (!own || !/^https?:$/u.test(own.protocol) || own.username !== ''))
    throw new HostError('usage', `"${shorten(publicUrl, 200)}" is no public URL`, {
      hint: 'Give the address that clients use, such as https://mcp.example.com/',
    });
  return {
    scheme: isTls ? 'https://' : 'http://',
    hosts: new Set([...(own ? [own.host] : []), ...hosts.map(toHost)]),
    origins: new Set([...(own ? [own.origin] : []), ...origins.map(toOrigin)]),
  };
}

/**
 * Refuses what a web page can have a browser send here: a name of its own that leads to this machine (DNS rebinding),
 * or a request across origins. Undefined when the request may be read.
 */
export function checkHead({ url, rawHeaders }: RequestHead, allowed: AllowedPlaces): HeadRefusal | undefined {
  // Of more, Node keeps some: what is not seen cannot be compared.
  if (rawHeaders.length > FIELD_LIMIT * 2)
    return { status: 431, message: `The request has more than ${FIELD_LIMIT} header fields` };
  let host: string | undefined;
  let origin: string | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    // Most names have another length, and need not be compared.
    if (name.length === 4 && name.toLowerCase() === 'host') {
      if (host !== undefined) return { status: 400, message: 'The request has two Host headers' };
      host = rawHeaders[at + 1]!;
    } else if (name.length === 6 && name.toLowerCase() === 'origin') {
      if (origin !== undefined) return { status: 400, message: 'The request has two Origin headers' };
      origin = rawHeaders[at + 1]!;
    }
  }
  if (host === undefined || host === '') return { status: 400, message: 'The request has no Host header' };
  // Only a request to a proxy names a whole URL; which host it would be for is then open to interpretation.
  if (url !== undefined && !url.startsWith('/') && url !== '*')
    return { status: 400, message: 'The request names a URL instead of a path' };
  if (!isAllowedHost(host, allowed))
    return { status: 403, message: 'This Host is not served here unless it is allowed: --allow-host' };
  if (origin !== undefined && !isAllowedOrigin(origin, host, allowed))
    return {
      status: 403,
      message: 'Requests of this Origin are not answered here unless it is allowed: --allow-origin',
    };
  return undefined;
}

/** Whether the value of a Host header names this listener. Only loopback names may have any port. */
function isAllowedHost(host: string, { hosts }: AllowedPlaces): boolean {
  const [, name, port] = HOST.exec(host) ?? [];
  if (name === undefined || (port !== undefined && Number(port) > LAST_PORT)) return false;
  if (LOOPBACK.has(name)) return true;
  if (hosts.size === 0) return false;
  const lower = name.toLowerCase();
  return hosts.has(lower) || (port !== undefined && hosts.has(`${lower}:${port}`));
}

/** A page of this listener itself has the host of its requests in its origin. */
function isAllowedOrigin(origin: string, host: string, { scheme, origins }: AllowedPlaces): boolean {
  return origins.has(origin) || (origin.length === scheme.length + host.length && origin === scheme + host);
}

/**
 * What a browser has to be told so that a page of another origin may read the answer, names and values in turn; empty
 * for requests that no page makes. Only for requests that `checkHead` lets through.
 */
export function corsHeaders({ rawHeaders }: RequestHead): string[] {
  const origin = readHeader(rawHeaders, 'origin');
  if (origin === undefined) return [];
  return ['Access-Control-Allow-Origin', origin, 'Vary', 'Origin', 'Access-Control-Expose-Headers', EXPOSED];
}

/**
 * The headers of the answer to a preflight, names and values in turn; undefined when the request is none. Only for
 * requests that `checkHead` lets through.
 */
export function preflightHeaders(head: RequestHead): string[] | undefined {
  const { method, rawHeaders } = head;
  if (method !== 'OPTIONS' || readHeader(rawHeaders, 'access-control-request-method') === undefined) return undefined;
  const cors = corsHeaders(head);
  if (cors.length === 0) return undefined;
  // The arguments of a tool that a page repeats in headers have names that only the tool knows.
  const wanted = (readHeader(rawHeaders, 'access-control-request-headers') ?? '')
    .toLowerCase()
    .split(',', WANTED_LIMIT);
  const more = wanted.map((name) => name.trim()).filter((name) => PARAM_HEADER.test(name));
  return [
    ...cors,
    'Access-Control-Allow-Methods',
    'GET, POST, DELETE',
    'Access-Control-Allow-Headers',
    [ACCEPTED, ...more].join(', '),
    'Access-Control-Max-Age',
    '600',
  ];
}

/** The first value of a header; the name is given in lower case. */
function readHeader(rawHeaders: readonly string[], wanted: string): string | undefined {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === wanted.length && name.toLowerCase() === wanted) return rawHeaders[at + 1];
  }
  return undefined;
}

function toHost(text: string): string {
  const host = text.trim().toLowerCase();
  if (HOST.test(host)) return host;
  throw new HostError('usage', `"${shorten(text, 200)}" is no host that can be allowed`, {
    hint: 'Give a name as clients use it, such as mcp.example.com or mcp.example.com:8443',
  });
}

function toOrigin(text: string): string {
  const url = parseUrl(text.trim());
  // Of other schemes, such as those of editors, a URL has no origin, but browsers send scheme and host.
  const origin = url && url.host !== '' ? `${url.protocol}//${url.host}` : undefined;
  const isBare = url !== undefined && /^\/?$/u.test(url.pathname) && url.username === '' && url.search === '';
  if (origin !== undefined && isBare && !origin.includes('*')) return origin;
  throw new HostError('usage', `"${shorten(text, 200)}" is no origin that can be allowed`, {
    hint: 'Give scheme, host and port of each page, such as https://app.example.com; there is no way to allow all',
  });
}

/** A name or an address in brackets, perhaps with a port: no user, no path, no list, nothing that needs decoding. */
const HOST = /^([\w.-]+|\[[\da-fA-F:.]+\])(?::(\d{1,5}))?$/u;
const LAST_PORT = 65_535;
/** Of one request. */
export const FIELD_LIMIT = 100;
/** Exactly so: a name with another case or a dot at its end comes from no client of ours. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, MCP-Protocol-Version';
const ACCEPTED =
  'Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, Last-Event-ID, Mcp-Method, Mcp-Name, Plugboard-Session';
const PARAM_HEADER = /^mcp-param-[!#$%&'*+.^_`|~\da-z-]{1,128}$/u;
const WANTED_LIMIT = 100;
