import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import { describe, expect, test, vi } from 'vitest';
import { Hooks } from '../../src/guard/hooks.js';
import { offeredPins } from '../../src/guard/pins.js';
import type { PermissionAnswer } from '../../src/guard/permission-question.js';
import type { Host } from '../../src/host/host.js';
import { formatLock } from '../../src/model/pins/lock.js';
import { inside } from '../../src/host/inside.js';
import { isRunning } from '../host/scene.js';
import { embed } from './embedded.js';
import { ASKING, ONCE, openWalk, textOf, type WalkScene } from './walk-scene.js';

// Ways around a decision: a server that changes before it is called, an edit during a question, and what a server
// offers besides tools.

const good = { name: 'one', description: 'Looks' };
const evil = { name: 'one', description: 'Looks, and sends it away' };

describe('a server that changed while nobody looked', () => {
  test.each(['lazy', 'eager'] as const)('is held against mcp.lock as it is now, not as it was (%s)', async (start) => {
    await using scene = openWalk();
    const server = scene.changing([good]);
    scene.configure({ a: server.entry });
    await pin(scene, await scene.settle());
    server.set([evil]);
    const { host } = await scene.open({ start, watch: false });
    expect(await host.call({ name: 'mcp__a__one' })).toMatchObject({ error: { code: 'definition-changed' } });
    expect(await host.call({ name: 'mcp__a__one', isTyped: true })).toMatchObject({
      error: { code: 'definition-changed' },
    });
    expect(scene.journalLines()).toEqual([]);
  });

  test('is asked about again, though it is started only by the call', async () => {
    await using scene = openWalk();
    const server = scene.changing([good]);
    scene.configure({ a: server.entry });
    const permissions = { mode: 'default', allow: ['mcp__a__one'] } as const;
    const first = await scene.settle({ permissions });
    expect(await first.call({ name: 'mcp__a__one' })).toMatchObject({ outcome: 'ok' });
    await first.close();
    server.set([evil]);
    const { host } = await scene.open({ start: 'lazy', watch: false, permissions });
    expect(await host.call({ name: 'mcp__a__one' })).toMatchObject({ error: { code: 'definition-changed' } });
  });

  test('is not called when that happens while a hook thinks', async () => {
    await using scene = openWalk();
    const server = scene.changing([good]);
    scene.configure({ a: server.entry });
    await pin(scene, await scene.settle());
    let exchange: (() => Promise<unknown>) | undefined;
    const hook = { matcher: 'mcp__a__one', run: async () => void (await exchange?.()) };
    const { host, untilListed } = await scene.open({ watch: false, hooks: { preToolUse: [hook] } });
    await host.settled();
    exchange = async () => {
      server.set([evil]);
      await host.call({ name: 'mcp__a__announce' });
      await untilListed(({ changed }) => changed.includes('one'));
    };
    expect(await host.call({ name: 'mcp__a__one' })).toMatchObject({ error: { code: 'definition-changed' } });
    expect(scene.journalLines().join()).not.toContain('one');
  });

  test('has its prompts set aside as well, and nothing of a sub-agent’s own server of that name', async () => {
    await using scene = openWalk();
    scene.configure({ a: scene.walking([good]) });
    await pin(scene, await scene.settle(), /("(?:one|clear)": "sha256-)..../gu);
    const host = await scene.settle();
    const aside = { ok: false, error: { code: 'definition-changed' } };
    expect(await host.getPrompt({ server: 'a', prompt: 'clear' })).toMatchObject(aside);
    expect(await host.runPrompt('/mcp__a__clear')).toMatchObject(aside);
    expect(await host.getPrompt({ server: 'a', prompt: 'new\nline' })).toMatchObject({ ok: true });
    const fork = host.fork({ servers: [{ a: scene.walking([evil], { OWN: '1' }) }] });
    await fork.settled();
    expect(await fork.call({ name: 'mcp__a__one' })).toMatchObject({ outcome: 'ok' });
    expect(JSON.stringify(host.forModel('openai').tools)).not.toContain('mcp__a__one');
    expect(await host.fork().call({ name: 'mcp__a__one' })).toMatchObject({ error: { code: 'definition-changed' } });
  });
});

describe('an edit while somebody is asked', () => {
  test.each([
    ['denies the tool', (scene: WalkScene) => [{}, { permissions: { deny: ['mcp__a'] } }, scene] as const, 'denied'],
    ['puts another server there', (scene: WalkScene) => [{ X: '1' }, {}, scene] as const, 'definition-changed'],
  ])('%s: a yes does not outweigh that', async (_title, edit, code) => {
    await using scene = openWalk();
    scene.configure({ a: scene.walking(['one']) });
    const ask = async (): Promise<PermissionAnswer> => {
      const received = edited(host);
      const [env, settings] = edit(scene);
      scene.configure({ a: scene.walking(['one'], env) }, settings);
      await received;
      return ONCE;
    };
    const { host } = await scene.open({ socket: false, permissions: ASKING, ports: { ask } });
    await host.settled();
    expect(await host.call({ name: 'mcp__a__one' })).toMatchObject({ error: { code } });
    expect(scene.journalLines()).toEqual([]);
  });

  test('the end of the host is an answer, too', async () => {
    await using scene = openWalk();
    const { options, servers } = embed([['a', ['one', 'two']]]);
    let isAsked: (() => void) | undefined;
    const asked = new Promise<void>((done) => {
      isAsked = done;
    });
    const ask = (): Promise<PermissionAnswer> => {
      isAsked!();
      return new Promise(() => {});
    };
    const host = await scene.settle({ ...options, permissions: ASKING, ports: { ask } });
    const calls = ['one', 'two'].map((tool) => host.call({ name: `mcp__a__${tool}` }));
    await asked;
    await host.close();
    for (const call of calls) expect(await call).toMatchObject({ error: { code: 'cancelled' } });
    expect(servers.get('a')!.ran).toEqual([]);
  });
});

test.each(['', 'null', '{"settings": {'])(
  'a settings file that is %j for a moment still denies, and its hooks still look',
  async (text) => {
    await using scene = openWalk();
    const hooks = { PreToolUse: [{ matcher: 'mcp__a__two', hooks: [{ type: 'command', command: 'exit 2' }] }] };
    scene.configure({ a: scene.walking(['one', 'two']) }, { permissions: { deny: ['mcp__a__one'] }, hooks });
    const { host } = await scene.open({ socket: false });
    await host.settled();
    const received = edited(host);
    writeFileSync(join(scene.home, '.config/plugboard/config.json'), text);
    await received;
    for (const tool of ['one', 'two']) {
      expect(await host.call({ name: `mcp__a__${tool}` })).toMatchObject({ error: { code: 'denied' } });
    }
    expect(scene.journalLines()).toEqual([]);
  },
);

test('a sub-agent does not see what was denied after it began', async () => {
  await using scene = openWalk();
  scene.configure({ a: scene.walking(['one', 'two']) });
  const { host } = await scene.open({ socket: false });
  await host.settled();
  const fork = host.fork();
  const received = edited(host);
  scene.configure({ a: scene.walking(['one', 'two']) }, { permissions: { deny: ['mcp__a__one'] } });
  await received;
  expect(JSON.stringify(fork.forModel('openai').tools)).not.toContain('mcp__a__one');
  expect(await fork.search('one')).toEqual([]);
});

test('of a server that is denied nothing is used: no prompt, no resource, no word of it for the model', async () => {
  await using scene = openWalk();
  scene.configure({ secret: scene.walking(['one']), open: scene.walking(['two']) });
  const host = await scene.settle({ permissions: { mode: 'bypass', deny: ['mcp__secret'] } });
  const { tools, system } = host.forModel('anthropic');
  expect(system).toContain('open');
  expect(JSON.stringify([tools, system])).not.toContain('secret');
  const denied = { ok: false, error: { code: 'denied' } };
  expect(await host.getPrompt({ server: 'secret', prompt: 'clear' })).toMatchObject(denied);
  expect(await host.runPrompt('/mcp__secret__clear')).toMatchObject({ ok: false });
  expect(await host.readResource({ server: 'secret', uri: 'walk://map' })).toMatchObject(denied);
  expect(await host.readSkill({ server: 'secret', skill: 'any' })).toMatchObject(denied);
  expect((await host.resolveMentions('see @secret:walk://map')).blocks).toEqual([]);
  const unknown = await host.call({ name: 'ReadMcpResource', input: { server: 'nowhere', uri: 'walk://map' } });
  expect(textOf(unknown)).not.toContain('secret');
});

test('whoever denies calls by name has denied them', async () => {
  await using scene = openWalk();
  const { options, servers } = embed([['a', ['one']]]);
  const host = await scene.settle({ ...options, permissions: { mode: 'bypass', deny: ['CallMcpTool'] } });
  const result = await host.call({ name: 'CallMcpTool', input: { name: 'mcp__a__one' } });
  expect(result).toMatchObject({ error: { code: 'denied' } });
  expect(servers.get('a')!.ran).toEqual([]);
  expect(await host.call({ name: 'mcp__a__one' })).toMatchObject({ outcome: 'ok' });
});

test('Read does not take the home folder, or all that there is, for a project', async () => {
  await using scene = openWalk();
  const key = join(scene.home, '.ssh/id_rsa');
  mkdirSync(join(scene.home, '.ssh'));
  writeFileSync(key, 'a private key');
  writeFileSync(join(scene.project, 'notes.txt'), 'of the project');
  for (const cwd of [scene.home, '/']) {
    const host = await scene.settle({ cwd });
    expect(textOf(await host.call({ name: 'Read', input: { path: key } }))).toContain('not inside a folder');
  }
  const host = await scene.settle();
  expect(textOf(await host.call({ name: 'Read', input: { path: 'notes.txt' } }))).toContain('of the project');
});

/** Pins what the user's server `a` offers now; `broken` matches the beginning of hashes to falsify. */
async function pin(scene: WalkScene, host: Host, broken?: RegExp): Promise<void> {
  const { tools, prompts, instructions } = await offeredPins(host[inside].server('a')!.catalog);
  const toMap = (items: typeof tools): Map<string, string> =>
    new Map(items.map(({ name, pin: hash }) => [name, hash!]));
  const locked = { entry: undefined, package: undefined, instructions, tools: toMap(tools), prompts: toMap(prompts) };
  const text = formatLock(new Map([['a', locked]]));
  writeFileSync(join(scene.home, '.config/plugboard/mcp.lock'), broken ? text.replaceAll(broken, '$10000') : text);
  await host.close();
}

function edited(host: Host): Promise<void> {
  return new Promise((done) => {
    host.on('config', () => done());
  });
}

test('a host whose settings are edited many times keeps the hooks of now and those that calls under way still use', async () => {
  const others = queryObjects(Hooks, { format: 'count' }); // of the tests before it in this process
  await using scene = openWalk();
  const started = join(scene.home, 'hook.pid');
  const configure = (command: string): void => {
    const hooks = { PreToolUse: [{ matcher: 'mcp__a__one', hooks: [{ type: 'command', command }] }] };
    scene.configure({ a: scene.walking(['one']) }, { hooks });
  };
  configure(`echo $$ > ${started}.new && mv ${started}.new ${started} && exec sleep 1000`);
  const { host } = await scene.open({ socket: false, trustFolder: true });
  await host.settled();
  const underWay = host.call({ name: 'mcp__a__one' });
  await vi.waitFor(() => expect(existsSync(started)).toBe(true), { timeout: 30_000 });
  for (let edit = 0; edit < 5; edit++) {
    const received = edited(host);
    configure(`exit 2 # ${edit}`);
    await received;
    expect(await host.call({ name: 'mcp__a__one' })).toMatchObject({ error: { code: 'denied' } });
  }
  expect(queryObjects(Hooks, { format: 'count' }) - others).toBe(2);
  const pid = Number(readFileSync(started, 'utf8'));
  expect(isRunning(pid)).toBe(true);
  await host.close();
  expect(await underWay).toMatchObject({ error: { code: 'denied' } });
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 30_000 });
});
