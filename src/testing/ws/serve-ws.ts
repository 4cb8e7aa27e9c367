// WebSocket from the server's side, by hand: https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2
import { createHash } from 'node:crypto';
import { isObject, parseJson } from '../../base/json.js';
import { handlerOf } from '../http/handler-of.js';
import { type HostRequest, healthyAnswer, toAsk } from '../healthy.js';
import { toHttpTurn } from '../http/http-requests.js';
import type { Headers, IncomingRequest } from '../http/http-turn.js';
import { openLoopback, type ServedMode, type ServeOptions, type LoopbackClient } from '../loopback.js';
import type { WsMode } from '../mode.js';
import { performMode } from '../perform.js';
import { RequestReader } from '../http/request-reader.js';
import { toHead } from '../http/response-head.js';
import { ClientFrames } from './client-frames.js';
import { closePayload, OPCODE, toFrame } from './frame.js';
import type { WsHandler, WsHandlers, WsTurn } from './ws-turn.js';

/** Serves a mode on loopback, in this process. */
export function serveWs(mode: WsMode, options: ServeOptions = {}): Promise<ServedMode> {
  const handlers = mode.behave();
  return openLoopback(options, { scheme: 'ws', path: '/mcp' }, (visit) => {
    if (handlers.connection) return void performMode(handlers.connection, visit.socket);
    return listen(visit, handlers);
  });
}

/** Reads HTTP until the WebSocket is open, then frames. */
function listen(visit: LoopbackClient, handlers: WsHandlers): void {
  const { socket, log, ledger } = visit;
  let take: (chunk: Buffer) => void;
  const reader = new RequestReader((incoming) => {
    log(incoming);
    ledger.add(incoming.method);
    if (handlers.upgrade) {
      const turn = toHttpTurn(toAsk(incoming.method), incoming, visit);
      return void performMode(handlers.upgrade, { ...turn, head: toUpgrade(incoming) });
    }
    const frames = new WsVisit(incoming, visit, handlers);
    take = (chunk) => frames.push(chunk);
    return void frames.open(incoming);
  });
  take = (chunk) => reader.push(chunk);
  socket.on('data', (chunk: Buffer) => take(chunk));
}

/** The headers of a healthy server's 101. */
function toUpgrade({ headers }: IncomingRequest): Headers {
  const key = `${headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const isMcp = headers['sec-websocket-protocol']?.split(',').some((protocol) => protocol.trim() === 'mcp') === true;
  return {
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Accept': createHash('sha1').update(key).digest('base64'),
    ...(isMcp && { 'Sec-WebSocket-Protocol': 'mcp' }),
  };
}

class WsVisit {
  readonly #visit: LoopbackClient;
  readonly #handlers: WsHandlers;
  readonly #shared: Omit<WsTurn, keyof HostRequest>;
  readonly #frames: ClientFrames;

  constructor(incoming: IncomingRequest, visit: LoopbackClient, handlers: WsHandlers) {
    const { socket, ledger } = visit;
    const { raw, hangUp, reset, hear, count, gone } = toHttpTurn(toAsk('open'), incoming, visit);
    this.#visit = visit;
    this.#handlers = handlers;
    this.#shared = {
      raw,
      frame: (payload, options) => raw(toFrame(payload, options)),
      say: (...messages) => raw(Buffer.concat(messages.map((message) => toFrame(message)))),
      close: (code, reason) => raw(toFrame(closePayload(code, reason), { opcode: OPCODE.close })),
      hangUp,
      reset,
      deafen: () => void socket.pause(),
      hear,
      count,
      gone,
    };
    this.#frames = new ClientFrames({
      message: (text) => this.#take(text),
      control: (opcode, payload) => this.#control(opcode, payload),
      fault: (what) => ledger.add(what),
    });
  }

  push(chunk: Buffer): void {
    this.#frames.push(chunk);
  }

  async open(incoming: IncomingRequest): Promise<void> {
    await this.#shared.raw(toHead(101, toUpgrade(incoming), 'Switching Protocols'));
    if (this.#handlers.open) await this.#run(this.#handlers.open, toAsk('open'));
  }

  #take(text: string): void {
    const { ledger, receivedMessages } = this.#visit;
    const message = parseJson(text);
    const ask = ledger.take(message);
    receivedMessages.tell(isObject(message) ? message : {});
    if (ask === undefined) return;
    const good: WsHandler = ({ say }) => say(healthyAnswer(ask, () => ledger.counts()));
    void this.#run(handlerOf(ask, this.#handlers) ?? good, ask);
  }

  #control(opcode: number, payload: Buffer): void {
    const { ledger, socket } = this.#visit;
    const { frame, hangUp } = this.#shared;
    ledger.add(CONTROLS.get(opcode) ?? `frame ${opcode}`);
    if (this.#handlers.control && opcode !== OPCODE.pong) {
      return void performMode(this.#handlers.control, { ...toAsk('control'), ...this.#shared, opcode, payload });
    }
    if (opcode === OPCODE.ping) void frame(payload, { opcode: OPCODE.pong });
    if (opcode !== OPCODE.close || socket.writableEnded) return undefined;
    return void frame(payload, { opcode: OPCODE.close }).then(hangUp);
  }

  #run(handler: WsHandler, ask: HostRequest): Promise<void> {
    return performMode(handler, { ...ask, ...this.#shared });
  }
}

/** The names of control frames in the counts; prefixed, because `ping` is also a method of MCP. */
const CONTROLS: ReadonlyMap<number, string> = new Map([
  [OPCODE.ping, 'frame ping'],
  [OPCODE.pong, 'frame pong'],
  [OPCODE.close, 'frame close'],
]);
