import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import type { Entries } from '../host/scene.js';
import { ask, type GatewayScene, openGatewayScene, refusalOf, testClient } from './gateway-scene.js';
import { suiteUpstream } from './start-gateway.js';

const SKILLS = 'io.modelcontextprotocol/skills';
const PLAIN = 'skill://brew/SKILL.md';

/** Servers that have the same skill, each of one era. */
function openSkills(...eras: readonly ('legacy' | 'modern')[]): Promise<GatewayScene> {
  const entries = eras.map((era) => [
    era,
    { type: 'stdio', command: process.execPath, args: [...suiteUpstream(era), '--stdio'] },
  ]);
  return openGatewayScene(Object.fromEntries(entries) as Entries);
}

const clients = [
  ['modern', testClient()],
  ['legacy', testClient({ era: 'legacy', revision: '2025-11-25' })],
] as const;

const ways = clients.flatMap(([, client]) =>
  (['legacy', 'modern'] as const).map((era) => [client.era, era, client] as const),
);

test.each(ways)('a %s client reads a skill of a %s server as it is', async (_, era, client) => {
  await using opened = await openSkills(era);
  for (const path of ['/mcp', `/mcp/${era}`]) {
    const endpoint = opened.endpoint(path);
    const { capabilities } = await endpoint.describe(client);
    expect(capabilities).toMatchObject({ extensions: { [SKILLS]: { directoryRead: true } } });
    const { skills } = await ask(endpoint, 'skills/list', {}, { client });
    expect(skills).toMatchObject([
      {
        uri: PLAIN,
        frontmatter: { name: 'brew', description: 'Makes tea' },
        resources: [{ uri: PLAIN, digest: expect.stringMatching(/^sha256:/u) }, { size: 15 }],
      },
    ]);
    const { skill } = await ask(endpoint, 'skills/get', { uri: PLAIN }, { client });
    expect(skill).toEqual((skills as JsonObject[])[0]);
    const folder = await ask(endpoint, 'resources/directory/read', { uri: 'skill://brew' }, { client });
    expect(folder).toMatchObject({ resources: [{ uri: PLAIN }, { uri: 'skill://brew/references' }] });
    const guide = await ask(endpoint, 'resources/read', { uri: 'skill://brew/references/GUIDE.md' }, { client });
    expect(guide).toMatchObject({ contents: [{ text: 'Three minutes.\n' }] });
  }
});

test('skills of two servers with one URI have a URI each, and so have their files', async () => {
  await using opened = await openSkills('legacy', 'modern');
  const endpoint = opened.endpoint();
  const { skills } = await ask(endpoint, 'skills/list');
  for (const [at, name] of ['legacy', 'modern'].entries()) {
    const uri = `plugboard+${name}:${PLAIN}`;
    const file = `plugboard+${name}:skill://brew/references/GUIDE.md`;
    expect((skills as JsonObject[])[at]).toMatchObject({ uri, resources: [{ uri }, { uri: file }] });
    expect(await ask(endpoint, 'skills/get', { uri })).toMatchObject({
      skill: { uri, resources: [{ uri }, { uri: file }] },
    });
    const contents = [{ uri: file, text: 'Three minutes.\n' }];
    expect(await ask(endpoint, 'resources/read', { uri: file })).toMatchObject({ contents });
    const folder = `plugboard+${name}:skill://brew/references`;
    expect(await ask(endpoint, 'resources/directory/read', { uri: folder })).toMatchObject({
      resources: [{ uri: file }],
    });
  }
  expect(await refusalOf(ask(endpoint, 'skills/get', { uri: PLAIN }))).toMatchObject({ code: -32602 });
});

test('rules that deny what a server reads deny its skills', async () => {
  const entry = { type: 'stdio', command: process.execPath, args: [...suiteUpstream('modern'), '--stdio'] };
  const settings = { permissions: { deny: ['mcp__up__resources'] } };
  await using opened = await openGatewayScene({ up: entry }, { settings });
  const endpoint = opened.endpoint();
  expect(await ask(endpoint, 'skills/list')).toMatchObject({ skills: [] });
  for (const method of ['skills/get', 'resources/directory/read']) {
    expect(await refusalOf(ask(endpoint, method, { uri: PLAIN }))).toMatchObject({ data: { code: 'denied' } });
  }
});
