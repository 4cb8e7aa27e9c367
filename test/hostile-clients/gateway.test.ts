import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openGateway, type ListeningGateway } from '../../src/gateway/serve/open-gateway.js';
import { listing } from '../gateway/list-servers.js';
import { openScene as openHostScene, type Scene as HostScene } from '../host/scene.js';
import { initialize, modern, post, responseOf } from '../serving/http-fixture.js';
import { refusedClients } from './framing-clients.js';
import { messageClients } from './message-clients.js';
import { legacyCall, modernBody, modernHeaders } from './messages.js';
import { type RawRequest, statusOf } from './raw-socket.js';
import { IS_FULL, type Scene } from './scene.js';

const KEY = 'plugboard_0123456789abcdefghijklmnopqrstuvwxyz';
let hosts: HostScene;
let open: ListeningGateway;
let locked: ListeningGateway;
const opened: AsyncDisposable[] = [];

beforeAll(async () => {
  hosts = openHostScene();
  const readOnly = { annotations: { readOnlyHint: true } };
  hosts.configure(listing('lists', { tools: [{ name: 'echo', ...readOnly }] }));
  const { host } = await hosts.open({ serves: true });
  await host.settled();
  const gateway = await openGateway({ host, names: 'plain' });
  open = await gateway.listen({ key: 'none', sse: true });
  locked = await gateway.listen({ key: { text: KEY }, sse: true });
  opened.push(hosts, gateway, open, locked);
});
afterAll(async () => {
  for (const one of opened.splice(0).toReversed()) await one[Symbol.asyncDispose]();
});

/** Clients of both eras call the same server with one id, and each gets what it alone has sent. */
async function callHealthily(label: string): Promise<void> {
  const { url } = open;
  const headers = { 'mcp-session-id': await initialize(url) };
  const answers = await Promise.all([
    post(url, legacyCall(1, 'echo', { label, era: 1 }), headers),
    modern(url, 1, 'echo', { arguments: { label, era: 2 } }),
  ]);
  const texts = await Promise.all(answers.map(async (answer) => (await responseOf(answer)).result.content[0]!.text));
  expect(texts.map((text) => (JSON.parse(text) as { arguments: unknown }).arguments)).toEqual([
    { label, era: 1 },
    { label, era: 2 },
  ]);
}

/** The long version runs all of them; each has been run against the served side alone, too. */
const rows = [...refusedClients, ...messageClients].filter((_, at) => IS_FULL || at % 4 === 0);

describe('behind the gateway a healthy client is answered beside one that', () => {
  test.each(rows)('$does', async ({ attack, sees }) => {
    const { url } = open;
    // These rows use nothing else of their scene.
    const scene = { url, port: Number(new URL(url).port) } as Scene;
    const [seen] = await Promise.all([attack(scene), callHealthily('during')]);
    expect(seen).toEqual(sees);
    await callHealthily('after');
  });
});

describe('without its key nobody gets anything of the gateway, whoever', () => {
  const call: RawRequest = { headers: modernHeaders('echo'), body: modernBody('echo') };
  const withHeaders = (...more: readonly string[]): RawRequest => ({ ...call, headers: [...call.headers!, ...more] });
  test.each<readonly [string, number, RawRequest]>([
    ['has no key', 401, call],
    ['has another key', 401, withHeaders('Authorization: Bearer plugboard_0123456789')],
    ['has the key in the query', 401, { ...call, target: `/mcp?key=${KEY}&access_token=${KEY}` }],
    [
      'has the key as a password',
      401,
      withHeaders(`Authorization: Basic ${Buffer.from(`x:${KEY}`).toString('base64')}`),
    ],
    ['has the key and another one', 401, withHeaders('Authorization: Bearer x', `Authorization: Bearer ${KEY}`)],
    ['has two keys in one header', 401, withHeaders(`Authorization: Bearer ${KEY}, Bearer x`)],
    ['has a key of 15 KB', 401, withHeaders(`Authorization: Bearer ${'x'.repeat(15_000)}`)],
    ['begins a stream', 401, { method: 'GET', target: '/sse' }],
    ['posts to a connection of 2024', 401, { target: '/messages?session=x', body: '{}' }],
    ['ends a session', 401, { method: 'DELETE', headers: ['Mcp-Session-Id: x'] }],
    ['asks for a path that there is not', 401, { ...call, target: '/mcp/nothing' }],
    ['has the key, from a page', 403, withHeaders(`Authorization: Bearer ${KEY}`, 'Origin: https://evil.test')],
    ['has the key', 200, withHeaders(`Authorization: Bearer ${KEY}`)],
  ])('%s', async (_, status, request) => {
    expect(await statusOf(Number(new URL(locked.url).port), request)).toBe(status);
  });
});
