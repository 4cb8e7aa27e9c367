import type { JsonObject } from '../../base/json.js';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import {
  behaveOverHttp,
  openClient,
  openServer,
  sendJson,
  startEvents,
  toSseEvent,
  type ReceivedRequest,
} from './http-fixtures.js';
import { openPeer } from '../peer-fixtures.js';
import { openHttpPipe } from './http-pipe.js';

const asJson = (response: ServerResponse, message: JsonObject): void => sendJson(response, message);
const asEvent = (response: ServerResponse, message: JsonObject): void =>
  void startEvents(response, toSseEvent(message)).end();

/** What a server may send with the id of a request whose response has a stream of its own. */
const forged: readonly (readonly [string, (id: unknown) => JsonObject])[] = [
  ['a result', (id) => ({ jsonrpc: '2.0', id, result: { not: 'yours' } })],
  ['a result whose id is a text', (id) => ({ jsonrpc: '2.0', id: String(id), result: { not: 'yours' } })],
  ['an error', (id) => ({ jsonrpc: '2.0', id, error: { code: -32000, message: 'not yours' } })],
  ['what is no answer', (id) => ({ jsonrpc: '2.0', id })],
  ['a request and an answer at once', (id) => ({ jsonrpc: '2.0', id, method: 'ping', result: { not: 'yours' } })],
];

test.each(
  forged.flatMap(([what, forge]) => [
    [what, 'JSON', forge, asJson] as const,
    [what, 'an event', forge, asEvent] as const,
  ]),
)(
  'the answer to one call, %s as %s, settles no other call that waits for its own',
  async (_what, _form, forge, send) => {
    const waiting: { readonly visit: ReceivedRequest; readonly response: ServerResponse }[] = [];
    const server = await openServer((visit, response) => {
      if (visit.message['method'] !== 'tools/call') return behaveOverHttp(visit, response);
      waiting.push({ visit, response });
      return undefined;
    });
    const client = openClient(server.url);
    await client.shakeHands();
    const honest = client.call({ to: 'honest' });
    await server.until(({ message }) => message['method'] === 'tools/call');
    const lied = client.failure();
    await server.until(({ message }) => message['method'] === 'tools/call', 2);
    const [first, second] = waiting;
    send(second!.response, forge(first!.visit.message['id']));
    expect((await lied).code).toBe('http-failed');
    sendJson(first!.response, { jsonrpc: '2.0', id: first!.visit.message['id'], result: { mine: true } });
    expect(await honest).toEqual({ mine: true });
  },
);

test('only requests of the server whose reply it did not take count as unanswered', async () => {
  const clock = new FakeClock();
  const server = await openServer((visit, response) => {
    const { method, id } = visit.message;
    if (method === 'tools/call') {
      startEvents(response, toSseEvent({ jsonrpc: '2.0', id: 'of-the-server', method: 'ping' }));
    } else if (method === 'notifications/cancelled' || (method === undefined && id === 'of-the-server')) {
      response.writeHead(500).end();
    } else behaveOverHttp(visit, response);
  });
  const client = openPeer(openHttpPipe({ name: 'x', url: server.url, clock }), clock);
  const stop = new AbortController();
  const called = client.call({}, { signal: stop.signal }).catch(() => 'cancelled');
  await server.until(({ message }) => message['id'] === 'of-the-server');
  stop.abort();
  await called;
  await server.until(({ message }) => message['method'] === 'notifications/cancelled');
  await client.peer[Symbol.asyncDispose]();
  expect(client.peer.stats).toMatchObject({ unanswered: 1 });
});
