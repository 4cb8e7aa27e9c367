import { HostError } from '../base/errors.js';
import { MASK } from '../base/secret.js';
import { VERSION } from '../base/version.js';

/** What an entry says in its headers, as the request for a WebSocket carries it. Throws `config-invalid`. */
export class WsHeaders {
  /** Names and values in turn. */
  readonly sent: readonly string[];
  readonly #secrets: readonly string[];

  constructor(name: string, headers: Readonly<Record<string, string>>) {
    const sent: string[] = [];
    for (const [header, value] of Object.entries(headers)) {
      if (isReserved(header.toLowerCase())) continue;
      if (!HEADER_NAME.test(header) || !HEADER_VALUE.test(value)) throw notHttp(name, header);
      sent.push(header, value);
    }
    const isNamed = Object.keys(headers).some((header) => header.toLowerCase() === 'user-agent');
    this.sent = isNamed ? sent : ['User-Agent', `plugboard/${VERSION}`, ...sent];
    // "Bearer abc" is a secret, and "abc" is one.
    this.#secrets = Object.values(headers).flatMap((value) => [value, value.replace(/^\S+ /u, '')]);
  }

  /** What a server says may repeat what we told it in confidence. */
  redact(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) if (secret.length >= SECRET_LENGTH) clean = clean.replaceAll(secret, MASK);
    return clean;
  }
}

/** The handshake's to say, or HTTP's own. */
function isReserved(header: string): boolean {
  return RESERVED.has(header) || header.startsWith('sec-websocket-');
}

const RESERVED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/u;
const SECRET_LENGTH = 8; // shorter ones are words like "true"

function notHttp(name: string, header: string): HostError {
  return new HostError('config-invalid', `Server "${name}": the header ${JSON.stringify(header)} is not valid HTTP`, {
    hint: 'Often a line break at the end of a token; check the file or the variable it comes from',
  });
}
