// Streamable HTTP, from the server's side: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
import { isObject, parseJson } from '../../base/json.js';
import { handlerOf } from './handler-of.js';
import { type HostRequest, healthyAnswer, toAsk } from '../healthy.js';
import { listenHttp, toHttpTurn } from './http-requests.js';
import type { HttpHandler, HttpHandlers, HttpTurn, IncomingRequest } from './http-turn.js';
import { openLoopback, type ServedMode, type ServeOptions, type LoopbackClient } from '../loopback.js';
import type { HttpMode } from '../mode.js';
import { answerModern, countModern } from '../modern/modern-http.js';
import { performMode } from '../perform.js';

/** The id of a healthy server's only session. */
export const SESSION = 'plugboard-attack-session';

const PATH = '/mcp';

/** Serves a mode on loopback, in this process. */
export function serveHttp(mode: HttpMode, options: ServeOptions = {}): Promise<ServedMode> {
  const handlers = mode.behave();
  return openLoopback(options, { scheme: 'http', path: PATH }, (visit) => {
    if (handlers.connection) void performMode(handlers.connection, visit.socket);
    else listenHttp(visit, (incoming) => answerRequest(incoming, { ...visit, handlers, era: mode.era }));
  });
}

interface Served extends LoopbackClient {
  readonly handlers: HttpHandlers;
  readonly era: HttpMode['era'];
}

async function answerRequest(incoming: IncomingRequest, served: Served): Promise<void> {
  const { handlers, ledger, era } = served;
  const { method } = incoming;
  if (handlers.elsewhere && incoming.path !== PATH) {
    return performMode(handlers.elsewhere, toHttpTurn(toAsk(method), incoming, served));
  }
  if (method !== 'POST') {
    ledger.add(method);
    const turn = toHttpTurn(toAsk(method), incoming, served);
    const handler = method === 'GET' ? handlers.get : method === 'DELETE' ? handlers.delete : undefined;
    const status = method === 'DELETE' && era !== 'modern' ? 200 : 405;
    return performMode(refuser(handlers, turn) ?? handler ?? (({ reply }) => reply({ status })), turn);
  }
  const message = parseJson(incoming.body);
  const ask = ledger.take(message);
  served.receivedMessages.tell(isObject(message) ? message : {});
  if (era === 'modern') countModern(incoming, message, ledger);
  else if (!OPENINGS.has(ask?.method) && incoming.headers['mcp-session-id'] !== SESSION) ledger.add('without session');
  const turn = toHttpTurn(ask ?? toAsk('note'), incoming, served);
  const first = refuser(handlers, turn) ?? handlers.post;
  if (first) return performMode(first, turn);
  if (ask !== undefined) return performMode(handlerOf(ask, handlers) ?? goodHandler(ask, served), turn);
  const kind = isObject(message) ? message['method'] : '';
  const handler = kind === undefined ? handlers.reply : INITIALIZED === kind ? handlers.initialized : undefined;
  return performMode(handler ?? (({ reply }) => reply({ status: 202 })), turn);
}

function refuser({ admit }: HttpHandlers, turn: HttpTurn): HttpHandler | undefined {
  const refusal = admit?.(turn);
  return refusal && (({ reply }) => reply(refusal));
}

const INITIALIZED = 'notifications/initialized';
/** The requests that a host sends before it has a session. */
const OPENINGS: ReadonlySet<string | undefined> = new Set(['initialize', 'server/discover']);

function goodHandler(ask: HostRequest, { handlers, ledger, era }: Served): HttpHandler {
  const counts = (): object => ledger.counts();
  if (era === 'modern') return (turn) => answerModern(turn, { counts, style: handlers.style ?? 'json' });
  return async ({ method, json, stream }) => {
    const text = healthyAnswer(ask, counts);
    const headers = method === 'initialize' ? { 'Mcp-Session-Id': SESSION } : {};
    if (handlers.style !== 'sse') return json(text, headers);
    const events = await stream(headers);
    await events.event(text);
    return events.end();
  };
}
