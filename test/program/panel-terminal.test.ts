import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { journaling, openGuarded, scripted } from './live-servers.js';
import { makeSandbox, PROJECT_FILE, USER_FILE } from './sandbox.js';
import { openTmux } from './tmux.js';

/** Runs only the panel on its terminal. */
const DRIVER = `
  import { loadHostConfig } from './config/load.js';
  import { Host } from './host/host.js';
  import { inside } from './host/inside.js';
  import { openPanel } from './cli/panel/panel.js';
  import { openScreen } from './cli/terminal/open-screen.js';
  const loaded = await loadHostConfig({ managedDirectories: [] });
  await using host = Host[inside](loaded, { ...loaded.context.options, socket: false });
  await using screen = openScreen({ input: process.stdin, output: process.stdout }, { env: process.env, noColor: false });
  screen.print('first line');
  const actions = {
    async signIn(name: string) {
      screen.print('signing in to ' + name);
      await screen.ask('code: ');
    },
  };
  await openPanel({ screen, host, io: { now: () => new Date() }, actions });
  screen.print('last line');
`;

test('in a real terminal servers are looked at, disabled, approved, and the terminal is left as it was', async (context) => {
  const sandbox = makeSandbox({
    [USER_FILE]: {
      mcpServers: {
        journal: journaling(),
        dead: scripted("console.error('Error: no key'); process.exit(3)"),
        guarded: { url: await openGuarded() },
      },
    },
    [PROJECT_FILE]: { mcpServers: { shared: journaling() } },
  });
  const { home, project: cwd, root } = sandbox;
  const driver = join(root, 'driver.mjs');
  await build({
    stdin: { contents: DRIVER, resolveDir: resolve(import.meta.dirname, '../../src'), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile: driver,
    mainFields: ['module', 'main'],
    external: ['sharp', '@napi-rs/keyring'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const script = `stty -a > before.txt; ${process.execPath} ${driver}; code=$?; stty -a > after.txt; echo "[code $code]"`;
  const { type, until } = openTmux(context, { home, cwd, script, env: {}, columns: 90 });
  const table = await until('1 connected, 1 needs sign-in, 1 failed, 1 to approve');
  expect(table).toMatch(/^ {2}journal +✔ connected +user /mu);
  expect(table).not.toContain('first line');
  type('j', 'Enter');
  expect(await until('Skills (0)')).toContain('▾ Tools (5)');
  type('Tab', 'j', 'Enter');
  expect(await until('Called: mcp__journal__read')).toContain('| the tool read');
  type('c');
  await until('[ Call journal.read ]');
  type('C-r');
  await until('Result of journal.read');
  await until('y copy as a command');
  type('?');
  await until('Help: the result of a call');
  type('q', 'q');
  await until('[ Call journal.read ]');
  type('Escape');
  await until('Called: mcp__journal__read');
  type('q', 'd');
  await until('File modified');
  type('Escape');
  await until('  NAME');
  type('/', 's', 'h', 'a', 'Enter', 'a');
  expect(await until('Let "shared" run?')).toContain('=> starts ');
  type('y');
  expect(await until('Remembered: shared is approved')).not.toContain('[code');
  await until('✔ connected');
  type('Escape');
  await until('✘ failed');
  type('End', 'l');
  await until('signing in to guarded');
  await until('code:');
  type('1', '2', 'Enter');
  await until('"guarded" needs a sign-in: answered HTTP 401');
  type('g');
  await until('What "guarded" has said on stderr');
  type('C-c', 'Escape', 'C-c');
  const end = await until('[code 0]');
  expect(end).toMatch(/first line\nsigning in to guarded\ncode: 12\nlast line\n\[code 0\]/u);
  expect(sandbox.read('home/code/app/after.txt')).toBe(sandbox.read('home/code/app/before.txt'));
});
