// Streamable HTTP, from the server's side: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { isObject } from '../../src/base/json.js';
import { listen, readJson, type Serving } from './journal-listen.js';
import type { Journal } from './journal.js';

/** `events`: the response is the only event of a stream. `resumable`: it follows others, and all events have ids. */
export type AnswerStyle = 'json' | 'events' | 'resumable';

/** Sends every response in one write and with one length, so that a byte's place in it is always the same. */
export async function serveJournal(journal: Journal, style: AnswerStyle): Promise<Serving> {
  const streams: string[][] = [];
  const resumed: string[] = [];
  const refusals = new EventEmitter();
  const listened = journal.era === 'legacy' ? once(refusals, 'refused').then(() => undefined) : Promise.resolve();
  const answer = (message: unknown, response: ServerResponse): void => {
    const reply = journal.answer(message);
    const isCall = isObject(message) && message['method'] === 'tools/call';
    if (!reply) response.writeHead(202).end();
    else if (style === 'json' || !isCall) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(write(reply));
    } else if (style === 'events') sendEvents(response, [`event: message\ndata: ${write(reply)}\n\n`]);
    else {
      streams.push(toStream(streams.length, reply));
      sendEvents(response, streams.at(-1)!);
    }
  };
  const serving = await listen(async (request, response) => {
    const place = request.headers['last-event-id'];
    if (request.method === 'DELETE') response.writeHead(200).end();
    else if (request.method === 'GET' && typeof place === 'string') {
      resumed.push(place);
      const [stream, event] = place.split('-').map(Number);
      sendEvents(response, streams[stream ?? 0]?.slice((event ?? 0) + 1) ?? []);
    } else if (request.method === 'GET') response.writeHead(405).end(() => refusals.emit('refused'));
    else answer(await readJson(request), response);
  });
  return { ...serving, resumed, listened };
}

/** An event to resume after, a notification and the response. */
function toStream(number: number, reply: object): string[] {
  const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'écrit' } };
  return [
    `id: ${number}-0\nretry: 100\ndata:\n\n`,
    `id: ${number}-1\ndata: ${JSON.stringify(note)}\n\n`,
    `id: ${number}-2\ndata: ${write(reply)}\n\n`,
  ];
}

/** Pads to one length, because JSON-RPC ids differ in length. */
function write(reply: object): string {
  return JSON.stringify(reply).padEnd(100);
}

function sendEvents(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(events.join(''));
  response.end();
}
