import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/edge/clock.js';
import { toAllowedPlaces } from '../../src/serving/http/gates.js';
import { HttpServing } from '../../src/serving/http/http-serving.js';
import { type HttpListener, listenHttp } from '../../src/serving/http/listen-http.js';
import { Seals } from '../../src/serving/seal.js';
import { TestEndpoint } from './endpoint-fixture.js';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one[Symbol.asyncDispose]();
});

interface Setting {
  readonly endpoint: TestEndpoint;
  readonly listener: HttpListener;
  readonly serving: HttpServing;
  readonly url: string;
}

async function serve(options: { streamAfterMs?: number; secret?: Buffer; endpoint?: TestEndpoint } = {}): Promise<Setting> {
  const endpoint = options.endpoint ?? new TestEndpoint();
  const serving = new HttpServing({
    clock: systemClock,
    wall: Date.now,
    seals: new Seals([options.secret ?? randomBytes(32)]),
    places: toAllowedPlaces({}),
    authenticate: ({ headers }) => ({ kind: 'principal', principal: (headers['x-user'] as string | undefined) ?? 'me' }),
    endpointOf: (path) => (path === '/mcp' ? endpoint : undefined),
    ...(options.streamAfterMs !== undefined && { streamAfterMs: options.streamAfterMs }),
  });
  const listener = await listenHttp({ host: '127.0.0.1', port: 0, handle: serving.handle });
  open.push(listener, serving);
  return { endpoint, listener, serving, url: `${listener.origin}/mcp` };
}

const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
type Json = Record<string, any>;

function post(url: string, body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...TYPES, ...headers }, body: JSON.stringify(body), ...(signal && { signal }) });
}

function envelope(capabilities: object = {}): Json {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

function modern(url: string, id: unknown, name: string, more: Json = {}, signal?: AbortSignal): Promise<Response> {
  const { _meta, ...rest } = more;
  const params = { name, arguments: {}, ...rest, _meta: { ...envelope({ elicitation: {}, roots: {} }), ..._meta } };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
  return post(url, { jsonrpc: '2.0', id, method: 'tools/call', params }, headers, signal);
}

async function initialize(url: string, revision = '2025-11-25', capabilities: object = { elicitation: {}, roots: {} }): Promise<string> {
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'old', version: '1' } };
  const answer = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  expect(answer.status).toBe(200);
  const [message] = answer.headers.get('content-type') === 'text/event-stream' ? await messagesOf(answer) : [(await answer.json()) as Json];
  expect(message!['result'].protocolVersion).toBe(revision);
  return answer.headers.get('mcp-session-id')!;
}

/** The messages of an event stream, one by one. */
async function* eventsOf(answer: Response): AsyncGenerator<{ id?: string; data?: Json }> {
  let rest = '';
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    const parts = rest.split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const id = /^id: (.*)$/mu.exec(part)?.[1];
      const data = /^data: (.+)$/mu.exec(part)?.[1];
      yield { ...(id !== undefined && { id }), ...(data !== undefined && { data: JSON.parse(data) as Json }) };
    }
  }
}

async function messagesOf(answer: Response): Promise<Json[]> {
  const found: Json[] = [];
  for await (const { data } of eventsOf(answer)) if (data) found.push(data);
  return found;
}

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
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: envelope() } }, headers);
    const { result } = (await answer.json()) as Json;
    expect(result.supportedVersions).toContain('2026-07-28');
    expect(result.instructions).toBe('Be kind.');
  });

  test('gets progress and its result on an event stream', async () => {
    const { url } = await serve();
    const answer = await modern(url, 1, 'progress', { _meta: { progressToken: 't', 'io.modelcontextprotocol/logLevel': 'info' } });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const messages = await messagesOf(answer);
    expect(messages.map(({ method }) => method)).toEqual(['notifications/progress', 'notifications/message', undefined]);
    expect(messages[0]!['params']).toEqual({ progressToken: 't', progress: 1, total: 2 });
    expect(messages[2]!['result'].content[0].text).toBe('done');
  });

  test('answers a question by calling again', async () => {
    const { url } = await serve();
    const first = (await (await modern(url, 1, 'ask')).json()) as Json;
    expect(first['result'].resultType).toBe('input_required');
    const { inputRequests, requestState } = first['result'];
    const [key] = Object.keys(inputRequests);
    expect(inputRequests[key!].method).toBe('elicitation/create');
    const inputResponses = { [key!]: { action: 'accept', content: { a: 1 } } };
    const second = (await (await modern(url, 2, 'ask', { requestState, inputResponses })).json()) as Json;
    expect(second).toMatchObject({ id: 2, result: { content: [{ text: '{"action":"accept","content":{"a":1}}' }] } });
    const again = (await (await modern(url, 3, 'ask', { requestState, inputResponses })).json()) as Json;
    expect(again['error']).toMatchObject({ code: -32602, data: { reason: 'used' } });
  });

  test('gets questions that come together in one answer, and again those it leaves out', async () => {
    const { url, endpoint } = await serve();
    const { result } = (await (await modern(url, 1, 'ask-two')).json()) as Json;
    expect(Object.keys(result.inputRequests)).toEqual(['q1', 'q2']);
    const inputResponses = { q1: { action: 'decline' } };
    const half = (await (await modern(url, 2, 'ask-two', { requestState: result.requestState, inputResponses })).json()) as Json;
    expect(half['result'].resultType).toBe('input_required');
    const all = { q1: { action: 'decline' }, q2: { roots: [] } };
    const { requestState } = half['result'];
    const done = (await (await modern(url, 3, 'ask-two', { requestState, inputResponses: all })).json()) as Json;
    expect(done['result'].content[0].text).toBe('[{"action":"decline"},{"roots":[]}]');
    expect(endpoint.requests.length).toBe(1);
  });

  test.each([
    ['another user', { user: 'you' }, 'foreign'],
    ['other arguments', { arguments: { b: 2 } }, 'changed'],
    ['a changed state', { spoil: true }, 'invalid'],
  ])('cannot use a state for %s', async (_, { user, spoil, ...more }: Json, reason) => {
    const { url } = await serve();
    const { result } = (await (await modern(url, 1, 'ask')).json()) as Json;
    const requestState = spoil ? `${result.requestState.slice(0, -4)}AAAA` : result.requestState;
    const params = { name: 'ask', arguments: {}, ...more, requestState, inputResponses: {}, _meta: envelope({ elicitation: {} }) };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'ask', ...(user && { 'x-user': user }) };
    const answer = (await (await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/call', params }, headers)).json()) as Json;
    expect(answer['error']).toMatchObject({ code: -32602, data: { reason } });
  });

  test('gets the questions of a modern server as they are, its state sealed', async () => {
    const { url } = await serve();
    const { result } = (await (await modern(url, 1, 'relay')).json()) as Json;
    expect(Object.keys(result.inputRequests)).toEqual(['k']);
    expect(result.requestState).not.toContain('theirs');
    const inputResponses = { k: { action: 'accept' } };
    const done = (await (await modern(url, 2, 'relay', { requestState: result.requestState, inputResponses })).json()) as Json;
    expect(JSON.parse(done['result'].content[0].text)).toEqual({ inputResponses, requestState: 'theirs' });
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
    const answer = await post(url, { jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen', params }, headers, abort.signal);
    const events = eventsOf(answer);
    const next = async (): Promise<Json> => {
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
    ['an unknown method', 'tools/fly', {}, 404, -32601],
    ['a method of the past', 'ping', {}, 404, -32601],
    ['a version that nobody speaks', 'tools/list', { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }, 400, -32022],
  ])('is refused for %s', async (_, method, meta, status, code) => {
    const { url } = await serve();
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method, params: { _meta: { ...envelope(), ...meta } } }, headers);
    expect(answer.status).toBe(status);
    expect(((await answer.json()) as Json)['error'].code).toBe(code);
  });
});

describe('a legacy client over HTTP', () => {
  test('initializes, and calls with its session', async () => {
    const { url } = await serve();
    const session = await initialize(url);
    expect(session.length).toBeLessThanOrEqual(1024);
    const headers = { 'mcp-session-id': session };
    const noted = await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    expect([noted.status, await noted.text()]).toEqual([202, '']);
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } }, headers);
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: '{"a":1}' }] } });
  });

  test('goes on with its session after a restart', async () => {
    const secret = randomBytes(32);
    const first = await serve({ secret });
    const session = await initialize(first.url);
    const second = await serve({ secret });
    const answer = await post(second.url, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': session });
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  test.each([
    ['no session', {}, 400],
    ['a forged session', { 'mcp-session-id': 'abc' }, 404],
  ])('is refused with %s', async (_, headers, status) => {
    const { url } = await serve();
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers as Record<string, string>);
    expect(answer.status).toBe(status);
  });

  test('of another user cannot use a session', async () => {
    const { url } = await serve();
    const session = await initialize(url);
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': session, 'x-user': 'you' });
    expect(answer.status).toBe(404);
  });

  test('ends its session by DELETE', async () => {
    const { url, endpoint } = await serve();
    const session = await initialize(url);
    const headers = { 'mcp-session-id': session };
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(204);
    expect(endpoint.left_.length).toBe(1);
    expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).toBe(404);
  });

  test('is asked on the stream of its call', async () => {
    const { url } = await serve();
    const headers = { 'mcp-session-id': await initialize(url) };
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } }, headers);
    const found: Json[] = [];
    for await (const { data } of eventsOf(answer)) {
      if (!data) continue;
      found.push(data);
      if (data['method'] !== 'elicitation/create') continue;
      const reply = await post(url, { jsonrpc: '2.0', id: data['id'], result: { action: 'accept', content: {} } }, headers);
      expect(reply.status).toBe(202);
    }
    expect(found[1]!['result'].content[0].text).toBe('{"action":"accept","content":{}}');
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
    const resumed = await fetch(url, { headers: { ...headers, accept: 'text/event-stream', 'last-event-id': value!.id! } });
    expect(await messagesOf(resumed)).toMatchObject([{ id: 5, result: { content: [{ text: 'w' }] } }]);
    expect(endpoint.aborted).toEqual([]);
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
      expect(data['method']).toBe('notifications/tools/list_changed');
      break;
    }
    abort.abort();
  });

  test('of 2025-03-26 gets the answers of a batch together', async () => {
    const { url } = await serve();
    const headers = { 'mcp-session-id': await initialize(url, '2025-03-26') };
    const answer = await post(url, [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo' } },
    ], headers);
    expect(((await answer.json()) as Json[]).map(({ id }) => id)).toEqual([1, 2]);
  });

  test('that opens ten thousand sessions and leaves costs no memory', async () => {
    const { url, serving } = await serve();
    for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 20 }, () => initialize(url)));
    expect(serving.open).toBe(0);
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
          : await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, { 'mcp-session-id': session });
      const { id, result } = (await answer.json()) as Json;
      return [id, JSON.parse(result.content[0].text).n];
    }),
  );
  expect(answers).toEqual(Array.from({ length: 1_000 }, (_, n) => [1, n]));
});
