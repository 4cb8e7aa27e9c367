import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import type { Question } from '../../src/serving/endpoint.js';
import { ask, type GatewayScene, openGatewayScene, refusalOf, testClient, type TestClient } from './gateway-scene.js';
import { listing } from './list-servers.js';
import { FakeClock, turn } from '../fake-clock.js';

const SERVER = resolve(import.meta.dirname, '../calls/question-server.mjs');
const asker = (era: 'legacy' | 'modern'): Promise<GatewayScene> =>
  openGatewayScene({ asker: { command: process.execPath, args: [SERVER], env: { ERA: era } } });

const accepting = (capabilities: JsonObject, revision = '2025-11-25'): TestClient =>
  testClient({ era: 'legacy', revision, capabilities, answers: () => ({ action: 'accept', content: {} }) });
const saidOf = ({ content }: JsonObject): unknown => JSON.parse((content as [{ text: string }])[0].text);

const FORM = { mode: 'form', message: 'Wh\u200bo?', requestedSchema: { type: 'object', properties: {} } };

test.each(['legacy', 'modern'] as const)(
  'a question of a %s server reaches the client of the call, without hidden characters',
  async (era) => {
    await using opened = await asker(era);
    const client = accepting({ elicitation: {} });
    const other = accepting({ elicitation: {} });
    const params = { name: 'asker__ask', arguments: { question: FORM } };
    expect(saidOf(await ask(opened.endpoint(), 'tools/call', params, { client }))).toMatchObject({ action: 'accept' });
    const own = { name: 'ask', arguments: { question: FORM } };
    await ask(opened.endpoint('/mcp/asker'), 'tools/call', own, { client });
    // The address of one server says who asks; the client of several is told.
    expect(client.asked.map((asked) => asked.params['message'])).toEqual(['Server "asker" asks: Who?', 'Who?']);
    expect(other.asked).toEqual([]);
  },
);

test('a page that a modern server wants visited has an id for a client of 2025, which is told when it is over', async () => {
  await using opened = await asker('modern');
  const client = accepting({ elicitation: { url: {} } });
  const question = { mode: 'url', message: 'Sign in', url: 'https://example.com/in' };
  await ask(opened.endpoint(), 'tools/call', { name: 'asker__ask', arguments: { question } }, { client });
  const [{ params }] = client.asked as [Question];
  const named = { ...question, message: 'Server "asker" asks: Sign in' };
  expect(params).toMatchObject({ ...named, elicitationId: expect.stringMatching(/^[\da-f-]{36}$/u) as string });
  const { elicitationId } = params;
  expect(client.notified).toEqual([{ method: 'notifications/elicitation/complete', params: { elicitationId } }]);
});

test('a page is asked for once, however often its server asks again until the visit is over', async () => {
  const clock = new FakeClock();
  const entries = { asker: { command: process.execPath, args: [SERVER], env: { ERA: 'modern' } } };
  await using opened = await openGatewayScene(entries, { gateway: { clock } });
  const client = accepting({ elicitation: { url: {} } });
  const question = { mode: 'url', message: 'Sign in', url: 'https://example.com/in' };
  const params = { name: 'asker__ask', arguments: { question, rounds: 25 } };
  const results: JsonObject[] = [];
  const calling = ask(opened.endpoint(), 'tools/call', params, { client }).then((result) => results.push(result));
  while (results.length === 0) await (clock.timers > 0 ? clock.pass(15_000) : turn());
  await calling;
  expect(saidOf(results[0]!)).toMatchObject({ action: 'accept' });
  expect([client.asked.length, client.notified.length]).toEqual([1, 1]);
});

test('pages that a legacy server requires are shown by modern clients, and others read their addresses', async () => {
  await using opened = await asker('legacy');
  const page = { name: 'asker__page', arguments: { url: 'https://example.com/in', silent: true } };
  const modern = testClient({ capabilities: { elicitation: { url: {} } }, answers: () => ({ action: 'decline' }) });
  const declined = await ask(opened.endpoint(), 'tools/call', page, { client: modern });
  const message = expect.stringMatching(/^Server "asker" asks: /u) as string;
  expect(modern.asked).toMatchObject([{ params: { mode: 'url', url: 'https://example.com/in', message } }]);
  const plain = await ask(opened.endpoint(), 'tools/call', page, { client: testClient({ owner: 'other' }) });
  for (const result of [declined, plain]) {
    expect(result).toMatchObject({ isError: true, _meta: { 'plugboard/outcome': 'error' } });
    expect(JSON.stringify(result['content'])).toContain('https://example.com/in');
  }
});

test.each([
  ['legacy', 'legacy'],
  ['legacy', 'modern'],
  ['modern', 'legacy'],
  ['modern', 'modern'],
] as const)('no page of a %s server is shown to a %s client that is none of the web', async (era, clientEra) => {
  await using opened = await asker(era);
  const client = testClient({
    era: clientEra,
    revision: clientEra === 'modern' ? '2026-07-28' : '2025-11-25',
    capabilities: { elicitation: { url: {} } },
    answers: () => ({ action: 'accept' }),
  });
  const request = { client, relays: clientEra === 'modern' };
  for (const url of ['javascript:alert(1)', 'file:///usr/bin/id', '--option=x', 'https://github.com@evil.test/']) {
    const question = { mode: 'url', message: 'Sign in', url, elicitationId: 'e1' };
    const calls = [{ name: 'asker__ask', arguments: { question } }];
    if (era === 'legacy') calls.push({ name: 'asker__page', arguments: { url, silent: true } } as never);
    for (const params of calls) {
      const called = ask(opened.endpoint(), 'tools/call', params, request);
      const answer = JSON.stringify(await called.catch(({ message }: Error) => message));
      expect(answer).not.toContain(url);
      expect(answer).toContain('page');
    }
  }
  expect(client.asked).toEqual([]);
});

test('calls of a client that may be several programs each get their own questions, though one is left open', async () => {
  await using opened = await asker('legacy');
  const client = testClient({ capabilities: { elicitation: {} }, isDistinct: false });
  const answering: ((answer: JsonObject) => void)[] = [];
  const called = (message: string, isAnswered: boolean): Promise<JsonObject> =>
    ask(
      opened.endpoint('/mcp/asker'),
      'tools/call',
      { name: 'ask', arguments: { question: { ...FORM, message } } },
      {
        client,
        ask: async ({ params }) => {
          const answer = { action: 'accept', content: { said: params['message'] } };
          return isAnswered ? answer : new Promise((settle) => answering.push(() => settle(answer)));
        },
      },
    );
  // From the first question on it is known that the server asks.
  expect(saidOf(await called('0', true))).toMatchObject({ content: { said: '0' } });
  const open = called('left open', false);
  await expect.poll(() => answering.length).toBe(1);
  const said = await Promise.all(['1', '2', '3'].map(async (one) => saidOf(await called(one, true))));
  expect(said).toMatchObject(['1', '2', '3'].map((one) => ({ content: { said: one } })));
  answering[0]!({});
  expect(saidOf(await open)).toMatchObject({ content: { said: 'left open' } });
});

test('a call that was given up, and that its server never answers, does not take the questions of later calls', async () => {
  await using opened = await asker('legacy');
  const endpoint = opened.endpoint('/mcp/asker');
  const client = testClient({ capabilities: { elicitation: {} }, isDistinct: false });
  const called = (said: string): Promise<JsonObject> => {
    const params = { name: 'ask', arguments: { question: FORM } };
    return ask(endpoint, 'tools/call', params, { client, ask: async () => ({ action: 'accept', content: { said } }) });
  };
  expect(saidOf(await called('0'))).toMatchObject({ content: { said: '0' } });
  const leaving = new AbortController();
  const given = ask(endpoint, 'tools/call', { name: 'wait' }, { client, signal: leaving.signal });
  await turn();
  leaving.abort();
  await given;
  expect(saidOf(await called('1'))).toMatchObject({ content: { said: '1' } });
});

test('an address says what its servers have, with the instructions of each under its name', async () => {
  const said = { instructions: 'Feed\u200b at noon.', capabilities: { completions: {} } };
  await using opened = await openGatewayScene({ ...listing('zoo', {}, said), ...listing('ark', {}) });
  const all = await opened.endpoint().describe(testClient());
  expect(all).toMatchObject({
    server: { name: 'plugboard', title: 'Plugboard' },
    capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { subscribe: true } },
    instructions: '## zoo\n\nFeed at noon.',
  });
  const one = await opened.endpoint('/mcp/zoo').describe(testClient());
  expect(one.instructions).toBe('Feed at noon.');
  expect(one.capabilities).toEqual({
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    completions: {},
  });
});

test('a client that connects before a new server is known still gets its instructions', async () => {
  const said = { instructions: 'Feed at noon.' };
  await using opened = await openGatewayScene(listing('zoo', {}, said), { isSettled: false });
  expect((await opened.endpoint().describe(testClient())).instructions).toBe('## zoo\n\nFeed at noon.');
});

test('what the only server of an address does not declare is not there, and not watched', async () => {
  const lacking = { lacks: ['prompts', 'resources'], capabilities: { logging: {} } };
  await using opened = await openGatewayScene({
    ...listing('zoo', { tools: ['feed'] }, lacking),
    ...listing('ark', {}),
  });
  const zoo = opened.endpoint('/mcp/zoo');
  expect((await zoo.describe(testClient())).capabilities).toEqual({ tools: { listChanged: true }, logging: {} });
  const methods = ['prompts/list', 'prompts/get', 'resources/list', 'resources/templates/list', 'resources/read'];
  const others = ['resources/subscribe', 'completion/complete', 'skills/list'];
  expect([...methods, ...others].filter((method) => zoo.serves(method))).toEqual([]);
  expect(['tools/list', 'tools/call', 'logging/setLevel', 'ping'].every((method) => zoo.serves(method))).toBe(true);
  expect(await refusalOf(ask(zoo, 'prompts/list'))).toMatchObject({ code: -32601 });
  using watch = zoo.watch(
    testClient(),
    { tools: true, prompts: true, resources: true, uris: [], tasks: [] },
    () => undefined,
  );
  expect(await watch.honoured).toMatchObject({ tools: true, prompts: false, resources: false });
  // Of several servers any may be given prompts by an edit.
  expect(await ask(opened.endpoint(), 'prompts/list')).toMatchObject({ prompts: [] });
});

test('a server that was never connected is asked before a method of it is refused', async () => {
  const entries = listing('zoo', { tools: ['feed'] }, { lacks: ['prompts'] }, { start: 'lazy' });
  await using opened = await openGatewayScene(entries, { isSettled: false });
  const zoo = opened.endpoint('/mcp/zoo');
  expect(zoo.serves('prompts/list')).toBe(true);
  expect(await refusalOf(ask(zoo, 'prompts/list'))).toMatchObject({ code: -32601 });
  expect(zoo.serves('prompts/list')).toBe(false);
});

test.each([
  ['legacy', 'legacy'],
  ['modern', 'legacy'],
  ['modern', 'modern'],
] as const)(
  'a rule that denies the use of the model holds for a %s server and the model of a %s client',
  async (era, clientEra) => {
    const entry = { command: process.execPath, args: [SERVER], env: { ERA: era } };
    const denying = { permissions: { allow: ['mcp__asker'], deny: ['mcp__asker__sampling'] } };
    await using opened = await openGatewayScene({ asker: entry }, { settings: denying, host: { permissions: {} } });
    const client = testClient({
      era: clientEra,
      revision: clientEra === 'modern' ? '2026-07-28' : '2025-11-25',
      capabilities: { sampling: {} },
      answers: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'yes' } }),
    });
    const question = { messages: [{ role: 'user', content: { type: 'text', text: 'Say yes' } }], maxTokens: 9 };
    const params = { name: 'asker__ask', arguments: { method: 'sampling/createMessage', question } };
    const request = { client, relays: clientEra === 'modern' };
    const answer = await ask(opened.endpoint(), 'tools/call', params, request).catch((error: unknown) => String(error));
    expect(JSON.stringify(answer)).toMatch(/denies|rejected|got no answer/iu);
    expect(client.asked).toEqual([]);
  },
);
