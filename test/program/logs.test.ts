import { EventEmitter, once } from 'node:events';
import { appendFileSync, mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { FAR_MS } from './late-clock.js';
import { makeSandbox, type Run, type Sandbox, USER_FILE } from './sandbox.js';

const LOG = 'home/.local/state/plugboard/logs/a.log';
const entry = { command: 'node', env: { TOKEN: 'hunter2hunter2', KEY: '-----BEGIN-----\nMIIabcdefgh' } };

/** A sandbox with one server, and with its logs if they are given. */
function withLog(log: string | undefined, older?: string): Sandbox {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { a: entry } } });
  if (log !== undefined) sandbox.write(LOG, log);
  if (older !== undefined) sandbox.write(`${LOG}.1`, older);
  return sandbox;
}

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('');

test.each<[string, string | undefined, string | undefined, readonly string[], readonly string[]]>([
  ['the last 50 lines', numbered(1, 120), undefined, [], numbered(71, 120).trim().split('\n')],
  ['as many as asked for', 'one\ntwo\nthree\n', undefined, ['-n', '2'], ['two', 'three']],
  ['a line that has no end yet', 'one\ntw', undefined, ['-n', '2'], ['one', 'tw']],
  ['the older half before the newer', numbered(3, 4), numbered(1, 2), ['-n', '3'], ['line 2', 'line 3', 'line 4']],
  ['a line that begins in the older half', 'rd\nnext\n', 'first\nwo', [], ['first', 'word', 'next']],
  ['the older half alone', undefined, 'one\n', [], ['one']],
  ['no line at all', 'one\n', undefined, ['-n', '0'], []],
  ['what a terminal would obey, left out', '\u001B[31mred\u001B[0m\u202Eevil\u0007\r\n', undefined, [], ['redevil']],
  ['bytes that are no text', 'a\n\u0000b\u0000\n', undefined, [], ['a', 'b']],
  ['secrets of its entry, masked', 'key hunter2hunter2\nMIIabcdefgh\n', undefined, [], ['key ••••', '••••']],
  ['secrets that an escape sequence tears apart', 'hunter2\u001B[0mhunter2\n', undefined, [], ['••••']],
  ['what looks like a credential', 'Authorization: Bearer abcdefghijklmnop\n', undefined, [], ['Authorization: ••••']],
  ['secrets, with --reveal', 'hunter2hunter2\n', undefined, ['--reveal'], ['hunter2hunter2']],
])('logs shows %s', async (_, log, older, args, lines) => {
  const { run } = withLog(log, older);
  const json = await run(['logs', 'a', '--json', ...args]);
  expect([json.code, json.stderr, json.json?.data?.['lines']]).toEqual([0, '', lines]);
  const text = await run(['logs', 'a', ...args]);
  expect([text.code, text.stdout]).toEqual([0, lines.map((line) => `${line}\n`).join('')]);
});

test('a log of 64 MB costs no more than its last lines', async () => {
  const sandbox = withLog('');
  const path = join(sandbox.root, LOG);
  truncateSync(path, 64 * 1024 * 1024); // a sparse file, which takes no space on disk
  appendFileSync(path, `\n${numbered(1, 60)}`);
  const before = process.memoryUsage().arrayBuffers;
  const { stdout } = await sandbox.run(['logs', 'a']);
  expect(stdout).toBe(numbered(11, 60));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
});

test('a line that never ends is cut', async () => {
  const { json } = await withLog('x'.repeat(5_000_000)).run(['logs', 'a', '--json']);
  const [line = ''] = (json?.data?.['lines'] ?? []) as string[];
  expect([line.slice(0, 15), line.length < 4_300_000]).toEqual(['… [truncated] x', true]);
});

test.each<[string, object, string]>([
  ['was never started', { command: 'node' }, 'yet: it was never started, or has said nothing on stderr'],
  ['is lazy', { command: 'node', start: 'lazy' }, 'yet: it waits for its first use, or has said nothing on stderr'],
  [
    'is elsewhere',
    { url: 'https://mcp.test/' },
    ': it had no errors, and its own log is on the machine where it runs (http)',
  ],
  ['is disabled', { command: 'node', disabled: true }, 'yet: it is disabled. plugboard enable a'],
])('a server that %s has no log, and logs says why', async (_, server, why) => {
  const { run } = makeSandbox({ [USER_FILE]: { mcpServers: { a: server } } });
  const { code, stdout, stderr } = await run(['logs', 'a']);
  expect([code, stdout, stderr]).toEqual([0, '', `Server "a" has no log${why.startsWith(':') ? why : ` ${why}`}\n`]);
});

test.each<[readonly string[], number, string]>([
  [['logs', 'aa'], 1, 'error: No MCP server named "aa". Configured servers: a\n  → Did you mean "a"?\n'],
  [
    ['logs'],
    2,
    'error: logs takes one server name, got 0\n  → plugboard logs NAME | --calls [NAME] | --trace [NAME | URL | FILE | -- COMMAND] [-f] [-n LINES]\n',
  ],
  [['logs', 'a', '-n', 'many'], 2, 'error: --lines must be a number up to 100000, got many\n  → Write -n 200\n'],
])('%j is explained', async (args, code, stderr) => {
  const run = await withLog('one\n').run(args);
  expect([run.code, run.stdout, run.stderr]).toEqual([code, '', stderr]);
});

test('a log that is a link is not followed to where it leads', async () => {
  const sandbox = withLog(undefined);
  mkdirSync(dirname(join(sandbox.root, LOG)), { recursive: true });
  symlinkSync('/etc/passwd', join(sandbox.root, LOG));
  const { code, stdout, stderr } = await sandbox.run(['logs', 'a']);
  expect([code, stdout, stderr.includes('cannot be read: ELOOP')]).toEqual([1, '', true]);
});

/** `logs -f` that runs until it is stopped. */
class Following {
  readonly ended: Promise<Run>;
  readonly #stop = new AbortController();
  #text = '';
  #waiting: (() => void)[] = [];

  /** `isRead`: whether stdout is still read after this text. */
  constructor(sandbox: Sandbox, args: readonly string[] = [], isRead: (text: string) => boolean = () => true) {
    this.ended = sandbox.run(['logs', 'a', '-f', ...args], {
      interrupted: this.#stop.signal,
      onStderr: (text) => this.#receive(text),
      onStdout: (text) => {
        this.#receive(text);
        return isRead(text);
      },
    });
  }

  #receive(text: string): void {
    this.#text += text;
    for (const tell of this.#waiting.splice(0)) tell();
  }

  /** Waits until the text has appeared on stdout or stderr. */
  async until(text: string): Promise<void> {
    while (!this.#text.includes(text)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  stop(): Promise<Run> {
    this.#stop.abort();
    return this.ended;
  }
}

test('-f goes on with what comes: after a rotation, after a cut, secrets masked', async () => {
  const sandbox = withLog('old\none\ntw');
  const path = join(sandbox.root, LOG);
  const following = new Following(sandbox, ['-n', '1']);
  await following.until('one\n');
  appendFileSync(path, 'o\nhunter2hunter2\n\u001B[2Jthree\n');
  await following.until('three\n');
  appendFileSync(path, 'last words\nunfini');
  renameSync(path, `${path}.1`);
  writeFileSync(path, 'shed\nfirst words\n');
  await following.until('first words\n');
  // A shorter file was truncated, so it is read from its start.
  writeFileSync(path, 'again\n');
  await following.until('again\n');
  const { code, stdout, stderr } = await following.stop();
  expect([code, stderr, stdout]).toEqual([
    0,
    '',
    'one\ntwo\n••••\nthree\nlast words\nunfinished\nfirst words\nagain\n',
  ]);
});

test('-f waits for a log that is not there yet, and with --json gives a line of JSON for each line', async () => {
  const sandbox = withLog(undefined);
  const following = new Following(sandbox, ['--json']);
  await following.until('Server "a" has no log yet: it was never started, or has said nothing on stderr\n');
  sandbox.write(LOG, 'one "quoted"\ntwo\n');
  await following.until('two');
  const { code, stdout } = await following.stop();
  expect([code, stdout]).toEqual([0, '{"line":"one \\"quoted\\""}\n{"line":"two"}\n']);
});

test('-f ends when nobody reads any more, and when its time is over', async () => {
  const closed = await new Following(withLog('one\n'), [], () => false).ended;
  const sandbox = withLog('one\n');
  const gone = new Following(sandbox, [], (text) => !text.includes('two'));
  await gone.until('one\n');
  appendFileSync(join(sandbox.root, LOG), 'two\n');
  const said = new EventEmitter();
  const shown = once(said, 'said');
  const onStdout = (): boolean => said.emit('said');
  const late = await withLog('one\n').run(['logs', 'a', '-f', '--timeout', FAR_MS], {
    onStdout,
    late: { at: () => shown },
  });
  expect([closed.code, (await gone.ended).code, late.code, late.stdout]).toEqual([0, 0, 124, 'one\n']);
});

test('what a server says on stderr is in its log', async () => {
  const talkative = { command: 'node', args: ['-e', 'console.error("no database");process.exit(1)'] };
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { 'My Server': talkative } } });
  await sandbox.run(['doctor']);
  const { stdout } = await sandbox.run(['logs', 'My Server']);
  const lines = stdout.split('\n');
  expect(lines).toContain('no database');
  expect(lines.some((line) => /plugboard\] pending -> failed: .*exited with code 1/u.test(line))).toBe(true);
});

const LEDGER = 'home/.local/state/plugboard/ledger/calls.jsonl';
const made = {
  id: 'toolu_1',
  at: '2026-11-15T12:00:00.000Z',
  tool: 'mcp__db__query',
  server: 'db',
  decision: 'allow',
  rule: 'mcp__db__*',
  outcome: 'ok',
  ms: 12.3,
  bytesIn: 20,
  bytesOut: 30_400,
  tokens: 75,
  attempts: 1,
  pid: 7,
};
const denied = { ...made, id: 'toolu_2', tool: 'mcp__fs__write', server: 'fs', decision: 'deny', outcome: 'error' };
const ledgerOf = (...lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

test('logs --calls shows a line for each call, and all of it as JSON', async () => {
  const lost = { at: made.at, pid: 7, lost: 3 };
  const refused = { ...denied, rule: undefined, code: 'denied', message: 'no\u001B[2J', waitedMs: 5, attempts: 2 };
  const completed = { ...made, tool: 'mcp__fs__prompts', server: 'fs', prompt: 'greet', completes: 'city' };
  const sandbox = makeSandbox({ [LEDGER]: ledgerOf(made, refused, completed, lost) });
  const env = { TZ: 'UTC' };
  const { code, stdout, stderr } = await sandbox.run(['logs', '--calls'], { env });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/gu, 'TIME').split('\n')).toEqual([
    'TIME  ✔ ok       mcp__db__query  12 ms  20 B in, 30.4 kB out  75 tokens  allow by mcp__db__*',
    'TIME  ✘ error    mcp__fs__write  12 ms (5 waiting)  20 B in, 30.4 kB out  75 tokens  2 attempts  deny  denied: no',
    'TIME  ✔ ok       mcp__fs__prompts greet (completes city)  12 ms  20 B in, 30.4 kB out  75 tokens  allow by mcp__db__*',
    'TIME  ? 3 calls could not be logged',
    '',
  ]);
  const { json } = await sandbox.run(['logs', '--calls', 'db', '-n', '1', '--json']);
  expect(json?.data?.['calls']).toEqual([lost]);
  const { json: both } = await sandbox.run(['logs', '--calls', 'db', '--json']);
  expect(both?.data?.['calls']).toEqual([made, lost]);
});

test('logs --calls says when there is none, and -f goes on with what comes', async () => {
  const sandbox = makeSandbox({});
  const none = await sandbox.run(['logs', '--calls', 'db']);
  expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'No call of server "db" is logged yet\n']);
  sandbox.write(LEDGER, ledgerOf(made));
  const stop = new AbortController();
  const path = join(sandbox.root, LEDGER);
  let received = '';
  const { code, stdout } = await sandbox.run(['logs', '--calls', 'db', '-f', '--json'], {
    interrupted: stop.signal,
    onStdout(text) {
      received += text;
      if (received.includes('toolu_3')) stop.abort();
      else appendFileSync(path, ledgerOf(denied, { ...made, id: 'toolu_3' }));
      return true;
    },
  });
  expect([code, stdout]).toEqual([0, ledgerOf(made, { ...made, id: 'toolu_3' })]);
});
