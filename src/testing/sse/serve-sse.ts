// HTTP+SSE, from the server's side: https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
import { isObject, parseJson } from '../../base/json.js';
import { type EventStream, eventStream } from '../http/event-stream.js';
import { handlerOf } from '../http/handler-of.js';
import { healthyAnswer, toAsk } from '../healthy.js';
import { listenHttp, toHttpTurn } from '../http/http-requests.js';
import type { HttpTurn, IncomingRequest } from '../http/http-turn.js';
import { openLoopback, type ServedMode, type ServeOptions, type LoopbackClient } from '../loopback.js';
import type { SseMode } from '../mode.js';
import { performMode } from '../perform.js';
import { toHead } from '../http/response-head.js';
import type { SseHandler, SseHandlers, StreamTurn } from './sse-turn.js';

const PLACE = '/messages?stream=';

/** Serves a mode on loopback, in this process. */
export function serveSse(mode: SseMode, options: ServeOptions = {}): Promise<ServedMode> {
  const handlers = mode.behave();
  const streams: StreamTurn[] = [];
  return openLoopback(options, { scheme: 'http', path: '/sse' }, (visit) => {
    if (handlers.connection) void performMode(handlers.connection, visit.socket);
    else listenHttp(visit, (incoming) => answerRequest(incoming, { ...visit, handlers, streams }));
  });
}

interface Served extends LoopbackClient {
  readonly handlers: SseHandlers;
  readonly streams: StreamTurn[];
}

async function answerRequest(incoming: IncomingRequest, served: Served): Promise<void> {
  const { ledger } = served;
  const { method, path } = incoming;
  if (method === 'POST' && path.startsWith(PLACE)) return takeMessage(incoming, served);
  ledger.add(method);
  if (incoming.headers['last-event-id'] !== undefined) ledger.add('with event id');
  const turn = toHttpTurn(toAsk(method), incoming, served);
  if (method === 'GET') return openStream(turn, served);
  return performMode(({ reply }: HttpTurn) => reply({ status: 404 }), turn);
}

async function openStream(get: HttpTurn, { handlers, streams }: Served): Promise<void> {
  if (handlers.get) return performMode(handlers.get, get);
  const events = handlers.isPacked === true ? await packedStream(get) : await get.stream();
  const endpoint = `${PLACE}${streams.length}`;
  const name: StreamTurn['name'] = (place = endpoint) => events.event(place, { event: 'endpoint' });
  const turn: StreamTurn = { events, get, endpoint, name };
  streams.push(turn);
  return performMode(handlers.open ?? (() => name()), turn);
}

async function packedStream({ raw }: HttpTurn): Promise<EventStream> {
  const { gzipSync } = await import('node:zlib');
  const head = { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked', 'Content-Encoding': 'gzip' };
  await raw(toHead(200, head));
  // Each piece is compressed separately, so that the host can read it as soon as it arrives.
  return eventStream(raw, (bytes) => gzipSync(bytes));
}

async function takeMessage(incoming: IncomingRequest, served: Served): Promise<void> {
  const { handlers, ledger, receivedMessages, streams } = served;
  const message = parseJson(incoming.body);
  const ask = ledger.take(message);
  receivedMessages.tell(isObject(message) ? message : {});
  const post = toHttpTurn(ask ?? toAsk('note'), incoming, served);
  const stream = streams[Number(incoming.path.slice(PLACE.length))];
  if (!stream) return performMode(({ reply }) => reply({ status: 404 }), post);
  const isAttack = ask?.method === 'tools/call' && ask.params['name'] === 'attack';
  const isReply = isObject(message) && message['method'] === undefined;
  const handler = isAttack ? handlers.post : isReply ? handlers.reply : undefined;
  await performMode(handler ?? (({ reply }) => reply({ status: 202 })), post);
  if (ask === undefined) return undefined;
  const good: SseHandler = ({ events }) => events.event(healthyAnswer(ask, () => ledger.counts()));
  // Not awaited, so that the next message on this connection is handled while a flood goes on.
  const { hear, count } = post;
  const { gone } = stream.get;
  const turn = { ...ask, ...stream, say: stream.events.say, post, hear, count, gone };
  void performMode(handlerOf(ask, handlers) ?? good, turn);
  return undefined;
}
