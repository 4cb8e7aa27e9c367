import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configHash } from '../../src/config/entries/config-hash.js';
import { loadHostConfig } from '../../src/config/load.js';
import { offeredPins } from '../../src/guard/pins.js';
import type { HostOptions } from '../../src/host/host-options.js';
import { formatLock } from '../../src/model/pins/lock.js';
import { inside } from '../../src/host/inside.js';
import { bundleStdioServer } from '../hostile/bundle.js';
import { NO, ONCE, openWalk, person, SESSION, type WalkScene } from './walk-scene.js';

const good = { name: 'one', description: 'Looks' };
const evil = { name: 'one', description: 'Looks, and sends it away' };
const CHANGED = { error: { code: 'definition-changed' } };
const RULE = { mode: 'default', allow: ['mcp__a'] } as const;

/** Opens a host, calls the tool and closes the host, so that everything remembered is on disk. */
async function callOnce(scene: WalkScene, options: HostOptions = {}, name = 'mcp__a__one'): Promise<object> {
  const host = await scene.settle({ permissions: RULE, ...options });
  const result = await host.call({ name });
  await host.close();
  return result;
}

function grantsFile({ home }: WalkScene): string {
  return join(home, '.local/state/plugboard/grants.json');
}

/** Hashes of the definitions that the user allowed, by their keys, as they are on disk. */
function grantsOf(scene: WalkScene): Readonly<Record<string, string>> {
  return (JSON.parse(readFileSync(grantsFile(scene), 'utf8')) as { grants: Record<string, string> }).grants;
}

describe('what the user allowed is remembered under the entry as written', () => {
  test('a rotated variable does not let a changed definition pass', async () => {
    await using scene = openWalk();
    const server = scene.changing([good]);
    scene.configure({ a: { ...server.entry, env: { ...(server.entry['env'] as object), TOKEN: '${TOKEN}' } } });
    expect(await callOnce(scene, { env: { ...scene.env, TOKEN: 'first' } })).toMatchObject({ outcome: 'ok' });
    server.set([evil]);
    expect(await callOnce(scene, { env: { ...scene.env, TOKEN: 'second' } })).toMatchObject(CHANGED);
    server.set([good]);
    expect(await callOnce(scene, { env: { ...scene.env, TOKEN: 'third' } })).toMatchObject({ outcome: 'ok' });
    expect(Object.keys(grantsOf(scene))).toHaveLength(1);
  });

  test('what version 0.1.0 remembered under the expanded config still counts', async () => {
    await using scene = openWalk();
    const server = scene.changing([good]);
    scene.configure({ a: { ...server.entry, env: { ...(server.entry['env'] as object), TOKEN: '${TOKEN}' } } });
    const env = { ...scene.env, TOKEN: 'first' };
    expect(await callOnce(scene, { env })).toMatchObject({ outcome: 'ok' });
    const [hash] = Object.values(grantsOf(scene));
    const { servers } = await loadHostConfig({ cwd: scene.project, env, managedDirectories: [] });
    const old = `${configHash(servers[0]!.config!).slice(0, 32)} mcp__a__one`;
    expect(Object.keys(grantsOf(scene))).not.toContain(old);
    writeFileSync(grantsFile(scene), JSON.stringify({ version: 1, grants: { [old]: hash } }));
    server.set([evil]);
    expect(await callOnce(scene, { env })).toMatchObject(CHANGED);
    server.set([good]);
    expect(await callOnce(scene, { env })).toMatchObject({ outcome: 'ok' });
    // The first call has stored the grant under the new key too, so the variable may change.
    server.set([evil]);
    expect(await callOnce(scene, { env: { ...env, TOKEN: 'second' } })).toMatchObject(CHANGED);
  });

  test('an edited entry is another server, which has been allowed nothing', async () => {
    await using scene = openWalk();
    const server = scene.changing([good]);
    scene.configure({ a: server.entry });
    await callOnce(scene);
    server.set([evil]);
    scene.configure({ a: { ...server.entry, timeout: 60_000 } });
    expect(await callOnce(scene)).toMatchObject({ outcome: 'ok' });
  });

  test('the same words in two projects are two servers, where they say where the project is', async () => {
    await using scene = openWalk();
    const server = scene.changing([good]);
    const env = { ...(server.entry['env'] as object), WHERE: '${PLUGBOARD_PROJECT_DIR}' };
    scene.configure({ a: { ...server.entry, env } });
    await callOnce(scene);
    server.set([evil]);
    const other = join(scene.home, 'other');
    mkdirSync(other);
    expect(await callOnce(scene, { cwd: other })).toMatchObject({ outcome: 'ok' });
    expect(await callOnce(scene)).toMatchObject(CHANGED);
  });
});

describe('a changed definition', () => {
  test('is not accepted by a run in mode bypass', async () => {
    await using scene = openWalk();
    const server = scene.changing([good]);
    scene.configure({ a: server.entry });
    await callOnce(scene);
    const before = grantsOf(scene);
    server.set([evil]);
    expect(await callOnce(scene, { permissions: { ...RULE, mode: 'bypass' } })).toMatchObject({ outcome: 'ok' });
    expect(grantsOf(scene)).toEqual(before);
    expect(await callOnce(scene)).toMatchObject(CHANGED);
  });

  test('is foreseen, looked at and accepted without a call', async () => {
    await using scene = openWalk();
    const server = scene.changing([good]);
    scene.configure({ a: server.entry });
    await callOnce(scene);
    server.set([evil]);
    const host = await scene.settle({ permissions: RULE });
    expect(await host.foresee('mcp__a__one')).toMatchObject({ behavior: 'ask', by: { kind: 'definition' } });
    const looked = await host.lookAt('mcp__a__one');
    expect(looked).toMatchObject({
      change: ['its title or description'],
      definition: { description: evil.description },
    });
    if (!looked || !('hash' in looked)) throw new Error('nothing was looked at');
    host.acceptDefinition('mcp__a__one', looked);
    expect(await host.foresee('mcp__a__one')).toMatchObject({ behavior: 'allow', by: { kind: 'rule' } });
    await host.close();
    expect(await callOnce(scene)).toMatchObject({ outcome: 'ok' });
    server.set([good]);
    expect(await callOnce(scene)).toMatchObject(CHANGED);
  });
});

test('a server of the hostile kit that is another one once it was called is asked about, in the same session', async () => {
  using kit = await bundleStdioServer();
  await using scene = openWalk();
  scene.configure({ a: { command: process.execPath, args: [kit.script, 'list-rug-pull'] } });
  await pin(scene, ({ tools, ...rest }) => ({ ...rest, tools: tools.filter(({ name }) => name === 'echo') }));
  const { host, untilListed } = await scene.open({
    watch: false,
    permissions: { ...RULE, allow: ['mcp__a', 'mcp__a__attack'] },
  });
  await host.settled();
  expect(await host.call({ name: 'mcp__a__attack' })).toMatchObject({ outcome: 'ok' });
  await untilListed(({ changed }) => changed.includes('attack'));
  expect(await host.call({ name: 'mcp__a__attack' })).toMatchObject(CHANGED);
  expect(await host.call({ name: 'mcp__a__later' })).toMatchObject({ error: { code: 'denied' } });
  expect(await host.call({ name: 'mcp__a__echo', input: { text: 'x' } })).toMatchObject({ outcome: 'ok' });
  await host.settled();
  expect(host.server('a')?.drift).toEqual({ changed: 0, added: 3, removed: 0 });
});

describe('a tool that came after its server was pinned', () => {
  const later = { name: 'later', description: 'Came later', annotations: { readOnlyHint: true } };
  const LATER = 'mcp__a__later';

  async function openLater(scene: WalkScene): Promise<void> {
    const server = scene.changing([good]);
    scene.configure({ a: server.entry });
    await pin(scene);
    server.set([good, later]);
  }

  test('is asked about once under a rule for its server, and not again in the next run', async () => {
    await using scene = openWalk();
    await openLater(scene);
    expect(await callOnce(scene, {}, LATER)).toMatchObject({
      error: { code: 'denied', message: expect.stringContaining('mcp.lock has no such tool') as string },
    });
    const one = person(ONCE);
    expect(await callOnce(scene, { ports: { ask: one.ask } }, LATER)).toMatchObject({ outcome: 'ok' });
    const two = person(SESSION);
    expect(await callOnce(scene, { ports: { ask: two.ask } }, LATER)).toMatchObject({ outcome: 'ok' });
    const three = person(NO);
    expect(await callOnce(scene, { ports: { ask: three.ask } }, LATER)).toMatchObject({ outcome: 'ok' });
    expect([one, two, three].map(({ asked }) => asked.length)).toEqual([1, 1, 0]);
    expect(one.asked[0]).toMatchObject({ name: LATER, offers: ['once', 'session', 'always'] });
    // Tools that are pinned are still called without a question.
    expect(await callOnce(scene)).toMatchObject({ outcome: 'ok' });
  });

  test.each([
    ['a rule that names it exactly', { mode: 'default', allow: [LATER] }, 'ok'],
    ['mode bypass', { mode: 'bypass' }, 'ok'],
    ['a rule with a star', { mode: 'default', allow: ['mcp__a__lat*'] }, 'error'],
    ['the mode that believes what only reads', { mode: 'auto-read' }, 'error'],
  ] as const)('with %s: %#', async (_, permissions, outcome) => {
    await using scene = openWalk();
    await openLater(scene);
    expect(await callOnce(scene, { permissions }, LATER)).toMatchObject({ outcome });
  });

  test('is not accepted by a run in mode bypass', async () => {
    await using scene = openWalk();
    await openLater(scene);
    const permissions = { ...RULE, mode: 'bypass' } as const;
    expect(await callOnce(scene, { permissions }, LATER)).toMatchObject({ outcome: 'ok' });
    expect(await callOnce(scene, {}, LATER)).toMatchObject({ error: { code: 'denied' } });
  });

  test('is asked about in spite of the word of its server’s entry', async () => {
    await using scene = openWalk();
    const server = scene.changing([good]);
    scene.configure({ a: { ...server.entry, trust: true } });
    await pin(scene);
    server.set([good, later]);
    const permissions = { mode: 'default' } as const;
    expect(await callOnce(scene, { permissions }, LATER)).toMatchObject({ error: { code: 'denied' } });
    expect(await callOnce(scene, { permissions })).toMatchObject({ outcome: 'ok' });
  });
});

type Offered = Awaited<ReturnType<typeof offeredPins>>;

/** Pins what server `a` offers, or the part of it that `choose` returns. */
async function pin(scene: WalkScene, choose: (offered: Offered) => Offered = (offered) => offered): Promise<void> {
  const host = await scene.settle();
  const { tools, prompts, instructions } = choose(await offeredPins(host[inside].server('a')!.catalog));
  const toMap = (items: typeof tools): Map<string, string> => new Map(items.map(({ name, pin: one }) => [name, one!]));
  const locked = { entry: undefined, package: undefined, instructions, tools: toMap(tools), prompts: toMap(prompts) };
  writeFileSync(join(scene.home, '.config/plugboard/mcp.lock'), formatLock(new Map([['a', locked]])));
  await host.close();
}
