import { FakeClock } from '../fake-clock.js';
import { describe, expect, test } from 'vitest';
import type { HandledRequest } from '../../src/serving/http/http-serving.js';
import type { JsonObject } from '../../src/base/json.js';
import { envelope, eventsOf, initialize, messagesOf, modern, post, serve } from './http-fixture.js';
import type { Message } from './message.js';

const MODERN = '2026-07-28';

describe('a modern client over HTTP', () => {
  test('gets a plain answer as JSON, with its own id', async () => {
    const { url } = await serve();
    const answer = await modern(url, 'seven', 'echo', { arguments: { a: 1 } });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({
      jsonrpc: '2.0',
      id: 'seven',
      result: { resultType: 'complete', content: [{ type: 'text', text: '{"a":1}' }] },
    });
  });

  test('is told what is served by server/discover', async () => {
    const { url } = await serve();
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' };
    const answer = await post(
      url,
      { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: envelope() } },
      headers,
    );
    const { result } = (await answer.json()) as Message;
    expect(result.supportedVersions).toContain('2026-07-28');
    expect(result.instructions).toBe('Be kind.');
  });

  test('gets progress and its result on an event stream', async () => {
    const { url } = await serve();
    const answer = await modern(url, 1, 'progress', {
      _meta: { progressToken: 't', 'io.modelcontextprotocol/logLevel': 'info' },
    });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const messages = await messagesOf(answer);
    expect(messages.map(({ method }) => method)).toEqual([
      'notifications/progress',
      'notifications/message',
      undefined,
    ]);
    expect(messages[0]!.params).toEqual({ progressToken: 't', progress: 1, total: 2 });
    expect(messages[2]!.result.content[0]!.text).toBe('done');
  });

  test('answers a question by calling again', async () => {
    const { url } = await serve();
    const first = (await (await modern(url, 1, 'ask')).json()) as Message;
    expect(first.result.resultType).toBe('input_required');
    const { inputRequests, requestState } = first.result;
    const [key] = Object.keys(inputRequests);
    expect(inputRequests[key!]!.method).toBe('elicitation/create');
    const inputResponses = { [key!]: { action: 'accept', content: { a: 1 } } };
    const second = (await (await modern(url, 2, 'ask', { requestState, inputResponses })).json()) as Message;
    expect(second).toMatchObject({ id: 2, result: { content: [{ text: '{"action":"accept","content":{"a":1}}' }] } });
    const again = (await (await modern(url, 3, 'ask', { requestState, inputResponses })).json()) as Message;
    expect(again.error).toMatchObject({ code: -32602, data: { reason: 'used' } });
  });

  test.each([
    ['leaves out', { q1: { action: 'decline' } }],
    ['does not really answer', { q1: { action: 'decline' }, q2: { roots: 'none' } }],
  ])('gets questions that come together in one answer, and again those it %s', async (_, inputResponses) => {
    const { url, endpoint } = await serve();
    const { result } = (await (await modern(url, 1, 'ask-two')).json()) as Message;
    expect(Object.keys(result.inputRequests)).toEqual(['q1', 'q2']);
    const half = (await (
      await modern(url, 2, 'ask-two', { requestState: result.requestState, inputResponses })
    ).json()) as Message;
    expect(half.result.resultType).toBe('input_required');
    const all = { q1: { action: 'decline' }, q2: { roots: [] } };
    const { requestState } = half.result;
    const done = (await (await modern(url, 3, 'ask-two', { requestState, inputResponses: all })).json()) as Message;
    expect(done.result.content[0]!.text).toBe('[{"action":"decline"},{"roots":[]}]');
    expect(endpoint.requests.length).toBe(1);
  });

  test.each([
    ['another user', { user: 'you' }, 'foreign'],
    ['other arguments', { arguments: { b: 2 } }, 'changed'],
    ['a changed state', { spoil: true }, 'invalid'],
  ])('cannot use a state for %s', async (_, { user, spoil, ...more }: JsonObject, reason) => {
    const { url } = await serve();
    const { result } = (await (await modern(url, 1, 'ask')).json()) as Message;
    const requestState = spoil === true ? `${result.requestState.slice(0, -4)}AAAA` : result.requestState;
    const params = {
      name: 'ask',
      arguments: {},
      ...more,
      requestState,
      inputResponses: {},
      _meta: envelope({ elicitation: {} }),
    };
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'ask',
      ...(typeof user === 'string' && { 'x-user': user }),
    };
    const answer = (await (
      await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/call', params }, headers)
    ).json()) as Message;
    expect(answer.error).toMatchObject({ code: -32602, data: { reason } });
  });

  test('that never comes back cancels the question, and then the call', async () => {
    const clock = new FakeClock();
    const { url, endpoint } = await serve({ clock });
    const asked = modern(url, 1, 'ask');
    await expect.poll(() => endpoint.requests.length).toBe(1);
    await clock.pass(100);
    const { result } = (await (await asked).json()) as Message;
    expect(result.resultType).toBe('input_required');
    await clock.pass(599_000);
    expect(endpoint.answers).toEqual([]);
    await clock.pass(1_000);
    await expect.poll(() => endpoint.requests[0]!.signal.aborted).toBe(true);
    expect(endpoint.answers).toEqual([{ answer: { action: 'cancel' }, isCancelled: false }]);
    const retry = await modern(url, 2, 'ask', { requestState: result.requestState, inputResponses: {} });
    expect(((await retry.json()) as Message).error).toMatchObject({ code: -32602 });
  });

  test('gets the questions of a modern server as they are, its state sealed', async () => {
    const { url } = await serve();
    const { result } = (await (await modern(url, 1, 'relay')).json()) as Message;
    expect(Object.keys(result.inputRequests)).toEqual(['k']);
    expect(result.requestState).not.toContain('theirs');
    const inputResponses = { k: { action: 'accept' } };
    const done = (await (
      await modern(url, 2, 'relay', { requestState: result.requestState, inputResponses })
    ).json()) as Message;
    expect(JSON.parse(done.result.content[0]!.text)).toEqual({ inputResponses, requestState: 'theirs' });
  });

  test('takes the yes of its user into the next round of a call, and not into a second call', async () => {
    const { url } = await serve();
    const { result } = (await (await modern(url, 1, 'relay-allowed')).json()) as Message;
    const { requestState } = result;
    const again = async (id: number): Promise<string> => {
      const retry = await modern(url, id, 'relay-allowed', { requestState, inputResponses: {} });
      return ((await retry.json()) as Message).result.content[0]!.text;
    };
    expect([await again(2), await again(3), await again(4)]).toEqual(['true', 'false', 'false']);
  });

  test('cancels a call by closing its connection', async () => {
    const { url, endpoint } = await serve();
    const abort = new AbortController();
    const call = modern(url, 1, 'wait', { arguments: { label: 'x' } }, abort.signal).catch(() => 'closed');
    await expect.poll(() => endpoint.requests.length).toBe(1);
    abort.abort();
    expect(await call).toBe('closed');
    await expect.poll(() => endpoint.aborted).toEqual(['x']);
  });

  test('hears of changes on a subscription that was acknowledged first', async () => {
    const { url, endpoint } = await serve();
    const abort = new AbortController();
    const params = { notifications: { toolsListChanged: true, promptsListChanged: true }, _meta: envelope() };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    const answer = await post(
      url,
      { jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen', params },
      headers,
      abort.signal,
    );
    const events = eventsOf(answer);
    const next = async (): Promise<Message> => {
      for (;;) {
        const { value } = await events.next();
        if (value?.data) return value.data;
      }
    };
    const meta = { 'io.modelcontextprotocol/subscriptionId': 'sub' };
    expect(await next()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, _meta: meta },
    });
    endpoint.watches[0]!.tell('notifications/tools/list_changed');
    expect(await next()).toMatchObject({ method: 'notifications/tools/list_changed', params: { _meta: meta } });
    abort.abort();
    await expect.poll(() => endpoint.watches.length).toBe(0);
  });

  test.each([
    ['an unknown method', 'tools/fly', MODERN, MODERN, 404, -32601],
    ['a method of the past', 'ping', MODERN, MODERN, 404, -32601],
    ['a method that is not declared', 'completion/complete', MODERN, MODERN, 404, -32601],
    ['a version that nobody speaks', 'tools/list', '2099-01-01', '2099-01-01', 400, -32022],
    ['two versions', 'tools/list', MODERN, '2099-01-01', 400, -32020],
  ])('is refused for %s', async (_, method, version, written, status, code) => {
    const { url } = await serve();
    const headers = { 'mcp-protocol-version': version, 'mcp-method': method };
    const meta = { ...envelope(), 'io.modelcontextprotocol/protocolVersion': written };
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method, params: { _meta: meta } }, headers);
    expect(answer.status).toBe(status);
    expect(((await answer.json()) as Message).error.code).toBe(code);
  });
});

test('64 clients with one id each get their own answers', async () => {
  const { url } = await serve();
  const session = await initialize(url);
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, async (_, n) => {
      const call = { name: 'echo', arguments: { n } };
      const answer =
        n % 2 === 0
          ? await modern(url, 1, 'echo', { arguments: { n } })
          : await post(
              url,
              { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
              { 'mcp-session-id': session },
            );
      const { id, result } = (await answer.json()) as Message;
      return [id, (JSON.parse(result.content[0]!.text) as { n: number }).n];
    }),
  );
  expect(answers).toEqual(Array.from({ length: 1_000 }, (_, n) => [1, n]));
});

test('an id that a request brings comes back where nobody keeps a log, too', async () => {
  const { listener } = await serve();
  const ids = ['abc-1', 'a b'].map(async (id) => {
    const answer = await fetch(`${listener.origin}/healthz`, { headers: { 'x-request-id': id } });
    return answer.headers.get('x-request-id');
  });
  expect(await Promise.all(ids)).toEqual(['abc-1', null]);
});

test('a request that came through a proxy keeps its id, and is told of when it is over', async () => {
  const seen: HandledRequest[] = [];
  const { listener } = await serve({ onRequest: (request) => seen.push(request) });
  const answer = await fetch(`${listener.origin}/healthz?secret`, { headers: { 'x-request-id': 'abc-1' } });
  expect(answer.headers.get('x-request-id')).toBe('abc-1');
  await answer.text();
  await expect.poll(() => seen).toMatchObject([{ requestId: 'abc-1', method: 'GET', path: '/healthz', status: 200 }]);
});
