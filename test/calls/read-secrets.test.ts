import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HookFunctions } from '../../src/guard/hook-functions.js';
import type { HostOptions } from '../../src/host/host-options.js';
import type { Host } from '../../src/host/host.js';
import { ASKING, NO, ONCE, openWalk, person, SESSION, textOf, type WalkScene } from './walk-scene.js';

// A model may pass on what it reads, so a file that looks like one with secrets is not read without a question.

async function openProject(options: HostOptions = {}, settings: object = {}): Promise<WalkScene & { host: Host }> {
  const scene = openWalk();
  scene.configure({ desk: scene.walking(['large']) }, settings);
  const project = join(scene.home, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  writeFileSync(join(project, '.env'), 'KEY=very-secret\n');
  writeFileSync(join(project, 'README.md'), 'very public\n');
  symlinkSync('.env', join(project, 'notes.txt'));
  return { ...scene, host: await scene.settle({ cwd: project, ...options }) };
}

function read(host: Host, path: string): ReturnType<Host['call']> {
  return host.call({ name: 'Read', input: { path } });
}

test('the user is asked about each file that looks like secrets, and about no other', async () => {
  const { asked, ask } = person(ONCE, SESSION, NO);
  await using scene = await openProject({ permissions: ASKING, ports: { ask } });
  const { host } = scene;
  expect(textOf(await read(host, 'README.md'))).toContain('very public');
  expect(asked).toEqual([]);
  expect(textOf(await read(host, '.env'))).toContain('very-secret');
  expect(asked).toMatchObject([{ name: 'Read', input: { path: '.env' }, offers: ['once'] }]);
  expect(textOf(await read(host, './sub/../.env'))).toContain('very-secret');
  expect(textOf(await read(host, '.env'))).not.toContain('very-secret');
  expect(asked).toHaveLength(3);
  expect(textOf(await read(host, 'README.md'))).toContain('very public');
});

test('a link does not hide where it leads, and a file that is not there is asked about like one that is', async () => {
  const { asked, ask } = person(NO);
  await using scene = await openProject({ permissions: ASKING, ports: { ask } });
  expect(await read(scene.host, 'notes.txt')).toMatchObject({ error: { code: 'denied' } });
  expect(asked).toEqual([]);
  expect(await read(scene.host, 'id_rsa')).toMatchObject({ error: { code: 'denied' } });
  expect(asked).toHaveLength(1);
});

test.each([
  [{ mode: 'default' }, 'denied'],
  [{ mode: 'plan' }, 'denied'],
  [{ mode: 'auto-read' }, 'denied'],
  [{ mode: 'dont-ask' }, 'denied'],
  [{ mode: 'dont-ask', allow: ['R*'] }, 'denied'],
  [{ mode: 'dont-ask', allow: ['Read'] }, undefined],
  [{ mode: 'bypass' }, undefined],
  [{ mode: 'bypass', ask: ['Read'] }, 'denied'],
] as const)('where nobody can be asked: %j', async (permissions, code) => {
  await using scene = await openProject({ permissions });
  const result = await read(scene.host, '.env');
  expect(result.error?.code).toBe(code);
  expect(textOf(result).includes('very-secret')).toBe(code === undefined);
  expect(textOf(await read(scene.host, 'README.md')).includes('very public')).toBe(!('ask' in permissions));
});

test('a hook that has seen the path may allow it, and a person may type it', async () => {
  const preToolUse: HookFunctions['preToolUse'] = [
    { matcher: 'Read', run: ({ input }) => (input['path'] === '.env' ? { decision: 'allow' } : undefined) },
  ];
  await using scene = await openProject({
    permissions: ASKING,
    hooks: { preToolUse },
  });
  expect(await read(scene.host, '.env')).toMatchObject({ outcome: 'ok' });
  expect(await read(scene.host, '.env.local')).toMatchObject({ error: { code: 'denied' } });
  const typed = await scene.host.call({
    name: 'Read',
    input: { path: join(scene.home, 'project/.env') },
    isTyped: true,
  });
  expect(typed).toMatchObject({ outcome: 'ok' });
});

test('a result that was saved is read unasked, whatever its tool is called', async () => {
  await using scene = openWalk();
  scene.configure({ credentials: scene.walking(['large']) });
  const host = await scene.settle({ permissions: { mode: 'dont-ask', allow: ['mcp__credentials'] } });
  const { saved } = await host.call({ name: 'mcp__credentials__large' });
  expect(await read(host, saved[0]!.path)).toMatchObject({ outcome: 'ok' });
});
