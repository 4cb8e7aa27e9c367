import type { JsonObject } from '../../base/json.js';
import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../../test/fake-clock.js';
import { systemClock } from '../../edge/clock.js';
import {
  behaveOverHttp,
  rejectionCodeOf,
  openClient,
  openServer,
  httpResult,
  sendJson,
  startEvents,
  toSseEvent,
} from './http-fixtures.js';
import { HeldClock } from '../../../test/held-clock.js';
import { openHttpPipe } from './http-pipe.js';
import { openPeer } from '../peer-fixtures.js';

test('every message is a POST of its own that takes either sort of answer', async () => {
  const server = await openServer(behaveOverHttp);
  const client = openClient(server.url);
  await client.shakeHands();
  expect(await client.call({ a: 1 })).toEqual({ echo: { a: 1 } });
  expect(server.visits.map(({ method, path, message }) => [method, path, message['method']])).toEqual([
    ['POST', '/mcp', 'initialize'],
    ['POST', '/mcp', 'notifications/initialized'],
    ['POST', '/mcp', 'tools/call'],
  ]);
  for (const { headers } of server.visits) {
    expect(headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    });
  }
});

test('messages one after the other share a connection', async () => {
  const server = await openServer(behaveOverHttp);
  const client = openClient(server.url);
  await client.shakeHands();
  for (let count = 0; count < 5; count++) await client.call();
  expect(new Set(server.visits.map(({ socket }) => socket)).size).toBe(1);
});

test('the session and the version go with everything behind the handshake, and never with it', async () => {
  const server = await openServer(behaveOverHttp);
  const client = openClient(server.url);
  await client.shakeHands();
  await client.call();
  client.pipe.listen();
  await server.until(({ method }) => method === 'GET');
  await client.shakeHands();
  await client.peer[Symbol.asyncDispose]();
  const seen = server.visits.map(({ method, message, headers }) => [
    message['method'] ?? method,
    headers['mcp-session-id'],
    headers['mcp-protocol-version'],
  ]);
  expect(seen).toEqual([
    ['initialize', undefined, undefined],
    ['notifications/initialized', 'session-1', '2025-06-18'],
    ['tools/call', 'session-1', '2025-06-18'],
    ['GET', 'session-1', '2025-06-18'],
    ['initialize', undefined, undefined],
    ['notifications/initialized', 'session-1', '2025-06-18'],
    ['DELETE', 'session-1', '2025-06-18'],
  ]);
});

test('a server without sessions is told of none, and gets no goodbye', async () => {
  const server = await openServer((visit, response) =>
    visit.message['method'] === 'initialize' ? sendJson(response, httpResult(visit)) : behaveOverHttp(visit, response),
  );
  const client = openClient(server.url);
  await client.shakeHands();
  await client.call();
  await client.peer[Symbol.asyncDispose]();
  expect(server.visits.filter(({ headers, method }) => 'mcp-session-id' in headers || method === 'DELETE')).toEqual([]);
});

test.each([
  ['has blanks', 'a b', false],
  ['is empty', '', false],
  ['is 10 KB long', 'x'.repeat(10_000), false],
  ['is beyond ASCII', 'ü', false],
  ['has quotes', '"\'<>', true],
  ['is 1 KB long', 'x'.repeat(1024), true],
])('a session id that %s', async (_what, id, isTaken) => {
  const server = await openServer((visit, response) => {
    response.setHeader('mcp-session-id', id);
    sendJson(response, httpResult(visit));
  });
  const { peer } = openClient(server.url);
  const outcome = await peer.request('initialize', {}).catch((error: Error) => error.message);
  await peer.request('ping', {}).catch(() => {});
  const taken = { outcome: { ok: true }, sent: id };
  const refused = { outcome: expect.stringMatching(/session id/u) as string, sent: undefined };
  expect({ outcome, sent: server.visits[1]?.headers['mcp-session-id'] }).toEqual(isTaken ? taken : refused);
});

test('what the entry says in headers is sent, and cannot unsay the protocol', async () => {
  const server = await openServer(behaveOverHttp);
  const headers = {
    Authorization: 'Bearer secret-token',
    Accept: 'text/html',
    'Mcp-Session-Id': 'mine',
    Connection: 'x',
  };
  await openClient(server.url, { headers }).call();
  expect(server.visits[0]!.headers).toMatchObject({
    authorization: 'Bearer secret-token',
    accept: 'application/json, text/event-stream',
    'user-agent': expect.stringMatching(/^plugboard\//u) as string,
  });
  expect(server.visits[0]!.headers['mcp-session-id']).toBeUndefined();
});

test('a header that HTTP does not allow is told by its name, never by its value', () => {
  const url = 'http://127.0.0.1:9/mcp';
  const open = (): unknown => openClient(url, { headers: { 'X-Token': 'secret\n' } });
  expect(open).toThrow('Server "x": the header "X-Token" is not valid HTTP');
  expect(open).not.toThrow(/secret/u);
});

test.each(['', 'h.test/mcp', 'file:///etc/passwd'])('%j is no place for a server', (url) => {
  expect(() => openClient(url)).toThrow('Server "x" has an invalid URL');
});

test.each<[what: string, body: (answer: JsonObject) => unknown]>([
  ['an object', (answer) => answer],
  ['an array of one', (answer) => [answer]],
  ['an array with a note in it', (answer) => [{ jsonrpc: '2.0', method: 'notifications/x' }, answer]],
])('a JSON answer may be %s', async (_what, body) => {
  const server = await openServer((visit, response) => sendJson(response, body(httpResult(visit))));
  expect(await openClient(server.url).call()).toEqual({ ok: true });
});

test('an answer may come in as many pieces as it likes', async () => {
  const server = await openServer((visit, response) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    const pieces = [...Buffer.from(JSON.stringify(httpResult(visit, { text: 'grüße' })))];
    const next = (): void => {
      const piece = pieces.shift();
      if (piece === undefined) response.end();
      else response.write(Buffer.from([piece]), () => setImmediate(next));
    };
    next();
  });
  expect(await openClient(server.url).call()).toEqual({ text: 'grüße' });
});

test('answers that come as events are taken, and what comes before them, too', async () => {
  const server = await openServer((visit, response) => {
    const note = { jsonrpc: '2.0', method: 'notifications/x' };
    startEvents(
      response,
      ': hi',
      toSseEvent(note),
      toSseEvent(httpResult(visit)),
      toSseEvent(httpResult(visit, { second: true })),
    ).end();
  });
  const client = openClient(server.url);
  expect(await client.call()).toEqual({ ok: true });
  expect(await client.call()).toEqual({ ok: true });
  expect(client.notifications).toEqual(['notifications/x', 'notifications/x']);
  expect(new Set(server.visits.map(({ socket }) => socket)).size).toBe(1);
});

test('an answer to another request is never taken for this one', async () => {
  const server = await openServer((visit, response) => {
    const answer = { ...httpResult(visit), id: (visit.message['id'] as number) + 1 };
    if (server.visits.length % 2 === 1) sendJson(response, answer);
    else startEvents(response, toSseEvent(answer)).end();
  });
  const client = openClient(server.url);
  expect((await client.failure()).message).toMatch(/not this request/u);
  expect((await client.failure()).message).toMatch(/ended the event stream without an answer/u);
});

test('a reply to the server is a POST, and a refusal of it is the sender’s to know', async () => {
  const server = await openServer((visit, response) => {
    if (visit.message['id'] === 7) response.writeHead(202).end();
    else response.writeHead(400, { 'content-type': 'text/plain' }).end('no such request');
  });
  const { pipe } = openClient(server.url);
  await pipe.notify({ jsonrpc: '2.0', id: 7, result: {} });
  await expect(pipe.notify({ jsonrpc: '2.0', id: 8, result: {} })).rejects.toMatchObject({
    code: 'http-failed',
    message: 'Server "x" answered HTTP 400: no such request',
  });
});

test('a server that answers a notification with a stream is not listened to', async () => {
  const server = await openServer(
    (_visit, response) => void startEvents(response, toSseEvent({ jsonrpc: '2.0', method: 'x' })),
  );
  const client = openClient(server.url);
  await client.pipe.notify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { socket } = server.visits[0]!;
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
  expect(client.notifications).toEqual([]);
});

test('a server that never finishes its reply to a notification keeps no connection', async () => {
  const server = await openServer((_visit, response) => void response.writeHead(202).write(' '));
  const clock = new FakeClock();
  const client = openClient(server.url, { clock });
  await client.pipe.notify({ jsonrpc: '2.0', method: 'notifications/x' });
  await clock.pass(1_000);
  const { socket } = server.visits[0]!;
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
  expect(clock.timers).toBe(0);
});

test('a server that never finishes an error fails the call all the same, with what it said', async () => {
  const server = await openServer((_visit, response) => {
    response.writeHead(500, { 'content-type': 'text/plain' }).write('half an expl');
  });
  const clock = new FakeClock();
  const failure = openClient(server.url, { clock }).failure();
  while (clock.timers === 0) await turn();
  await turn();
  await clock.pass(1_000);
  expect((await failure).message).toBe('Server "x" answered HTTP 500: half an expl');
});

test('a call that nobody waits for any more lets go of its connection, and of the server’s patience', async () => {
  const server = await openServer((visit, response) => {
    if (visit.message['method'] !== 'tools/call') behaveOverHttp(visit, response);
  });
  const client = openClient(server.url);
  const controller = new AbortController();
  const call = client.call({}, { signal: controller.signal });
  const { socket, message } = await server.until((visit) => visit.message['method'] === 'tools/call');
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  const cancelled = await server.until((visit) => visit.message['method'] === 'notifications/cancelled');
  expect(cancelled.message['params']).toMatchObject({ requestId: message['id'] });
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
  expect(socket.destroyed).toBe(true);
});

test('a call that may take long is given up by the clock of its caller, and by no other', async () => {
  const server = await openServer((visit, response) => void setTimeout(() => behaveOverHttp(visit, response), 1_600));
  // By then undici's timer has ticked twice.
  const peer = openPeer(openHttpPipe({ name: 'x', url: server.url, clock: systemClock }), new FakeClock());
  expect(await peer.call({ a: 1 }, { timeoutMs: 1 })).toEqual({ echo: { a: 1 } });
});

test('response headers that never come end what has no time of its own, and only that', async () => {
  const server = await openServer(() => {});
  const client = openClient(server.url, { headersTimeoutMs: 50 });
  const call = rejectionCodeOf(client.call());
  await expect(client.peer.request('tools/list', {})).rejects.toMatchObject({
    code: 'call-timeout',
    message: 'Server "x" sent no response headers within 50 ms',
  });
  await client.peer[Symbol.asyncDispose]();
  expect(await call).toBe('connection-closed');
});

test('a server that takes nothing is sent no more than 16 MB', async () => {
  const server = await openServer(behaveOverHttp);
  const stalled = openClient(server.url);
  await stalled.call();
  server.visits[0]!.socket.pause();
  const text = 'x'.repeat(9_000_000);
  const calls = [rejectionCodeOf(stalled.call({ text })), rejectionCodeOf(stalled.call({ text }))];
  expect(stalled.pipe.backlog).toBeGreaterThan(16_000_000);
  await expect(stalled.call()).rejects.toMatchObject({ code: 'overloaded' });
  await stalled.peer[Symbol.asyncDispose]();
  expect(await Promise.all(calls)).toEqual(['connection-closed', 'connection-closed']);
});

test('closing ends everything at once, and for good', async () => {
  const server = await openServer((visit, response) => {
    if (visit.message['method'] !== 'tools/call') behaveOverHttp(visit, response);
  });
  const client = openClient(server.url);
  await client.shakeHands();
  const call = rejectionCodeOf(client.call());
  await server.until(({ message }) => message['method'] === 'tools/call');
  const disposal = client.pipe[Symbol.asyncDispose]();
  expect(client.pipe[Symbol.asyncDispose]()).toBe(disposal);
  await disposal;
  expect(await client.pipe.closed).toEqual({ kind: 'disposed' });
  const late = client.pipe.notify({ jsonrpc: '2.0', method: 'x' });
  expect([await call, await rejectionCodeOf(late)]).toEqual(['connection-closed', 'connection-closed']);
  expect(server.visits.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 'session-1' } });
});

test('a server that does not answer the goodbye is not waited for', async () => {
  const server = await openServer((visit, response) => {
    if (visit.method !== 'DELETE') behaveOverHttp(visit, response);
  });
  const client = openClient(server.url);
  await client.shakeHands();
  await client.pipe[Symbol.asyncDispose]();
  expect(server.visits.at(-1)!.method).toBe('DELETE');
});

test('when one connection has gone silent, the idle ones beside it are not tried one after the other', async () => {
  const forgotten = new Set<unknown>();
  const server = await openServer((visit, response) => {
    // A router that has dropped the connection from its table swallows all packets.
    if (!forgotten.has(visit.socket)) setTimeout(() => behaveOverHttp(visit, response), 20);
  });
  const client = openClient(server.url);
  await Promise.all(Array.from({ length: 4 }, () => client.call()));
  for (const { socket } of server.visits) forgotten.add(socket);
  expect(forgotten.size).toBe(4);
  expect(await rejectionCodeOf(client.call({}, { timeoutMs: 1_100 }))).toBe('call-timeout');
  expect(await rejectionCodeOf(client.call({}, { timeoutMs: 300_000 }))).toBe('fine');
});

test('what is cancelled just before the end is still told, and before the session is over', async () => {
  const server = await openServer((visit, response) => {
    if (visit.message['method'] !== 'tools/call') behaveOverHttp(visit, response);
  });
  // Timers of one second or more never fire here, so nothing can wait for them.
  const client = openClient(server.url, { clock: new HeldClock(1_000) });
  await client.shakeHands();
  const abort = new AbortController();
  const call = rejectionCodeOf(client.call({}, { signal: abort.signal }));
  await server.until(({ message }) => message['method'] === 'tools/call');
  abort.abort();
  await client.peer[Symbol.asyncDispose]();
  expect(await call).toBe('cancelled');
  expect(server.visits.slice(-2).map(({ method, message }) => message['method'] ?? method)).toEqual([
    'notifications/cancelled',
    'DELETE',
  ]);
});

test('a stream that stays open does not keep dead connections from being found out a second time', async () => {
  const forgotten = new Set<unknown>();
  const server = await openServer((visit, response) => {
    if (visit.method === 'GET') startEvents(response, ': here');
    else if (!forgotten.has(visit.socket)) setTimeout(() => behaveOverHttp(visit, response), 20);
  });
  const client = openClient(server.url);
  await client.shakeHands();
  client.pipe.listen();
  await server.until(({ method }) => method === 'GET');
  for (let round = 0; round < 2; round++) {
    await Promise.all(Array.from({ length: 3 }, () => client.call()));
    for (const { socket } of server.visits) forgotten.add(socket);
    expect(await rejectionCodeOf(client.call({}, { timeoutMs: 1_100 }))).toBe('call-timeout');
    expect(await rejectionCodeOf(client.call({}, { timeoutMs: 300_000 }))).toBe('fine');
  }
});
