import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { installPacked } from './packed-program.js';
import { LOCK_FILE, localFileOf, makeSandbox, type Sandbox, serversIn, TRUST_FILE, USER_FILE } from './sandbox.js';
import { type Seat, type SeatOptions, useSeats } from './session-terminal-scene.js';
import { again } from './tmux.js';

const open = useSeats();
const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const notes = { command: process.execPath, args: [resolve(import.meta.dirname, '../../demo/servers/notes.mjs')] };
const others = {
  'home/.claude.json': { mcpServers: { notes, tasks: { ...notes, env: { KEY: 'hunter2hunter2' } } } },
  'home/.cursor/mcp.json': { mcpServers: { notes, lists: notes } },
  'home/.config/zed/settings.json': { context_servers: { notes: { command: 'other' }, mail: notes } },
};
const KEYS = 'esc not now';

/** A user who has never used Plugboard, with three other hosts and a repository that brings a file of its own. */
async function sit(context: TestContext, options: SeatOptions = {}): Promise<Seat> {
  const sandbox = makeSandbox({}, { isTrusted: false });
  for (const [file, content] of Object.entries(others)) sandbox.write(file, content);
  sandbox.write('home/code/app/.cursor/mcp.json', { mcpServers: { built: notes } });
  const seat = open(context, { sandbox, ...options });
  await seat.until(KEYS);
  return seat;
}

/** Presses a key until its effect shows: one that comes before the picker can be seen is ignored. */
async function press(seat: Seat, key: string, effect: string): Promise<string> {
  const once = again(() => seat.type(key));
  return seat.untilSo((screen) => screen.replaceAll(/\s+/gu, ' ').includes(effect) || once() === true);
}

/** Ends the session before its folder is removed. */
async function leave(seat: Seat): Promise<void> {
  await seat.enter('/exit');
  await seat.until('[ended 0]');
}

const userFile = (sandbox: Sandbox): string => join(sandbox.root, USER_FILE);
const linksIn = (sandbox: Sandbox): readonly string[] =>
  (
    JSON.parse(readFileSync(userFile(sandbox), 'utf8')) as { settings: { links: readonly { host: string }[] } }
  ).settings.links.map(({ host }) => host);

test('a stranger comes from plugboard to the first successful call with two inputs', async (context) => {
  const seat = await sit(context, { script: '$PLUGBOARD; echo again; $PLUGBOARD', ...(await packed()) });
  const offered = seat.seen();
  expect(offered).toContain('Found 5 servers in Claude Code, Cursor and Zed; 1\nof them only in files of');
  expect(offered).toContain('[x] Claude Code  ~/.claude.json');
  expect(offered).toMatch(/\[x\] Cursor .*\n +notes +the same as in Claude Code\n +lists +the same server as notes/u);
  expect(offered).toMatch(/\[x\] Zed .*\n +notes +not used: Claude Code has another notes\n/u);
  expect(offered).toMatch(/From this repository.*\n(?:.*\n)?.*\[ \] Cursor +~\/code\/app\/\.cursor\/mcp\.json/u);
  expect(offered).not.toContain('hunter2');
  expect(existsSync(userFile(seat.sandbox))).toBe(false);
  // The first input.
  await press(seat, 'Enter', 'Linked Claude Code, Cursor, Zed');
  // The second.
  await seat.enter('/call notes.list_notes');
  await seat.until('bread\ncoffee');
  expect(linksIn(seat.sandbox)).toEqual(['claude-code', 'cursor', 'zed']);
  // The empty box of the list was the answer about the folder: nothing is asked a second time.
  expect(readFileSync(join(seat.sandbox.root, TRUST_FILE), 'utf8')).toContain('"untrusted"');
  await seat.enter('/exit');
  await seat.until('again');
  await seat.enter('/exit');
  expect(await seat.until('[ended 0]')).not.toContain('Do you trust this folder?');
});

/** Without servers, but with a hook, about which the folder's trust is asked before anything is offered. */
function withHook(): Sandbox {
  const sandbox = makeSandbox(others, { isTrusted: false });
  const hooks = { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: 'true' }] }] };
  sandbox.write(USER_FILE, { settings: { hooks } });
  return sandbox;
}

test('a user who leaves the question about the folder open is not asked again in the list', async (context) => {
  const seat = open(context, { sandbox: withHook() });
  await seat.until('Trust this folder? [y]es, [n]o, Enter: not now:');
  seat.type('Enter');
  await seat.until(KEYS);
  expect(seat.seen()).toContain('[x] Claude Code');
  expect(seat.seen()).not.toContain('Trust this folder');
  await press(seat, 'Enter', 'Linked Claude Code, Cursor, Zed');
  await leave(seat);
  expect(existsSync(join(seat.sandbox.root, TRUST_FILE))).toBe(false);
});

test('a user who leaves the question about the folder open is not asked again in lines', async (context) => {
  const seat = open(context, { sandbox: withHook(), script: 'TERM=dumb $PLUGBOARD' });
  await seat.until('Trust this folder? [y]es, [n]o, Enter: not now:');
  seat.line('');
  await seat.until('l/i/n:');
  seat.line('l');
  await seat.until('Linked Claude Code, Cursor, Zed');
  const screen = await seat.untilSo((all) => all.endsWith('\n>'));
  expect(screen).not.toContain('Trust this folder? y/n');
  seat.line('/exit');
  await seat.until('[ended 0]');
});

/** The full version runs the packed and installed package; the usual one the same code, as it was built. */
async function packed(): Promise<SeatOptions> {
  if (!FULL) return {};
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-packed-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules'));
  return { env: { PLUGBOARD: installPacked(folder) } };
}

test('only what is ticked is copied, and the folder is trusted only when the user says so', async (context) => {
  const seat = await sit(context, { columns: 60, rows: 30 });
  await press(seat, 'Down', '> [x] Cursor');
  await press(seat, 'Space', '> [ ] Cursor');
  await press(seat, 'Down', '> [x] Zed');
  await press(seat, 'Down', '> [ ] Cursor ~/code/app');
  await press(seat, 'Space', '> [x] Cursor ~/code/app');
  await press(seat, 't', '[x] Trust this folder');
  await press(seat, 'i', 'is trusted; remembered');
  const { sandbox } = seat;
  expect(Object.keys(serversIn(userFile(sandbox)))).toEqual(['notes', 'tasks', 'mail']);
  expect(Object.keys(serversIn(localFileOf(sandbox)))).toEqual(['built']);
  expect(readFileSync(join(sandbox.root, TRUST_FILE), 'utf8')).toContain(sandbox.project);
  await seat.enter('/call built.list_notes');
  expect(await seat.until('bread\ncoffee')).not.toContain('hunter2');
  // What is there already is not ticked again.
  await seat.enter('/import');
  await seat.until(KEYS);
  const offered = seat.seen();
  expect(offered).toMatch(/\[ \] Claude Code .*\n +notes +already there\n +tasks +already there\n/u);
  expect(offered).toMatch(/\[x\] Cursor .*\n +notes +already there\n +lists/u);
  await press(seat, 'Enter', 'Linked Cursor');
  await seat.enter('/call lists.list_notes');
  await seat.untilSo((screen) => screen.split('bread\ncoffee').length === 3);
  await leave(seat);
});

test('not now changes nothing, and a session without servers begins', async (context) => {
  const seat = await sit(context);
  await press(seat, 'a', '[ ] Zed');
  await press(seat, 'Enter', 'Nothing is ticked');
  seat.type('Escape');
  await seat.until('To use them later: /import');
  await seat.until('No servers are configured');
  await leave(seat);
  expect(existsSync(userFile(seat.sandbox))).toBe(false);
});

test('a terminal that cannot be redrawn asks in lines', async (context) => {
  const sandbox = makeSandbox(others, { isTrusted: false });
  const seat = open(context, { sandbox, script: 'TERM=dumb $PLUGBOARD' });
  await seat.until('l/i/n:');
  seat.line('l');
  await seat.until('Trust this folder? y/n, Enter: not now:');
  seat.line('n');
  await seat.until('untrusted; remembered');
  await seat.untilSo((screen) => screen.endsWith('\n>'));
  seat.line('/call notes.list_notes');
  await seat.until('bread\ncoffee');
  expect(linksIn(sandbox)).toEqual(['claude-code', 'cursor', 'zed']);
  seat.line('/exit');
  await seat.until('[ended 0]');
});

test('nothing is offered with --quiet, or where an administrator decides about servers', async (context) => {
  const sandbox = makeSandbox(others);
  const seat = open(context, { sandbox, script: '$PLUGBOARD --quiet; $PLUGBOARD --strict-mcp-config' });
  await seat.enter('/exit');
  await seat.until('No servers are configured');
  await seat.enter('/exit');
  expect(await seat.until('[ended 0]')).not.toContain(KEYS);
  const locked = await makeSandbox({ ...others, [LOCK_FILE]: { mcpServers: {} } }).run(['list', '--json']);
  expect(locked.json?.data).not.toHaveProperty('found');
});
