import { expect, test } from 'vitest';
import { callTool } from '../../src/connection/requests/call-tool.js';
import { JsonRpcFailure } from '../../src/wire/inbound.js';
import { FakeClock, turn } from '../fake-clock.js';
import { callText, discovered, failing, type Received, meet, modernServer, saying, StandIn } from './stand-in.js';

const asking = { method: 'elicitation/create', params: { message: 'Who?' } };
const forms = {
  capabilities: { elicitation: { form: {} } },
  handlers: { 'elicitation/create': () => ({ action: 'accept', content: {} }) },
};

test('every request says who asks, in which version, and what it can do', async () => {
  const server = modernServer(() => saying('ok'));
  await using connection = await meet({ server }, forms);
  await callTool(connection, { tool: 'x', input: { a: 1 } }, { onProgress: () => {} });
  for (const { params } of server.received) {
    expect(params['_meta']).toMatchObject({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'plugboard' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    });
  }
  const { id, params } = server.received.at(-1)!;
  expect(params['_meta']).toMatchObject({ progressToken: id });
});

test.each([[undefined], [null], [{ trace: 1 }]])(
  'whatever a caller says in _meta (%j), the envelope is there',
  async (own) => {
    const server = modernServer(() => ({ resultType: 'complete' }));
    await using connection = await meet({ server });
    await connection.session.request('completion/complete', { _meta: own });
    const { params } = server.received.at(-1)!;
    expect(params['_meta']).toMatchObject({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      ...(own as object),
    });
  },
);

test('a call goes through several rounds under new ids, each with the state of the last', async () => {
  const rounds: Received[] = [];
  const server = modernServer((message) => {
    rounds.push(message);
    const round = rounds.length;
    return round > 3
      ? saying('done')
      : { resultType: 'input_required', requestState: `state-${round}`, inputRequests: { [`k${round}`]: asking } };
  });
  await using connection = await meet({ server }, forms);
  expect(await callText(connection)).toBe('done');
  expect(new Set(rounds.map(({ id }) => id)).size).toBe(4);
  expect(rounds.map(({ params }) => params['requestState'])).toEqual([undefined, 'state-1', 'state-2', 'state-3']);
  expect(rounds.map(({ params }) => Object.keys((params['inputResponses'] as object | undefined) ?? {}))).toEqual([
    [],
    ['k1'],
    ['k2'],
    ['k3'],
  ]);
  expect(rounds.every(({ params }) => params['name'] === 'x')).toBe(true);
});

test('no state is sent where none was given, and keys are not special', async () => {
  const server = modernServer(({ params }) =>
    params['inputResponses'] === undefined
      ? { resultType: 'input_required', inputRequests: JSON.parse(`{"__proto__":${JSON.stringify(asking)}}`) as object }
      : saying(JSON.stringify([Object.keys(params['inputResponses'] as object), 'requestState' in params])),
  );
  await using connection = await meet({ server }, forms);
  expect(await callText(connection)).toBe('[["__proto__"],false]');
});

test.each([
  ['is never content', () => ({ resultType: 'input_required', inputRequests: { k: asking } }), /more than 10 times/u],
  [
    'has too large a state',
    () => ({ resultType: 'input_required', requestState: 'x'.repeat(1_000_001) }),
    /requestState/u,
  ],
  [
    'has a state that is no text',
    () => ({ resultType: 'input_required', requestState: {} }),
    /requestState is no text/u,
  ],
  ['asks without a question', () => ({ resultType: 'input_required' }), /does not say which/u],
  [
    'asks for what nobody offers',
    () => ({ resultType: 'input_required', inputRequests: { k: { method: 'sampling/createMessage' } } }),
    /sampling/u,
  ],
  [
    'asks for what may not be asked',
    () => ({ resultType: 'input_required', inputRequests: { k: { method: 'tools/call' } } }),
    /without tools\/call/u,
  ],
  [
    'asks too much at a time',
    () => ({
      resultType: 'input_required',
      inputRequests: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, asking])),
    }),
    /21 things/u,
  ],
  ['asks nonsense', () => ({ resultType: 'input_required', inputRequests: [1] }), /no object/u],
  ['has a type of result that nobody knows', () => ({ resultType: 'maybe', content: [] }), /resultType is "maybe"/u],
])('a server that %s fails that call, by name', async (_, answer, reason) => {
  const server = modernServer(({ params }) => (params['name'] === 'fine' ? saying('fine') : answer()));
  await using connection = await meet({ server }, forms);
  await expect(callText(connection)).rejects.toThrow(reason);
  expect(await callText(connection, 'fine')).toBe('fine');
});

test('a question that is refused ends the call, and nothing is sent again', async () => {
  const server = modernServer(() => ({ resultType: 'input_required', inputRequests: { k: asking } }));
  await using connection = await meet(
    { server },
    {
      capabilities: { elicitation: {} },
      handlers: {
        'elicitation/create': () => {
          throw new JsonRpcFailure(-1, 'not now');
        },
      },
    },
  );
  await expect(callText(connection)).rejects.toMatchObject({ code: 'input-failed', message: /not now/u });
  expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(1);
});

test('a list may not ask in return', async () => {
  const server = modernServer(() => ({ resultType: 'input_required', inputRequests: { k: asking } }));
  await using connection = await meet({ server }, forms);
  await expect(connection.session.request('tools/list', undefined)).rejects.toThrow(
    /it asks for input, which it may not do here/u,
  );
});

test('the time that a person takes to answer is not the server’s, and a cancelled call asks no further', async () => {
  const abort = new AbortController();
  let asked: AbortSignal | undefined;
  const server = modernServer(() => ({ resultType: 'input_required', inputRequests: { k: asking } }));
  await using connection = await meet(
    { server },
    {
      capabilities: { elicitation: {} },
      handlers: {
        'elicitation/create': (_, { signal }) => {
          asked = signal;
          setImmediate(() => abort.abort());
          return new Promise<object>(() => {});
        },
      },
    },
  );
  const call = callTool(connection, { tool: 'x', input: {} }, { signal: abort.signal });
  await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  expect(asked?.aborted).toBe(true);
});

test('requests of a modern server are not answered', async () => {
  const server = modernServer(() => saying('ok'));
  await using connection = await meet({ server }, forms);
  server.ask(1, 'elicitation/create');
  server.ask(2, 'ping');
  await turn();
  expect(await callText(connection)).toBe('ok');
  expect(server.methods()).toEqual(['server/discover', 'tools/call']);
  expect(connection.peer.stats.malformed).toBe(2);
});

test('what a server calls fresh is not asked for again, until it is told, or too old', async () => {
  const clock = new FakeClock();
  let listed = 0;
  const server = modernServer(({ method, id }, self) => {
    if (method === 'subscriptions/listen') {
      const meta = { 'io.modelcontextprotocol/subscriptionId': id };
      self.say('notifications/subscriptions/acknowledged', { _meta: meta, notifications: {} });
      return undefined;
    }
    return method === 'tools/list'
      ? { tools: [], ttlMs: 1_000, cacheScope: 'private', listed: ++listed }
      : saying('ok');
  });
  await using connection = await meet({ server, clock });
  const { session } = connection;
  const list = async (cursor?: string): Promise<unknown> =>
    (await session.request('tools/list', cursor === undefined ? undefined : { cursor }))['listed'];
  expect(await list()).toBe(1);
  expect(await list()).toBe(1);
  expect(await list('other')).toBe(2);
  await clock.pass(1_000);
  expect(await list()).toBe(3);
  await session.watch({ lists: ['tools'] });
  const { id } = server.received.findLast(({ method }) => method === 'subscriptions/listen')!;
  server.say('notifications/tools/list_changed', { _meta: { 'io.modelcontextprotocol/subscriptionId': id } });
  await turn();
  expect(await list()).toBe(4);
});

test.each([[-1], [0], ['1000'], [undefined]])('a result with ttlMs %s is not kept', async (ttlMs) => {
  let listed = 0;
  const server = modernServer(() => ({ tools: [], ttlMs, listed: ++listed }));
  await using connection = await meet({ server });
  await connection.session.request('tools/list', undefined);
  await connection.session.request('tools/list', undefined);
  expect(listed).toBe(2);
});

test('what came of an answered question is not kept', async () => {
  let read = 0;
  const server = modernServer(({ params }) =>
    params['inputResponses'] === undefined
      ? { resultType: 'input_required', inputRequests: { k: asking } }
      : { contents: [], ttlMs: 60_000, read: ++read },
  );
  await using connection = await meet({ server }, forms);
  await connection.session.request('resources/read', { uri: 'a' });
  await connection.session.request('resources/read', { uri: 'a' });
  expect(read).toBe(2);
});

test('a cursor that is no longer valid makes all its pages worthless', async () => {
  let listed = 0;
  let isGone = false;
  const server = modernServer(({ params }) =>
    params['cursor'] === 'two' && isGone
      ? failing(-32602, 'bad cursor')
      : { tools: [], ttlMs: 60_000, listed: ++listed },
  );
  await using connection = await meet({ server });
  await connection.session.request('tools/list', undefined);
  isGone = true;
  await expect(connection.session.request('tools/list', { cursor: 'two' })).rejects.toThrow(/bad cursor/u);
  await connection.session.request('tools/list', undefined);
  expect(listed).toBe(2);
});

test('a server that changes its versions in mid-life is asked again in one that it takes', async () => {
  let isRefused = false;
  const server = new StandIn(({ method }) => {
    if (method === 'server/discover') return discovered;
    if (isRefused) return saying('ok');
    isRefused = true;
    return failing(-32022, 'no', { supported: ['2026-07-28'] });
  });
  await using connection = await meet({ server });
  expect(await callText(connection)).toBe('ok');
});

test('an abort in the very turn of the question asks nobody, and nothing is left unheard', async () => {
  const abort = new AbortController();
  let asked = 0;
  const server: StandIn = modernServer(({ id }) => {
    server.answer(id, { resultType: 'input_required', inputRequests: { k: asking } });
    server.say('notifications/message', { level: 'info', data: 'x' });
  });
  await using connection = await meet(
    { server },
    {
      capabilities: { elicitation: {} },
      onNotification: () => abort.abort(),
      handlers: {
        'elicitation/create': async () => {
          asked++;
          throw new Error('too late');
        },
      },
    },
  );
  const call = callTool(connection, { tool: 'x', input: {} }, { signal: abort.signal });
  await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  await turn();
  expect(asked).toBe(0);
});

test.each([
  ['only sends its state', { requestState: 'again' }],
  ['asks nothing', { inputRequests: {} }],
])('a server that %s, for ever, has the one deadline of the call, and is not asked in a rush', async (_, more) => {
  const clock = new FakeClock();
  const server = modernServer(() => ({ resultType: 'input_required', ...more }));
  await using connection = await meet({ server, clock });
  const call = callTool(connection, { tool: 'x', input: {} }, { timeoutMs: 500 }).catch((error: unknown) => error);
  await turn();
  await clock.pass(499);
  expect(server.methods().length).toBeLessThan(6);
  await clock.pass(2);
  expect(await call).toMatchObject({ code: 'call-timeout' });
});

test('a server that goes while somebody thinks is what ended the call', async () => {
  const server: StandIn = modernServer(() => {
    setImmediate(() => server.close());
    return { resultType: 'input_required', inputRequests: { k: asking } };
  });
  await using connection = await meet(
    { server },
    { ...forms, handlers: { 'elicitation/create': () => new Promise<object>(() => {}) } },
  );
  await expect(callText(connection)).rejects.toMatchObject({ code: 'connection-closed' });
});

test('what is kept belongs to all: nobody can change it, and a closed connection gives nothing more', async () => {
  const server = modernServer(() => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }], ttlMs: 60_000 }));
  const connection = await meet({ server });
  const { session } = connection;
  const listed = (await session.request('tools/list', undefined)) as { tools: { name: string }[] };
  expect(() => (listed.tools[0]!.name = 'b')).toThrow(TypeError);
  await connection[Symbol.asyncDispose]();
  await expect(session.request('tools/list', undefined)).rejects.toMatchObject({ code: 'connection-closed' });
});

test('a list that was asked for before it changed is not kept', async () => {
  let listed = 0;
  const server: StandIn = modernServer(({ method, id }) => {
    const meta = { 'io.modelcontextprotocol/subscriptionId': id };
    if (method === 'subscriptions/listen') {
      server.say('notifications/subscriptions/acknowledged', { _meta: meta, notifications: {} });
      return undefined;
    }
    if (listed++ > 0) return { tools: [], ttlMs: 60_000 };
    const { id: stream } = server.received.find(({ method: received }) => received === 'subscriptions/listen')!;
    server.say('notifications/tools/list_changed', { _meta: { 'io.modelcontextprotocol/subscriptionId': stream } });
    return { tools: [], ttlMs: 60_000 };
  });
  await using connection = await meet({ server });
  await connection.session.watch({ lists: ['tools'] });
  await connection.session.request('tools/list', undefined);
  await connection.session.request('tools/list', undefined);
  expect(listed).toBe(2);
});

test('no more than 20 questions of a server are open at a time', async () => {
  let most = 0;
  let open = 0;
  const server = modernServer(() => ({
    resultType: 'input_required',
    inputRequests: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`k${index}`, asking])),
  }));
  const abort = new AbortController();
  await using connection = await meet(
    { server },
    {
      ...forms,
      handlers: {
        'elicitation/create': () => {
          most = Math.max(most, ++open);
          return new Promise<object>(() => {});
        },
      },
    },
  );
  const calls = Array.from({ length: 5 }, () =>
    callTool(connection, { tool: 'x', input: {} }, { signal: abort.signal }).catch((error: unknown) => error),
  );
  await turn();
  abort.abort();
  const codes = (await Promise.all(calls)).map((error) => (error as { code: string }).code);
  expect(most).toBe(20);
  expect(codes.filter((code) => code === 'input-failed')).toHaveLength(3);
});

test.each([[undefined], [null], ['yes'], [[1]]])('an answer of %j is none', async (answer) => {
  const server = modernServer(() => ({ resultType: 'input_required', inputRequests: { k: asking } }));
  await using connection = await meet(
    { server },
    { ...forms, handlers: { 'elicitation/create': () => answer as never } },
  );
  await expect(callText(connection)).rejects.toMatchObject({ code: 'input-failed' });
});
