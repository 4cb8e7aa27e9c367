import { expect, test } from 'vitest';
import { journaling, openGuarded, scripted } from './live-servers.js';
import { makeSandbox, type Run, type RunOptions, USER_FILE } from './sandbox.js';

const ERASE = '\r\u001B[K';
const slow = journaling({ BOOT_MS: '600' }); // long after the others have had their say
const broken = scripted('process.exit(1)');

async function list(servers: object, args: readonly string[], options?: RunOptions): Promise<Run> {
  return makeSandbox({ [USER_FILE]: { mcpServers: servers } }).run(['list', ...args], options);
}

test('on a terminal one line counts the servers in place, and is gone in the end', async () => {
  const servers = { a: journaling({ BOOT_MS: '1200' }), b: broken, c: { url: await openGuarded() } };
  const { stderr } = await list(servers, [], { isTerminal: true });
  const drawn = stderr.split(ERASE);
  expect(drawn[0]).toBe('');
  expect(drawn.at(-1)).toBe('');
  const lines = drawn.slice(1, -1);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatch(/^Connecting [0-3]\/3 \.\.\.(?: 1 needs login)?(?:,? 1 failed)?$/u);
  expect(lines).toContain('Connecting 2/3 ... 1 needs login, 1 failed');
});

test('a line never grows longer than the screen', async () => {
  const { stderr } = await list({ a: slow }, [], { isTerminal: true, columns: 12 });
  expect(stderr).toBe(`${ERASE}Connecting…${ERASE}`);
});

test.each<[string, readonly string[], RunOptions]>([
  ['--quiet', ['--quiet'], { isTerminal: true }],
  ['--json', ['--json'], { isTerminal: true }],
  ['no terminal', [], {}],
])('with %s nothing is said of servers that answer soon', async (_, args, options) => {
  expect((await list({ a: slow }, args, options)).stderr).toBe('');
});

test.each<[string, RunOptions]>([
  ['elsewhere', {}],
  ['on a terminal that cannot go back', { isTerminal: true, env: { TERM: 'dumb' } }],
])('%s --verbose gives a line for each server that answers or fails', async (_, options) => {
  const { stderr } = await list({ a: slow, b: broken }, ['--verbose'], options);
  expect(stderr).toBe(
    'Connecting 1/2: b failed: Server "b" exited with code 1 before it answered initialize\nConnecting 2/2: a connected\n',
  );
});

test('elsewhere a wait of more than two seconds is explained, and each late server is told', async () => {
  const { stderr } = await list({ quick: journaling(), late: journaling({ BOOT_MS: '2300' }) }, []);
  expect(stderr).toBe('Connecting 1/2: waiting for late\nConnecting 2/2: late connected\n');
});
