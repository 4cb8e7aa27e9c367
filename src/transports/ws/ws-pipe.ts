// WebSocket is in no revision of MCP. Servers agree on the subprotocol `mcp` and one JSON-RPC message per text message.
import type { Socket } from 'node:net';
import { parseUrl } from '../../base/parse-url.js';
import { HostError } from '../../base/errors.js';
import { within } from '../../base/within.js';
import { dial } from '../../edge/network/dial.js';
import type { Route } from '../../edge/network/route.js';
import { openWebSocket } from '../../edge/network/ws-handshake.js';
import type { Clock } from '../../model/clock.js';
import { FRAMING_HEADERS } from '../../model/connection-headers.js';
import type { RequestCredentials } from '../../model/credentials.js';
import { gateLine } from '../../model/text/text-gate.js';
import { decode } from '../../wire/json/decode.js';
import { encode, encodeRequest } from '../../wire/json/encode.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, RequestId } from '../../wire/message.js';
import type { AbandonReason, CloseReason, Pipe, Receiver } from '../../wire/pipe.js';
import { type CloseFrame, NORMAL } from '../../wire/ws/ws-frames.js';
import { WsReader } from '../../wire/ws/ws-reader.js';
import { EntryHeaders } from '../entry-headers.js';
import { Liveness } from '../liveness.js';
import { WsOutbox } from './ws-outbox.js';
import { refusalError } from './ws-refusal.js';

export interface WsPipeOptions {
  readonly name: string;
  readonly url: string;
  /** With secrets revealed. Sent to the origin of the URL only. */
  readonly headers: Readonly<Record<string, string>>;
  /** Credentials, in place of the entry's headers of the same names. */
  readonly identity?: RequestCredentials | undefined;
  readonly clock: Clock;
  readonly route: Route;
  /** Milliseconds until the WebSocket must be open. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Opens a WebSocket with the subprotocol `mcp`. Rejects with a HostError that names the server and the cause. */
export async function openWsPipe(options: WsPipeOptions): Promise<Pipe> {
  const { name, clock, route, timeoutMs = TIMEOUT, signal } = options;
  const label = `Server "${name}"`;
  const url = toUrl(options);
  const headers = new EntryHeaders({ name, headers: withIdentity(options), isReserved });
  const began = clock.monotonic();
  const socket = await dial(url, { route, label, timeoutMs: Math.min(timeoutMs, CONNECT_TIMEOUT), signal });
  const handshake = await openWebSocket(socket, {
    url,
    headers: headers.sent,
    protocol: 'mcp',
    label,
    clock,
    timeoutMs: Math.max(Math.ceil(timeoutMs - (clock.monotonic() - began)), 1),
    signal,
  });
  const redact = (text: string): string => headers.redact(text);
  if (handshake.kind === 'refused') throw refusalError({ ...handshake, label, redact });
  return new WsPipe(socket, { name, clock, redact, hasProtocol: handshake.protocol !== undefined });
}

/** Compares names in any case: servers do not accept a header twice. */
function withIdentity({ headers, identity }: WsPipeOptions): Readonly<Record<string, string>> {
  if (!identity) return headers;
  const said = Object.entries(identity.headers).map(([name, value]) => [name.toLowerCase(), value.reveal()] as const);
  const names = new Set(said.map(([name]) => name));
  return Object.fromEntries([...Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())), ...said]);
}

const TIMEOUT = 30_000;
const CONNECT_TIMEOUT = 10_000; // ms; a TCP or TLS handshake that takes longer has lost packets

/** Headers that the WebSocket handshake or HTTP itself sets. */
function isReserved(header: string): boolean {
  return RESERVED.has(header) || header.startsWith('sec-websocket-');
}

const RESERVED: ReadonlySet<string> = new Set([...FRAMING_HEADERS, 'host', 'trailer']);

function toUrl({ name, url: text }: WsPipeOptions): URL {
  const url = parseUrl(text);
  if (url?.protocol === 'ws:' || url?.protocol === 'wss:') return url;
  throw new HostError('config-invalid', `Server "${name}" has a URL that is not a WebSocket URL`, {
    hint: 'Write wss:// or ws:// and a host',
  });
}

interface WsContext {
  readonly name: string;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  /** Whether the server confirmed the subprotocol. */
  readonly hasProtocol: boolean;
}

class WsPipe implements Pipe {
  readonly losesSessions = false;
  readonly hasHeaders = false;
  readonly closed: Promise<CloseReason>;
  readonly #socket: Socket;
  readonly #context: WsContext;
  readonly #outbox: WsOutbox;
  readonly #gone: Promise<void>;
  #receiver: Receiver | undefined;
  #reader: WsReader | undefined;
  #liveness: Liveness | undefined;
  #end: CloseReason | undefined;
  #errorCode: string | undefined;
  #resolveClosed: (reason: CloseReason) => void = () => {};
  #leaving: Promise<void> | undefined;

  constructor(socket: Socket, context: WsContext) {
    this.#socket = socket;
    this.#context = context;
    this.#outbox = new WsOutbox(socket, context.name);
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    this.#gone = new Promise((resolve) => {
      if (socket.closed) resolve();
      else socket.once('close', () => resolve());
    });
    socket.on('error', (error: NodeJS.ErrnoException) => (this.#errorCode = error.code));
    socket.once('end', () => void this.#outlive());
    void this.#gone.then(() => this.#outlive());
  }

  get backlog(): number {
    return this.#outbox.backlog;
  }

  open(receiver: Receiver): void {
    const socket = this.#socket;
    const { clock, hasProtocol } = this.#context;
    this.#receiver = receiver;
    if (this.#end) return;
    if (!hasProtocol) {
      const text = 'the server did not confirm the WebSocket subprotocol "mcp"';
      queueMicrotask(() => receiver.warning({ kind: 'oddity', text }));
    }
    const reader = new WsReader({
      clock,
      receiver,
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
      ping: (payload) => this.#outbox.pong(payload),
      closing: (closeFrame) => this.#onCloseFrame(closeFrame),
      giveUp: ({ reason, code }) => this.#lose(`was cut off: ${reason}`, { code, hint: FAULT }),
    });
    const liveness = new Liveness({
      clock,
      silenceMs: SILENCE_MS,
      responseTimeoutMs: PONG_MS,
      isHeld: () => reader.isBusy,
      ask: () => this.#outbox.ping(),
      dead: (waitedMs) => this.#lose(`did not answer a ping within ${waitedMs / 1000} s`, { hint: LOG }),
    });
    this.#reader = reader;
    this.#liveness = liveness;
    socket.on('data', (bytes: Buffer) => {
      liveness.messageReceived();
      reader.push(bytes);
    });
    socket.resume();
  }

  request(request: JsonRpcRequest): void {
    try {
      this.#outbox.send(encodeRequest(request));
    } catch (error) {
      this.#receiver?.failed(request.id, error as HostError);
    }
  }

  async notify(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    this.#outbox.send(encode(message));
  }

  abandon(_id: RequestId, why: AbandonReason): boolean {
    this.#liveness?.onUnanswered(why);
    return false;
  }

  adopt(): void {}

  listen(): void {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.#finish({ kind: 'disposed' });
    await this.#leave(NORMAL);
  }

  #onCloseFrame({ code, reason }: CloseFrame): void {
    const { redact } = this.#context;
    const said = redact(gateLine(decode(reason).text, { limit: REASON_LIMIT }).text.trim());
    const why = `${code === undefined ? 'without a code' : `with code ${code}`}${said === '' ? '' : `: ${said}`}`;
    const echo = code !== undefined && isSendable(code) ? code : NORMAL;
    this.#lose(`closed the WebSocket ${why}`, { code: echo, hint: LOG });
  }

  /** The connection ended without a close frame; responses received before count. */
  async #outlive(): Promise<void> {
    if (this.#end) return;
    if (this.#reader) await this.#waitAtMost(this.#reader.idle(), TAKE_IN_MS);
    const code = this.#errorCode === undefined ? '' : ` (${this.#errorCode})`;
    this.#lose(`closed the connection without closing the WebSocket${code}`, { hint: LOG });
  }

  /** `code`: the close code sent to the server; undefined: no close frame is sent. */
  #lose(what: string, { code, hint }: { readonly code?: number; readonly hint: string }): void {
    const { name } = this.#context;
    const error = new HostError('connection-closed', `Server "${name}" ${what}`, { hint });
    this.#finish({ kind: 'lost', error });
    void this.#leave(code);
  }

  #finish(reason: CloseReason): void {
    this.#end ??= reason;
    this.#reader?.close();
    this.#liveness?.stop();
    this.#resolveClosed(this.#end);
  }

  /** Sends a close frame, if there is a code, and waits at most `CLOSE_MS` for the server's end. */
  #leave(code: number | undefined): Promise<void> {
    return (this.#leaving ??= this.#closeSocket(code));
  }

  async #closeSocket(code: number | undefined): Promise<void> {
    const socket = this.#socket;
    if (code !== undefined && !socket.destroyed) {
      this.#outbox.end(code);
      socket.resume();
      await this.#waitAtMost(this.#gone, CLOSE_MS);
    }
    socket.destroy();
    await this.#gone;
  }

  #waitAtMost(work: Promise<void>, ms: number): Promise<void> {
    return within(work, { deadline: (expire) => this.#context.clock.after(ms, expire), instead: () => {} });
  }
}

/** False for codes that only report and must not be sent: https://www.rfc-editor.org/rfc/rfc6455#section-7.4 */
function isSendable(code: number): boolean {
  return (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);
}

const FAULT = 'Report this to the makers of the server, or check any proxy in front of it';
const LOG = 'Look at the log of the server, and of any proxy in front of it';
const REASON_LIMIT = 200;
const SILENCE_MS = 30_000; // proxies drop a connection that is idle for a minute
const PONG_MS = 120_000; // a server that handles one request at a time may be busy that long
const CLOSE_MS = 1_000;
const TAKE_IN_MS = 5_000;
