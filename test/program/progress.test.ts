import { expect, test } from 'vitest';
import { FakeClock } from '../fake-clock.js';
import { openGate, openGuarded, scripted } from './live-servers.js';
import { makeSandbox, type Run, type RunOptions, USER_FILE } from './sandbox.js';

const ERASE = '\r\u001B[K';
const broken = scripted('process.exit(1)');

async function list(servers: object, args: readonly string[], options?: RunOptions): Promise<Run> {
  return makeSandbox({ [USER_FILE]: { mcpServers: servers } }).run(['list', ...args], options);
}

test('on a terminal one line counts the servers in place, and is gone in the end', async () => {
  const { entry, open } = openGate({ isShut: true });
  const servers = { a: entry, b: broken, c: { url: await openGuarded() } };
  // The gate opens when the line shows the other two servers.
  const told = 'Connecting 2/3 ... 1 needs login, 1 failed';
  const onStderr = (text: string): void => void (text.includes(told) && open());
  const { stderr } = await list(servers, [], { isTerminal: true, columns: 120, onStderr });
  const drawn = stderr.split(ERASE);
  expect(drawn[0]).toBe('');
  expect(drawn.at(-1)).toBe('');
  const lines = drawn.slice(1, -1);
  for (const line of lines) {
    expect(line).toMatch(/^Connecting [0-3]\/3 \.\.\.(?: 1 needs login)?(?:,? 1 failed)?(?:;? waiting for .*)?$/u);
  }
  expect(lines.filter((line) => line.startsWith(told))).not.toEqual([]);
});

test('a line never grows longer than the screen', async () => {
  const { entry, open } = openGate({ isShut: true });
  const { stderr } = await list({ a: entry }, [], { isTerminal: true, columns: 12, onStderr: open });
  expect(stderr).toBe(`${ERASE}Connecting…${ERASE}`);
});

test.each<[string, readonly string[], RunOptions]>([
  ['--quiet', ['--quiet'], { isTerminal: true }],
  ['--json', ['--json'], { isTerminal: true }],
  ['no terminal', [], {}],
])('with %s nothing is said of servers that answer soon', async (_, args, options) => {
  const { entry, received, open } = openGate({ isShut: true });
  const clock = new FakeClock();
  const listed = list({ a: entry }, args, { ...options, clock });
  await received();
  await clock.pass(1_900);
  open();
  expect((await listed).stderr).toBe('');
});

test.each<[string, RunOptions]>([
  ['elsewhere', {}],
  ['on a terminal that cannot go back', { isTerminal: true, env: { TERM: 'dumb' } }],
])('%s --verbose gives a line for each server that answers or fails', async (_, options) => {
  const { entry, open } = openGate({ isShut: true });
  const onStderr = (text: string): void => void (text.includes('b failed') && open());
  const { stderr } = await list({ a: entry, b: broken }, ['--verbose'], {
    ...options,
    onStderr,
    clock: new FakeClock(),
  });
  expect(stderr).toBe(
    'Connecting 1/2: b failed: Server "b" exited with code 1 before it answered initialize\nConnecting 2/2: a connected\n',
  );
});

test('elsewhere a wait of more than two seconds is explained, and each late server is told', async () => {
  const [quick, late] = [openGate(), openGate({ isShut: true })];
  const clock = new FakeClock();
  const listed = list({ quick: quick.entry, late: late.entry }, [], { clock });
  await Promise.all([quick.received('took prompts/list'), late.received()]);
  await clock.pass(2_000);
  late.open();
  expect((await listed).stderr).toBe('Connecting 1/2: waiting for late\nConnecting 2/2: late connected\n');
});
