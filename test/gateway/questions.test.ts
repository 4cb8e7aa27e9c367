import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import type { Question } from '../../src/serving/endpoint.js';
import { ask, type GatewayScene, openGatewayScene, testClient, type TestClient } from './gateway-scene.js';
import { listing } from './list-servers.js';

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
    expect(client.asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'Who?' } }]);
    expect(other.asked).toEqual([]);
  },
);

test('a page that a modern server wants visited has an id for a client of 2025, which is told when it is over', async () => {
  await using opened = await asker('modern');
  const client = accepting({ elicitation: { url: {} } });
  const question = { mode: 'url', message: 'Sign in', url: 'https://example.com/in' };
  await ask(opened.endpoint(), 'tools/call', { name: 'asker__ask', arguments: { question } }, { client });
  const [{ params }] = client.asked as [Question];
  expect(params).toMatchObject({ ...question, elicitationId: expect.stringMatching(/^[\da-f-]{36}$/u) as string });
  const { elicitationId } = params;
  expect(client.notified).toEqual([{ method: 'notifications/elicitation/complete', params: { elicitationId } }]);
});

test('pages that a legacy server requires are shown by modern clients, and others read their addresses', async () => {
  await using opened = await asker('legacy');
  const page = { name: 'asker__page', arguments: { url: 'https://example.com/in', silent: true } };
  const modern = testClient({ capabilities: { elicitation: { url: {} } }, answers: () => ({ action: 'decline' }) });
  const declined = await ask(opened.endpoint(), 'tools/call', page, { client: modern });
  expect(modern.asked).toMatchObject([{ params: { mode: 'url', url: 'https://example.com/in' } }]);
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
