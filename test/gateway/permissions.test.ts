import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import type { HostOptions } from '../../src/host/host-options.js';
import {
  ask,
  type GatewayScene,
  openGatewayScene,
  refusalOf,
  testClient,
  type TestClientOptions,
} from './gateway-scene.js';
import { listing } from './list-servers.js';

const open = (settings: object = {}): Promise<GatewayScene> =>
  openGatewayScene(listing('zoo', { tools: ['feed'] }), { settings, host: { permissions: {} } });

const FORMS = { capabilities: { elicitation: {} } };
const answering = (content: object, action = 'accept'): TestClientOptions => ({
  ...FORMS,
  answers: () => ({ action, content }),
});
const feed = (opened: GatewayScene, client = testClient()): Promise<JsonObject> =>
  ask(opened.endpoint(), 'tools/call', { name: 'zoo__feed', arguments: { meat: 7 } }, { client });
const textOf = ({ content }: JsonObject): string => (content as [{ text: string }])[0].text;

test('the user of a client is asked about a call, and a yes holds for that call alone', async () => {
  await using opened = await open();
  const client = testClient(answering({ answer: 'Allow once' }));
  expect(JSON.parse(textOf(await feed(opened, client)))).toMatchObject({ name: 'feed' });
  expect(await feed(opened, client)).not.toHaveProperty('isError', true);
  expect(client.asked).toHaveLength(2);
  const [{ method, params }] = client.asked as [{ method: string; params: JsonObject }];
  expect([method, params['mode']]).toEqual(['elicitation/create', 'form']);
  expect(params['message']).toContain('zoo__feed');
  expect(params['message']).toContain('"meat": 7');
  expect(params['message']).toContain('mode default asks about a tool that no rule allows');
});

test.each<[string, TestClientOptions]>([
  ['says no', answering({ answer: 'Deny' })],
  ['says something else', answering({ answer: 'Allow for ever' })],
  ['declines', answering({}, 'decline')],
  ['cannot be reached', FORMS],
  ['cannot be asked', {}],
])('a call is denied when the user of the client %s', async (_, options) => {
  await using opened = await open();
  const denied = await feed(opened, testClient(options));
  expect(denied).toMatchObject({ isError: true, _meta: { 'plugboard/outcome': 'error' } });
  expect(textOf(denied)).toContain('mcp__zoo__feed');
});

test('a denial names the rule that would allow the call', async () => {
  await using opened = await open({ gateway: { ask: 'deny' } });
  const client = testClient(answering({ answer: 'Allow once' }));
  expect(textOf(await feed(opened, client))).toContain('add "mcp__zoo__feed" to permissions.allow');
  expect(client.asked).toEqual([]);
});

test.each<[string, TestClientOptions]>([
  ['closes the question', answering({}, 'cancel')],
  ['fails to show the question', { ...FORMS, answers: () => Promise.reject(new Error('no window')) }],
])('a denial names the rule that would allow the call when the client %s', async (_, options) => {
  await using opened = await open();
  const denied = textOf(await feed(opened, testClient(options)));
  expect(denied).toContain('asking failed');
  expect(denied).toContain('add "mcp__zoo__feed" to permissions.allow');
});

test('a user who does not answer keeps no other client waiting', async () => {
  await using opened = await open();
  let release: (() => void) | undefined;
  const slow = testClient({
    ...FORMS,
    answers: () => new Promise((answer) => (release = () => answer({ action: 'decline' }))),
  });
  const waiting = feed(opened, slow);
  expect(await feed(opened, testClient(answering({ answer: 'Allow once' })))).not.toHaveProperty('isError', true);
  release?.();
  expect(await waiting).toMatchObject({ isError: true });
});

test('a completion of a client asks nobody, passes hooks, and leaves a line without what was typed', async () => {
  const args = [resolve(import.meta.dirname, '../calls/offering-server.mjs')];
  const docs = { command: process.execPath, args, env: { JOURNAL: '/dev/null' } };
  const hooks = {
    preToolUse: [{ run: ({ input }) => (input['uri'] === undefined ? {} : { decision: 'deny', reason: 'not now' }) }],
    postToolUse: [{ run: () => ({ output: { content: ['Oslo', 'Odense'].map((text) => ({ type: 'text', text })) } }) }],
  } as NonNullable<HostOptions['hooks']>;
  await using opened = await openGatewayScene({ docs }, { host: { permissions: {}, hooks } });
  const client = testClient(answering({ answer: 'Allow once' }));
  const complete = (ref: object): Promise<JsonObject> => {
    const argument = { name: 'what', value: 'AKIA-1' };
    return ask(opened.endpoint(), 'completion/complete', { ref, argument }, { client });
  };
  const { completion } = await complete({ type: 'ref/prompt', name: 'docs__say' });
  expect(completion).toEqual({ values: ['Oslo', 'Odense'], hasMore: false });
  const refused = await refusalOf(complete({ type: 'ref/resource', uri: 'note://q/{words}' }));
  expect(refused.message).toContain('not now');
  expect(client.asked).toEqual([]);
  await opened.host.close();
  const ledger = readFileSync(join(opened.scene.home, '.local/state/plugboard/ledger/calls.jsonl'), 'utf8');
  expect(ledger).not.toContain('AKIA');
  const lines = ledger.split('\n').filter(Boolean);
  const line = { server: 'docs', completes: 'what' };
  expect(lines.map((one) => JSON.parse(one) as object)).toMatchObject([
    { tool: 'mcp__docs__prompts', prompt: 'say', ...line, decision: 'allow' },
    { tool: 'mcp__docs__resources', uri: 'note://q/{words}', ...line, decision: 'deny', rule: 'hook' },
  ]);
});
