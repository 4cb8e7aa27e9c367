import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { makeSandbox, USER_FILE } from './sandbox.js';

const SECRET = 'hunter2-and-more-of-it';
const notes = {
  command: process.execPath,
  args: [resolve('demo/servers/notes.mjs')],
  env: { NOTES_TITLE: 'Shopping', NOTES_TOKEN: SECRET },
};
const files = { [USER_FILE]: { mcpServers: { notes } } };

interface Traced {
  readonly kind: string;
  readonly from: string;
  readonly method?: string;
  readonly id?: number;
  readonly tookMs?: number;
  readonly bytes: number;
}

const parse = (stdout: string): Traced[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Traced);

test('logs --trace shows the messages of both sides, each response with what it answers', async () => {
  const { code, stdout, stderr } = await makeSandbox(files).run(['logs', '--trace', 'notes', '--json']);
  expect(code).toBe(0);
  expect(stderr).toContain('Messages of other running hosts cannot be seen here');
  const all = parse(stdout);
  expect(all[0]).toMatchObject({ server: 'notes', kind: 'event', from: 'pipe', method: 'opened' });
  const asked = all.find(({ kind, method }) => kind === 'request' && method === 'tools/list')!;
  expect(asked).toMatchObject({ from: 'host', id: expect.any(Number) as number, bytes: expect.any(Number) as number });
  expect(all.find(({ kind, id }) => kind === 'response' && id === asked.id)).toMatchObject({
    from: 'server',
    method: 'tools/list',
    tookMs: expect.any(Number) as number,
    message: { result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'add_note' })]) as unknown } },
  });
  expect(all.some(({ kind, method }) => kind === 'notification' && method === 'notifications/initialized')).toBe(true);
});

test.each([40, 80, 120])('on a terminal of %i columns a message is one line that fits', async (columns) => {
  const { stdout, stderr } = await makeSandbox(files).run(['logs', '--trace', 'notes'], { isTerminal: true, columns });
  expect(stderr).not.toContain('Connecting');
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(6);
  // eslint-disable-next-line no-control-regex
  const plain = lines.map((line) => line.replaceAll(/\u001B\[[\d;]*m/gu, ''));
  expect(plain.filter((line) => /^\+\d+\.\d{3} notes [→←·] /u.test(line))).toEqual(plain);
  const long = plain.filter((line) => line.length > columns).map((line) => line.slice(columns));
  // What says when, who and what is never cut; content is.
  expect(long.filter((rest) => rest.includes('{'))).toEqual([]);
});

test('every command shows its messages on stderr, without secrets, and answers as usual', async () => {
  const sandbox = makeSandbox(files);
  const { code, stdout, stderr } = await sandbox.run([
    'call',
    'notes.add_note',
    `text=${SECRET}`,
    '--trace',
    '--verbose',
  ]);
  expect([code, stdout]).toEqual([0, '3 notes\n']);
  expect(stderr).toMatch(/^\+\d+\.\d{3} notes → tools\/call #\d+ \d+ B$/mu);
  expect(stderr).toMatch(/^\+\d+\.\d{3} notes ← tools\/call #\d+ ok \d+ ms \d+ B$/mu);
  expect(stderr).toContain('"text": "3 notes"');
  expect(stdout + stderr).not.toContain(SECRET);
});

test('a password among the arguments of a server is no part of its trace', async () => {
  const args = [...notes.args, '--password', 'horse77-staple'];
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { notes: { ...notes, args } } } });
  const text = 'text=horse77-staple and horse77\u200B-staple';
  const { code, stderr } = await sandbox.run(['call', 'notes.add_note', text, '--trace', '--verbose']);
  expect(code).toBe(0);
  expect(stderr).toContain('tools/call');
  expect(stderr).not.toContain('horse77');
});

test('a session draws its own screen, so it takes no trace', async () => {
  const { code, stderr } = await makeSandbox(files).run(['session', '--trace']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--trace would write into the screen of a session')]);
});

test('with -f the trace goes on until Ctrl-C', async () => {
  const stop = new AbortController();
  const { code, stdout } = await makeSandbox(files).run(['logs', '--trace', 'notes', '-f', '--json'], {
    interrupted: stop.signal,
    onStdout(text) {
      if (text.includes('"tools":')) stop.abort();
      return true;
    },
  });
  expect(code).toBe(0);
  expect(parse(stdout).at(-1)).toMatchObject({ kind: 'event', method: 'closed' });
});

test('a recording is shown in the same way, and a file that is none is refused', async () => {
  const sandbox = makeSandbox(files);
  await sandbox.run(['tools', 'notes', '--record', 'run.jsonl']);
  const { json } = await sandbox.run(['logs', '--trace', 'run.jsonl', '--json']);
  const messages = json?.data?.['messages'] as Traced[];
  expect(messages.map(({ method }) => method)).toEqual(
    expect.arrayContaining(['opened', 'initialize', 'notifications/initialized', 'tools/list', 'closed']),
  );
  const last = await sandbox.run(['logs', '--trace', 'run.jsonl', '-n', '1']);
  expect(last.stdout).toMatch(/^\+\d+\.\d{3} notes · closed /u);
  sandbox.write('home/code/app/other.json', '{}');
  const { code, stderr } = await sandbox.run(['logs', '--trace', 'other.json']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('other.json is not a recording')]);
});

test.each<[readonly string[], number, string]>([
  [['--trace', 'nobody'], 1, 'No MCP server named "nobody"'],
  [['--trace', '--calls'], 2, '--calls and --trace show different things'],
  [['--trace', './gone.jsonl'], 1, 'gone.jsonl cannot be read'],
])('logs %j says what is wrong', async (args, code, message) => {
  const run = await makeSandbox(files).run(['logs', ...args]);
  expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(message)]);
});

test('a server that fails is traced as far as it came', async () => {
  const { code, stdout, stderr } = await makeSandbox().run([
    'logs',
    '--trace',
    '--',
    process.execPath,
    '-e',
    'process.exit(3)',
  ]);
  expect(code).toBe(0);
  expect(stdout).toContain('initialize');
  expect(stdout).toContain('"code":3');
  expect(stderr).toContain('is not connected: ');
});
