// The opening handshake of a client: https://www.rfc-editor.org/rfc/rfc6455#section-4.1
import { createHash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { HostError } from '../../base/errors.js';
import { onAbort } from '../../base/on-abort.js';
import type { Clock } from '../../model/clock.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { ConnectAttemptOptions } from './connect-attempt.js';
import { HttpHeaders } from './http-client.js';
import { explainTls } from './tls-error.js';

export interface HandshakeOptions extends ConnectAttemptOptions {
  /** Where the socket is connected to. */
  readonly url: URL;
  /** Names and values in turn, valid HTTP, without the handshake's own headers. */
  readonly headers: readonly string[];
  /** The only subprotocol to request. */
  readonly protocol: string;
  readonly clock: Clock;
}

export type Handshake =
  /** The socket is paused; frames come next. `protocol`: as requested, or undefined if the server chose none. */
  | { readonly kind: 'open'; readonly protocol: string | undefined }
  /** An HTTP response other than 101. `body` has at most the first 64 KB. */
  | { readonly kind: 'refused'; readonly status: number; readonly headers: HttpHeaders; readonly body: Buffer };

/**
 * Requests a WebSocket on a fresh connection. Rejects with a `HostError` when the response is no HTTP, is not the
 * requested WebSocket, or does not come. Destroys the socket then, and after a refusal.
 */
export function openWebSocket(socket: Socket, options: HandshakeOptions): Promise<Handshake> {
  return new Promise<Handshake>((resolve, reject) => {
    new Opening(socket, options, { resolve, reject }).start();
  });
}

interface Outcome {
  readonly resolve: (handshake: Handshake) => void;
  readonly reject: (error: HostError) => void;
}

class Opening {
  readonly #socket: Socket;
  readonly #options: HandshakeOptions;
  readonly #outcome: Outcome;
  readonly #key = randomBytes(16).toString('base64');
  #bytes: Buffer = EMPTY;
  /** Bytes of all heads: several 1xx responses may precede the final one. */
  #headBytes = 0;
  /** The response, once its head has come and it is no WebSocket. */
  #response: Response | undefined;
  #timer: Disposable | undefined;
  #listening: Disposable | undefined;

  constructor(socket: Socket, options: HandshakeOptions, outcome: Outcome) {
    this.#socket = socket;
    this.#options = options;
    this.#outcome = outcome;
  }

  start(): void {
    const { clock, timeoutMs, signal } = this.#options;
    const socket = this.#socket;
    if (signal?.aborted === true) return this.#abort();
    if (socket.destroyed || socket.readableEnded) return this.#end();
    this.#timer = clock.after(timeoutMs, () => this.#onTimeout());
    this.#listening = onAbort(signal, this.#abort);
    socket.on('data', this.#data).on('end', this.#end).on('error', this.#end).on('close', this.#end);
    socket.write(this.#request(), 'latin1');
  }

  #request(): string {
    const { url, headers, protocol } = this.#options;
    const lines = [
      `GET ${url.pathname}${url.search} HTTP/1.1`,
      `Host: ${url.host}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Key: ${this.#key}`,
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Protocol: ${protocol}`,
    ];
    for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]!}: ${headers[index + 1]!}`);
    return `${lines.join('\r\n')}\r\n\r\n`;
  }

  readonly #data = (bytes: Buffer): void => {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    if (!this.#response) this.#readHead();
    if (this.#response && isComplete(this.#response, this.#bytes)) this.#refuse(this.#response);
  };

  #readHead(): void {
    for (;;) {
      const end = this.#bytes.indexOf(HEAD_END);
      // Fails as soon as the bytes cannot be HTTP any more.
      if (!isHttp(this.#bytes))
        return this.#fail('does not speak HTTP', 'Check the port of its URL, and whether it needs ws or wss');
      if (this.#headBytes + (end === -1 ? this.#bytes.length : end) > HEAD_LIMIT)
        return this.#fail(`sent more than ${HEAD_LIMIT} bytes of response headers`);
      if (end === -1) return;
      const response = parseHead(this.#bytes.toString('latin1', 0, end));
      if (!response)
        return this.#fail('does not speak HTTP', 'Check the port of its URL, and whether it needs ws or wss');
      this.#headBytes += end + HEAD_END.length;
      this.#bytes = this.#bytes.subarray(end + HEAD_END.length);
      if (response.status === 101) return this.#open(response.headers);
      // Below 200 ("early hints" and the like) the final response is still to come.
      if (response.status >= 200) return this.#awaitBody(response);
    }
  }

  #open(headers: HttpHeaders): void {
    const { protocol } = this.#options;
    const accept = createHash('sha1').update(`${this.#key}${GUID}`).digest('base64');
    const chosen = headers.get('sec-websocket-protocol') || undefined; // an empty header counts as missing
    const extensions = headers.get('sec-websocket-extensions');
    const isUpgrade =
      headers.get('upgrade')?.toLowerCase() === 'websocket' &&
      /(?:^|,)\s*upgrade\s*(?:,|$)/iu.test(headers.get('connection') ?? '');
    if (!isUpgrade) return this.#fail('switched the protocol (HTTP 101), but not to a WebSocket');
    if (headers.get('sec-websocket-accept') !== accept)
      return this.#fail('did not accept our WebSocket request: its Sec-WebSocket-Accept does not match our key');
    if (extensions) return this.#fail(`uses extensions that Plugboard did not offer: ${shown(extensions)}`);
    if (chosen !== undefined && chosen !== protocol)
      return this.#fail(
        `chose the WebSocket subprotocol ${shown(chosen)} instead of "${protocol}"`,
        'Is there an MCP server at its URL? Check the path',
      );
    const rest = this.#bytes;
    this.#leave();
    this.#socket.pause();
    if (rest.length > 0) this.#socket.unshift(rest);
    return this.#outcome.resolve({ kind: 'open', protocol: chosen });
  }

  /** Waits up to 2 s for the body: a refusal is reported even when it is incomplete. */
  #awaitBody(response: Response): void {
    this.#response = response;
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#options.clock.after(BODY_MS, () => this.#refuse(response));
  }

  #refuse({ status, headers, isChunked }: Response): void {
    const body = isChunked ? joinChunks(this.#bytes) : this.#bytes;
    this.#leave();
    this.#socket.destroy();
    this.#outcome.resolve({ kind: 'refused', status, headers, body: body.subarray(0, BODY_LIMIT) });
  }

  readonly #end = (error?: unknown): void => {
    if (this.#response) return this.#refuse(this.#response);
    if (error instanceof HostError) return this.#reject(error);
    const { url } = this.#options;
    // Since TLS 1.3 a server rejects our certificate only after the handshake.
    const explained = error instanceof Error && explainTls(error, { at: '', host: url.hostname });
    if (explained) return this.#fail(explained.what, explained.hint);
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    const when = this.#bytes.length === 0 ? 'before it answered' : 'in the middle of its answer to';
    return this.#fail(`closed the connection ${when} the request for a WebSocket${code}`);
  };

  #onTimeout(): void {
    const { label, timeoutMs } = this.#options;
    this.#reject(
      new HostError('connect-timeout', `${label} did not answer the request for a WebSocket within ${timeoutMs} ms`, {
        hint: 'Check its URL, and whether a WebSocket server listens there',
      }),
    );
  }

  readonly #abort = (): void => {
    this.#reject(new HostError('cancelled', `Opening the WebSocket of ${this.#options.label} was cancelled`));
  };

  #fail(what: string, hint?: string): void {
    const { label, url } = this.#options;
    this.#reject(new HostError('connect-failed', `${label} ${what} (${url.origin})`, { hint }));
  }

  #reject(error: HostError): void {
    this.#leave();
    this.#socket.destroy();
    this.#outcome.reject(error);
  }

  #leave(): void {
    this.#timer?.[Symbol.dispose]();
    this.#listening?.[Symbol.dispose]();
    const socket = this.#socket;
    // An error on a socket without a listener would end the process.
    socket.off('data', this.#data).off('end', this.#end).off('close', this.#end).off('error', this.#end);
    socket.on('error', () => {});
  }
}

interface Response {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly isChunked: boolean;
  /** Infinity when only the end of the connection ends the body. */
  readonly length: number;
}

function parseHead(head: string): Response | undefined {
  const [first = '', ...lines] = head.split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/u.exec(first)?.[1];
  if (status === undefined) return undefined;
  const raw: Buffer[] = [];
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*(.*)$/su.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    raw.push(Buffer.from(name, 'latin1'), Buffer.from(value.trimEnd(), 'latin1'));
  }
  const headers = new HttpHeaders(raw);
  const length = headers.get('content-length') ?? '';
  return {
    status: Number(status),
    headers,
    isChunked: /chunked\s*$/iu.test(headers.get('transfer-encoding') ?? ''),
    length: /^\d{1,15}$/u.test(length) ? Number(length) : Infinity,
  };
}

function isHttp(bytes: Buffer): boolean {
  return VERSION_START.startsWith(bytes.toString('latin1', 0, VERSION_START.length));
}

function isComplete({ isChunked, length }: Response, body: Buffer): boolean {
  if (body.length >= BODY_LIMIT) return true;
  return isChunked ? body.subarray(-5).equals(LAST_CHUNK) : body.length >= length;
}

/** Joins the complete and valid chunks; the rest is not worth an error of its own. */
function joinChunks(body: Buffer): Buffer {
  const chunks = [];
  for (let at = 0; at < body.length;) {
    const end = body.indexOf('\r\n', at);
    const size = end === -1 ? undefined : /^[0-9a-f]{1,6}/iu.exec(body.toString('latin1', at, end))?.[0];
    if (size === undefined || Number.parseInt(size, 16) === 0) break;
    const from = end + 2;
    chunks.push(body.subarray(from, from + Number.parseInt(size, 16)));
    at = from + Number.parseInt(size, 16) + 2;
  }
  return Buffer.concat(chunks);
}

function shown(text: string): string {
  return `"${gateLine(text, { limit: 100 }).text}"`;
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'; // from the RFC
const VERSION_START = 'HTTP/1.';
const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const EMPTY = Buffer.alloc(0);
const HEAD_LIMIT = 16_384;
const BODY_LIMIT = 65_536; // bytes; an error body that needs more is a web page
const BODY_MS = 2_000;
