import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ASKING, ONCE, openWalk, person, type WalkScene } from './walk-scene.js';

// `github@work` is a server of its own: denying `github` denies it too; allowing one does not allow the other.

function openAccounts(permissions: object): WalkScene {
  const scene = openWalk();
  const state = join(scene.home, '.local/state/plugboard');
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'accounts.json'), JSON.stringify({ github: ['work'] }));
  scene.configure({ github: scene.walking(['one', 'two']) }, { permissions });
  return scene;
}

const DENIED = { error: { code: 'denied' } };
const ONE = { name: 'mcp__github_work__one' };

describe('what stops a server stops its accounts', () => {
  test.each(['mcp__github__one', 'mcp__github', 'mcp__github__*', 'mcp__git*__one'])('deny: %s', async (rule) => {
    await using scene = openAccounts({ mode: 'bypass', deny: [rule] });
    const host = await scene.settle({ permissions: {} });
    expect(await host.call(ONE)).toMatchObject(DENIED);
    expect(JSON.stringify(host.forModel('openai').tools)).not.toContain(ONE.name);
    expect(scene.journalLines()).toEqual([]);
  });

  test('deny of one tool leaves the others', async () => {
    await using scene = openAccounts({ mode: 'bypass', deny: ['mcp__github__one'] });
    const host = await scene.settle({ permissions: {} });
    expect(await host.call({ name: 'mcp__github_work__two' })).toMatchObject({ outcome: 'ok' });
  });

  test('deny of the whole server, for prompts and resources as well', async () => {
    await using scene = openAccounts({ mode: 'bypass', deny: ['mcp__github'] });
    const host = await scene.settle({ permissions: {} });
    expect(await host.runPrompt('/mcp__github_work__clear')).toMatchObject({ ok: false });
    expect(await host.getPrompt({ server: 'github@work', prompt: 'clear' })).toMatchObject({ ok: false, ...DENIED });
    expect(await host.readResource({ server: 'github@work', uri: 'x://y' })).toMatchObject({ ok: false });
  });

  test('ask', async () => {
    await using scene = openAccounts({ mode: 'bypass', ask: ['mcp__github__one'] });
    const { ask, asked } = person(ONCE);
    const host = await scene.settle({ permissions: {}, ports: { ask } });
    expect(await host.call(ONE)).toMatchObject({ outcome: 'ok' });
    expect(asked).toHaveLength(1);
  });

  test.each<[string, object, object]>([
    ['a stricter mode holds', { mode: 'bypass', servers: { github: { mode: 'plan' } } }, DENIED],
    ['a looser one does not', { servers: { github: { mode: 'bypass' } } }, DENIED],
    [
      'that of the account itself comes first',
      { servers: { github: { mode: 'plan' }, 'github@work': { mode: 'bypass' } } },
      { outcome: 'ok' },
    ],
  ])('modes: %s', async (_, permissions, expected) => {
    await using scene = openAccounts(permissions);
    const host = await scene.settle({ permissions: {} });
    expect(await host.call(ONE)).toMatchObject(expected);
  });

  test.each(['mcp__github__.*', 'mcp__github', 'mcp__github__one'])('a hook that blocks: %s', async (matcher) => {
    await using scene = openAccounts({ mode: 'bypass' });
    const hook = { matcher, run: () => ({ decision: 'deny', reason: 'no' }) as const };
    const host = await scene.settle({ permissions: {}, hooks: { preToolUse: [hook] } });
    expect(await host.call(ONE)).toMatchObject(DENIED);
    expect(scene.journalLines()).toEqual([]);
  });
});

describe('what is permitted to a server is not permitted to its accounts', () => {
  test.each(['mcp__github', 'mcp__github__one', 'mcp__github__*'])('by the rule %s', async (rule) => {
    await using scene = openAccounts({ allow: [rule] });
    const host = await scene.settle({ permissions: ASKING });
    expect(await host.call({ name: 'mcp__github__one' })).toMatchObject({ outcome: 'ok' });
    expect(await host.call(ONE)).toMatchObject(DENIED);
  });

  test('by a hook', async () => {
    await using scene = openAccounts({});
    const hook = { matcher: 'mcp__github__.*', run: () => ({ decision: 'allow' }) as const };
    const host = await scene.settle({ permissions: ASKING, hooks: { preToolUse: [hook] } });
    expect(await host.call({ name: 'mcp__github__one' })).toMatchObject({ outcome: 'ok' });
    expect(await host.call(ONE)).toMatchObject(DENIED);
  });
});

test('an entry of a repository with the name of an account has none of its rules', async () => {
  await using scene = openAccounts({ allow: ['mcp__github@work'] });
  const mcpServers = { 'github@work': scene.walking(['send']), github_work: scene.walking(['post']) };
  writeFileSync(join(scene.project, '.mcp.json'), JSON.stringify({ mcpServers }));
  const host = await scene.settle({ permissions: ASKING, approveProject: true });
  expect(await host.call({ name: 'mcp__github_work__send' })).toMatchObject({ error: { code: 'unknown-tool' } });
  expect(await host.call({ name: 'mcp__github_work__post' })).toMatchObject(DENIED);
  expect(scene.journalLines()).toEqual([]);
  expect(await host.call(ONE)).toMatchObject({ outcome: 'ok' });
});
