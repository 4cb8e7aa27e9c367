import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keeping } from '../../../test/auth/auth-scene.js';
import { browse } from '../../../test/auth/browser.js';
import { openProtectedServer } from '../../../test/auth/protected-server.js';
import { openStrictServer } from '../../../test/auth/strict-as.js';
import { openScene, type Scene } from '../../../test/host/scene.js';
import { loadHostConfig } from '../../config/load.js';
import type { Io } from '../io.js';
import type { Outcome } from '../verb.js';
import { FakeScreen } from '../../../test/session/fake-screen.js';
import { converse } from './run-session.js';
import { fakeIo, NO_FLAGS } from '../../../test/session/session-scene.js';

let scene: Scene;
let screen: FakeScreen;
beforeEach(() => {
  scene = openScene();
  screen = new FakeScreen();
});
afterEach(() => scene[Symbol.asyncDispose]());

const script = (file: string): Record<string, unknown> => ({
  command: process.execPath,
  args: [resolve(import.meta.dirname, '../../../test', file)],
});

async function begin(more: Partial<Io> = {}): Promise<Outcome> {
  const loaded = await loadHostConfig({ cwd: scene.project, env: scene.env, managedDirectories: [] });
  const flags = { model: undefined, maxTurns: undefined, agents: [], appendSystemPrompt: undefined };
  const io = { ...fakeIo(scene, screen), ...more };
  return converse({ invocation: NO_FLAGS, io, loaded, flags, screen });
}

/** Enters a line once the screen meets the condition. */
const when = (isIt: (screen: FakeScreen) => boolean, line: string) => async (): Promise<string> => {
  await screen.until(isIt);
  return line;
};

test('without a model and servers a session says how to get both, and ends', async () => {
  screen.entries.push('hello', '/exit');
  const outcome = await begin();
  expect(outcome).toMatchObject({ exitCode: 0, isStreamed: true });
  expect(screen.text).toMatch(/^Plugboard \d+\.\d+\.\d+ {2}no model\n/u);
  expect(screen.text).toContain('No servers are configured: plugboard add, plugboard import, plugboard demo');
  expect(screen.text).toContain('ANTHROPIC_API_KEY');
  // The message that could not be sent is in the history; the input is free for a command.
  expect(screen.text).toContain('Your message was not sent: the Up key brings it back.');
  expect(screen.prompts[1]).toMatchObject({ history: ['hello', '/exit'] });
  expect(screen.prompts[1]?.draft).toBeUndefined();
});

test('tools, prompts and resources work by hand, and what was entered is remembered', async () => {
  scene.configure({ journal: scene.journaling() });
  screen.entries.push(
    when(({ text }) => text.includes('journal is connected, 5 tools'), '/call journal.append key=x'),
    '@journal:file:///journal',
    '/mcp__journal__nothing',
    ' /call journal.append key=hidden',
  );
  expect(await begin()).toMatchObject({ exitCode: 0 });
  expect(scene.ran()).toEqual(['append x', 'append hidden']);
  expect(screen.text).toContain('> /call journal.append key=x\nappend x\n');
  expect(screen.text).toContain('There is no prompt "/mcp__journal__nothing"');
  const history = readFileSync(join(scene.home, '.local/state/plugboard/history'), 'utf8');
  expect(history).toBe(
    ['/call journal.append key=x', '@journal:file:///journal', '/mcp__journal__nothing']
      .map((text) => `${JSON.stringify({ text })}\n`)
      .join(''),
  );
});

test('a server of the project is asked about before the first prompt, and a yes starts it', async () => {
  mkdirSync(join(scene.project, '.git'));
  writeFileSync(
    join(scene.project, '.mcp.json'),
    JSON.stringify({ mcpServers: { own: scene.journaling(), other: script('none.mjs') } }),
  );
  screen.keys.push('return', 'y', 'n');
  screen.entries.push(when(({ text }) => text.includes('own is connected'), '/call own.append key=y'));
  await begin();
  expect(screen.text).toContain('A project server wants to run ');
  expect(screen.text).toContain('Remembered: own is approved');
  expect(screen.text).toContain('Remembered: other is rejected');
  expect(scene.ran()).toEqual(['append y']);
});

test('a server that comes into the project later waits for a yes, and is told when it is gone', async () => {
  mkdirSync(join(scene.project, '.git'));
  const file = join(scene.project, '.mcp.json');
  screen.keys.push('y');
  screen.entries.push(
    async () => {
      await screen.until(({ prompts }) => prompts.length === 1);
      writeFileSync(file, JSON.stringify({ mcpServers: { own: scene.journaling() } }));
      await screen.until(({ text }) => text.includes('own of this project waits for approval: /mcp approve own'));
      return '/mcp approve own';
    },
    async () => {
      await screen.until(({ text }) => text.includes('own is connected, 5 tools'));
      writeFileSync(file, JSON.stringify({ mcpServers: {} }));
      await screen.until(({ text }) => text.includes('own is gone from the configuration'));
      return '/exit';
    },
  );
  await begin();
  expect(scene.starts()).toHaveLength(1);
});

test('whoever leaves the question about servers is asked later, and nothing has started', async () => {
  const starts = join(scene.home, 'started');
  mkdirSync(join(scene.project, '.git'));
  writeFileSync(
    join(scene.project, '.mcp.json'),
    JSON.stringify({
      mcpServers: { a: scene.journaling({ STARTS: starts }), b: scene.journaling({ STARTS: starts }) },
    }),
  );
  screen.keys.push('escape');
  await begin();
  expect(screen.text).toContain('No choice was made; /mcp approve asks again');
  expect(existsSync(starts)).toBe(false);
});

test('a server that needs a sign-in, fails or is lost is told in a line', async () => {
  scene.configure({ gone: script('none.mjs'), journal: scene.journaling() });
  screen.entries.push(
    when(({ text }) => text.includes('gone failed: '), '/call journal.die'),
    when(({ text }) => text.includes('journal is back'), '/exit'),
  );
  await begin();
  expect(screen.text).toContain('journal is connected, 5 tools\n');
  expect(screen.text).toMatch(/journal lost, retry 1\/5 (?:in 1 s|now): /u);
});

test('a lost server is told with the key that retries now, and comes back after it', async () => {
  scene.configure({ journal: scene.journaling() });
  screen.entries.push(
    when(({ text }) => text.includes('journal is connected'), '/call journal.die'),
    async () => {
      await screen.until(({ zones }) =>
        (zones.get('status')?.join('') ?? '').startsWith('Ctrl-G retries now; journal lost, retry 1/5 '),
      );
      screen.shortcuts.get('g')!();
      await screen.until(({ zones }) => !zones.has('status'));
      return '/exit';
    },
  );
  await begin();
  expect(scene.starts()).toHaveLength(2);
});

test('a command that nobody knows is told with what was meant, and nothing is sent', async () => {
  screen.entries.push('/hlep', '/frobnicate it');
  await begin();
  expect(screen.text).toContain('error: There is no command /hlep\n  → Did you mean /help?');
  expect(screen.prompts.at(-1)?.draft).toBeUndefined();
  expect(screen.prompts.at(-1)?.history.at(-1)).toBe('/frobnicate it');
});

test('Ctrl-C stops what is under way, and the session goes on', async () => {
  scene.configure({ journal: scene.journaling() });
  screen.entries.push(
    when(({ text }) => text.includes('journal is connected'), '/call journal.append ms=60000'),
    '/clear',
  );
  const ended = begin();
  await screen.until(({ zones }) => zones.get('work')?.[0]?.includes('append') === true);
  screen.interrupt();
  await ended;
  expect(screen.text).toContain('Stopped.\n> /clear\n');
});

test('a signal from outside ends it with 130, and closes its servers', async () => {
  scene.configure({ journal: scene.journaling() });
  const interrupted = new AbortController();
  screen.entries.push(async () => {
    await screen.until(({ text }) => text.includes('journal is connected'));
    interrupted.abort();
    return 'never sent';
  });
  expect(await begin({ interrupted: interrupted.signal })).toMatchObject({ exitCode: 130 });
  expect(screen.text).not.toContain('never sent');
});

test('the first prompt waits for no server', async () => {
  scene.configure({ slow: scene.journaling({ BOOT_MS: '60000' }) });
  let isShown = false;
  screen.entries.push(async () => {
    isShown = !screen.zones.has('status');
    await screen.until(({ zones }) => zones.get('status')?.[0]?.includes('Connecting slow') === true);
    return '/exit';
  });
  await begin();
  expect(isShown).toBe(true);
});

test('a server that wants a sign-in says so, and has its tools after it, without leaving the session', async () => {
  const authority = await keeping(openStrictServer());
  const { url } = await keeping(openProtectedServer({ authority }));
  scene.env['PLUGBOARD_KEYCHAIN'] = 'off';
  scene.configure({ srv: { type: 'http', url } });
  screen.entries.push(
    when(({ text }) => text.includes('srv needs you to sign in: /mcp login srv'), '/mcp login srv'),
    '/mcp tools srv',
    '/mcp logout srv',
  );
  const ended = begin();
  await screen.until(({ text }) => /^http:\S+$/mu.test(text));
  await browse(/^http:\S+$/mu.exec(screen.text)![0]);
  await ended;
  expect(screen.text).toContain('✔ Signed in to "srv"\n');
  expect(screen.text).toMatch(/srv: .* - ✔ connected \(\d+ tools?/u);
  expect(screen.text).toContain('Signed out of "srv"');
});
