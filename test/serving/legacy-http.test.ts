import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eventsOf, initialize, messagesOf, post, serve } from './http-fixture.js';
import type { Message } from './message.js';

function listen(url: string, session: string, last?: string): Promise<Response> {
  const headers = { 'mcp-session-id': session, accept: 'text/event-stream', ...(last && { 'last-event-id': last }) };
  return fetch(url, { headers });
}

describe('a legacy client over HTTP', () => {
  test('initializes, and calls with its session', async () => {
    const { url } = await serve();
    const session = await initialize(url);
    expect(session.length).toBeLessThanOrEqual(1024);
    const headers = { 'mcp-session-id': session };
    const noted = await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    expect([noted.status, await noted.text()]).toEqual([202, '']);
    const answer = await post(
      url,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } },
      headers,
    );
    expect(await answer.json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: '{"a":1}' }] },
    });
  });

  test('learns that a method is not served, with its session', async () => {
    const { url } = await serve();
    const headers = { 'mcp-session-id': await initialize(url) };
    for (const method of ['completion/complete', 'tools/fly']) {
      const answer = await post(url, { jsonrpc: '2.0', id: 1, method }, headers);
      // 404 would say that the session is over.
      expect([answer.status, await answer.json()]).toMatchObject([200, { id: 1, error: { code: -32601 } }]);
    }
  });

  test('goes on with its session after a restart', async () => {
    const secret = randomBytes(32);
    const first = await serve({ secret });
    const session = await initialize(first.url);
    const second = await serve({ secret });
    const answer = await post(second.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': session });
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  test('that comes back after a restart for an event of its own from before gets a new stream, until that gateway ends', async () => {
    const secret = randomBytes(32);
    const [first, second] = [await serve({ secret }), await serve({ secret })];
    const [own, other] = [await initialize(first.url), await initialize(first.url)];
    const { value } = await eventsOf(await listen(first.url, own)).next();
    const known = value!.id!;
    const stream = await listen(second.url, own, known);
    const events = eventsOf(stream);
    const priming = (await events.next()).value!;
    expect([stream.status, priming.data]).toEqual([200, undefined]);
    expect(priming.id).not.toBe(known);
    second.endpoint.watches[0]!.tell('notifications/tools/list_changed');
    expect((await events.next()).value!.data!.method).toBe('notifications/tools/list_changed');
    expect((await listen(second.url, other, known)).status).toBe(404);
    await second.serving.drain(0);
    const refused = await listen(second.url, own, known);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  });

  test.each([
    ['no session', {}, 400],
    ['a forged session', { 'mcp-session-id': 'abc' }, 404],
  ])('is refused with %s', async (_, headers, status) => {
    const { url } = await serve();
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers);
    expect(answer.status).toBe(status);
  });

  test('of another user cannot use a session', async () => {
    const { url } = await serve();
    const session = await initialize(url);
    const answer = await post(
      url,
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { 'mcp-session-id': session, 'x-user': 'you' },
    );
    expect(answer.status).toBe(404);
  });

  test('ends its session by DELETE', async () => {
    const { url, endpoint } = await serve();
    const session = await initialize(url);
    const headers = { 'mcp-session-id': session };
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(204);
    expect(endpoint.clientsLeft.length).toBe(1);
    expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).toBe(404);
  });

  test.each([
    [{ action: 'accept', content: {} }, { result: { content: [{ text: '{"action":"accept","content":{}}' }] } }],
    // The server gets nothing of what is no answer.
    [{ action: 'maybe', content: 'x' }, { error: { message: "The client's answer to elicitation/create is none" } }],
  ])('is asked on the stream of its call, and answers %j', async (given, response) => {
    const { url } = await serve();
    const headers = { 'mcp-session-id': await initialize(url) };
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } }, headers);
    const found: Message[] = [];
    for await (const { data } of eventsOf(answer)) {
      if (!data) continue;
      found.push(data);
      if (data.method !== 'elicitation/create') continue;
      const reply = await post(url, { jsonrpc: '2.0', id: data.id, result: given }, headers);
      expect(reply.status).toBe(202);
    }
    expect(found.at(-1)).toMatchObject(response);
  });

  test('comes back for the result of a call whose connection broke', async () => {
    const { url, endpoint } = await serve({ streamAfterMs: 0 });
    const headers = { 'mcp-session-id': await initialize(url) };
    const abort = new AbortController();
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'wait', arguments: { label: 'w' } } };
    const answer = await post(url, call, headers, abort.signal);
    const { value } = await eventsOf(answer).next();
    expect(value?.id).toBeDefined();
    abort.abort();
    endpoint.release('w');
    const resumed = await fetch(url, {
      headers: { ...headers, accept: 'text/event-stream', 'last-event-id': value!.id! },
    });
    expect(await messagesOf(resumed)).toMatchObject([{ id: 5, result: { content: [{ text: 'w' }] } }]);
    expect(endpoint.aborted).toEqual([]);
  });

  test('gets a result of megabytes on an event stream, and when it comes back for it', async () => {
    const { url, endpoint } = await serve({ streamAfterMs: 0 });
    const headers = { 'mcp-session-id': await initialize(url) };
    const label = 'x'.repeat(3_000_000);
    const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'wait', arguments: { label } } };
    const answer = await post(url, call, headers);
    await expect.poll(() => endpoint.requests.length).toBe(1);
    endpoint.release(label);
    const events: { id?: string; data?: Message }[] = [];
    for await (const event of eventsOf(answer)) events.push(event);
    const again = await fetch(url, {
      headers: { ...headers, accept: 'text/event-stream', 'last-event-id': events[0]!.id! },
    });
    const messages = [...events.flatMap(({ data }) => data ?? []), ...(await messagesOf(again))];
    expect(messages.map(({ result }) => result.content[0]!.text?.length)).toEqual([3_000_000, 3_000_000]);
  });

  test('comes back once more when the second connection breaks before the result', async () => {
    const { url, endpoint } = await serve({ streamAfterMs: 0 });
    const headers = { 'mcp-session-id': await initialize(url) };
    const listening = { ...headers, accept: 'text/event-stream' };
    const abort = new AbortController();
    const call = { jsonrpc: '2.0', id: 6, method: 'tools/call', params: { name: 'wait', arguments: { label: 'v' } } };
    const answer = await post(url, call, headers, abort.signal);
    const { value: first } = await eventsOf(answer).next();
    abort.abort();
    endpoint.release('v');
    const second = await fetch(url, { headers: { ...listening, 'last-event-id': first!.id! } });
    const { value: priming } = await eventsOf(second).next();
    expect(priming).toMatchObject({ id: first!.id });
    const third = await fetch(url, { headers: { ...listening, 'last-event-id': priming!.id! } });
    expect(await messagesOf(third)).toMatchObject([{ id: 6, result: { content: [{ text: 'v' }] } }]);
  });

  test('cancels a call by a notification', async () => {
    const { url, endpoint } = await serve();
    const headers = { 'mcp-session-id': await initialize(url) };
    const call = { jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'wait', arguments: { label: 'c' } } };
    const answer = post(url, call, headers);
    await expect.poll(() => endpoint.requests.length).toBe(1);
    await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } }, headers);
    await answer;
    expect(endpoint.aborted).toEqual(['c']);
  });

  test('hears of changes on its GET stream', async () => {
    const { url, endpoint } = await serve();
    const headers = { 'mcp-session-id': await initialize(url), accept: 'text/event-stream' };
    const abort = new AbortController();
    const answer = await fetch(url, { headers, signal: abort.signal });
    endpoint.watches[0]!.tell('notifications/tools/list_changed');
    for await (const { data } of eventsOf(answer)) {
      if (!data) continue;
      expect(data.method).toBe('notifications/tools/list_changed');
      break;
    }
    abort.abort();
  });

  test('adds each subscription to the one watch of its session', async () => {
    const { url, endpoint } = await serve();
    const headers = { 'mcp-session-id': await initialize(url) };
    const send = (method: string, uri: string): Promise<unknown> =>
      post(url, { jsonrpc: '2.0', id: 1, method: `resources/${method}`, params: { uri } }, headers);
    await send('subscribe', 'a:1');
    const abort = new AbortController();
    await fetch(url, { headers: { ...headers, accept: 'text/event-stream' }, signal: abort.signal });
    const [watch] = endpoint.watches;
    await send('subscribe', 'a:2');
    // Before that the server has not been asked, and what the client does next would not be told of.
    expect(watch!.wanted.uris).toContain('a:2');
    await send('subscribe', 'a:3');
    await send('unsubscribe', 'a:1');
    expect(endpoint.watches).toEqual([watch]);
    expect(watch!.wanted.uris).toEqual(['a:2', 'a:3']);
    abort.abort();
  });

  test('of an older revision gets no event without data: its parsers take that for a message', async () => {
    const { url } = await serve({ streamAfterMs: 0 });
    const headers = { 'mcp-session-id': await initialize(url, '2025-06-18') };
    const call = { jsonrpc: '2.0', id: 8, method: 'tools/call', params: { name: 'echo' } };
    const text = await (await post(url, call, headers)).text();
    expect(text).toMatch(/^retry: 1000\n\nid: \S+\ndata: \{/u);
  });

  test('of 2025-03-26 gets the answers of a batch together', async () => {
    const { url } = await serve();
    const headers = { 'mcp-session-id': await initialize(url, '2025-03-26') };
    const answer = await post(
      url,
      [
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo' } },
      ],
      headers,
    );
    expect(((await answer.json()) as Message[]).map(({ id }) => id)).toEqual([1, 2]);
  });

  test('that opens ten thousand sessions and leaves costs no memory', async () => {
    const { url, serving } = await serve();
    for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 20 }, () => initialize(url)));
    expect(serving.open).toBe(0);
  });
});
