// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
import { parseUrl } from '../../base/parse-url.js';
import { HostError } from '../../base/errors.js';
import { ACCEPTED_CODINGS } from '../../edge/network/inflate.js';
import { FRAMING_HEADERS } from '../../model/connection-headers.js';
import { secretWords, withoutWords } from '../../model/redaction/secret-words.js';
import type { RequestCredentials } from '../../model/credentials.js';
import { EntryHeaders, isHeader } from '../entry-headers.js';

export interface HttpSessionOptions {
  readonly name: string;
  readonly url: string;
  /** The entry's headers, secrets revealed. They go with every request, and only to the origin of the URL. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers of all requests to one server, built when they change, not each time they are sent. */
export class HttpSession {
  readonly origin: string;
  readonly path: string;
  readonly #entry: EntryHeaders;
  /** The headers of the credentials, which override those of the entry. */
  #identity: readonly string[] = [];
  #prove: RequestCredentials['prove'];
  /** Also those of replaced credentials: a late response may repeat one. */
  #secrets: readonly string[] = [];
  #sent: readonly string[] = [];
  #id: string | undefined;
  #version: string | undefined;
  #post: string[] = [];
  #stateless: string[] = [];

  constructor({ name, url, headers }: HttpSessionOptions) {
    const { origin, pathname, search } = toUrl(name, url);
    this.origin = origin;
    this.path = pathname + search;
    this.#entry = new EntryHeaders({ name, headers, isReserved });
    this.#sent = this.#entry.sent;
    this.#build();
  }

  get id(): string | undefined {
    return this.#id;
  }

  /** The headers of a POST: the same array until something changes. */
  get postHeaders(): string[] {
    return this.#post;
  }

  /** The headers of a POST to a server without sessions (modern era); otherwise like `postHeaders`. */
  get statelessHeaders(): string[] {
    return this.#stateless;
  }

  /** Adds the proof of possession (DPoP) for this one request, if the credentials have one. */
  proven(method: string, path: string, headers: string[]): string[] {
    if (!this.#prove) return headers;
    return [...headers, ...this.#prove({ method, url: this.origin + path.replace(/[?#].*$/su, '') })];
  }

  /** The headers of the GET that opens or resumes a stream. */
  streamHeaders(lastEventId: string): string[] {
    const place = lastEventId === '' ? [] : ['last-event-id', lastEventId];
    return this.proven('GET', this.path, ['accept', 'text/event-stream', ...place, ...this.#sent, ...this.#own()]);
  }

  deleteHeaders(): string[] {
    return this.proven('DELETE', this.path, [...this.#sent, ...this.#own()]);
  }

  /** Forgets session id and version at the start of a handshake. */
  reset(): void {
    this.#id = this.#version = undefined;
    this.#build();
  }

  /** Takes the session id of the response to initialize. Returns false if it is not a valid id. */
  accept(id: string | undefined): boolean {
    if (id !== undefined && !SESSION_ID.test(id)) return false;
    this.#id = id;
    this.#build();
    return true;
  }

  adopt(version: string): void {
    this.#version = version;
    this.#build();
  }

  /** Sets the credentials of later requests. Returns false, and changes nothing, if they are invalid as headers. */
  setCredentials({ headers, prove }: RequestCredentials): boolean {
    const identity = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.reveal()] as const);
    if (!identity.every(([name, value]) => isHeader(name, value) && !isReserved(name))) return false;
    this.#identity = identity.flat();
    this.#prove = prove;
    this.#secrets = [...this.#secrets, ...secretWords(identity.map(([, value]) => value))].slice(-SECRETS_KEPT);
    const names = new Set(identity.map(([name]) => name));
    this.#sent = this.#entry.without(names);
    this.#build();
    return true;
  }

  /** Removes our secrets from a server's text, which may repeat the headers it was sent. */
  redact(text: string): string {
    return withoutWords(this.#entry.redact(text), this.#secrets);
  }

  #build(): void {
    const version = this.#version === undefined ? [] : ['mcp-protocol-version', this.#version];
    this.#post = [...POST_HEADERS, ...this.#sent, ...this.#own()];
    this.#stateless = [...POST_HEADERS, ...this.#sent, ...this.#identity, ...version];
  }

  #own(): string[] {
    const own = [...this.#identity];
    if (this.#id !== undefined) own.push('mcp-session-id', this.#id);
    if (this.#version !== undefined) own.push('mcp-protocol-version', this.#version);
    return own;
  }
}

const POST_HEADERS = [
  'accept',
  'application/json, text/event-stream',
  'content-type',
  'application/json',
  'accept-encoding',
  ACCEPTED_CODINGS,
];
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/u;
const SECRETS_KEPT = 32;

/** Headers that the protocol or HTTP itself sets. */
const RESERVED: ReadonlySet<string> = new Set([
  ...FRAMING_HEADERS,
  'accept',
  'accept-encoding',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
]);

function isReserved(header: string): boolean {
  return RESERVED.has(header) || header.startsWith('mcp-param-');
}

function toUrl(name: string, text: string): URL {
  const url = parseUrl(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new HostError('config-invalid', `Server "${name}" has an invalid URL`, {
    hint: 'Write https:// and a host',
  });
}
