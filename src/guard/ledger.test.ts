import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import { FakeClock } from '../../test/fake-clock.js';
import { Secret } from '../base/secret.js';
import type { LedgerEntry } from '../model/ledger-entry.js';
import { textRedactor } from '../model/redaction/redact-text.js';
import { Ledger, type LedgerOptions } from './ledger.js';
import { followLedger, type LedgerRecord, readLedger } from './ledger-read.js';

const entry: LedgerEntry = {
  id: 'toolu_1',
  tool: 'mcp__db__query',
  server: 'db',
  decision: 'allow',
  rule: 'mcp__db__*',
  outcome: 'ok',
  ms: 12.34,
  bytesIn: 20,
  bytesOut: 300,
  tokens: 75,
  attempts: 1,
};
const NOW = Date.parse('2026-11-15T12:00:00.000Z');

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-ledger-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Scene {
  readonly ledger: Ledger;
  readonly folder: string;
  readonly problems: string[];
}

function open(options: Partial<LedgerOptions> = {}): Scene {
  const folder = options.folder ?? join(makeFolder(), 'state', 'ledger');
  const problems: string[] = [];
  const ledger = new Ledger({
    wall: () => NOW,
    onProblem: (message) => void problems.push(message),
    ...options,
    folder,
  });
  onTestFinished(() => ledger[Symbol.asyncDispose]());
  return { ledger, folder, problems };
}

const idsOf = (calls: readonly LedgerRecord[]): unknown[] => calls.map((call) => ('id' in call ? call.id : call.lost));
const numbered = (from: number, to: number): LedgerEntry[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ ...entry, id: `${from + index}` }));

test('a call is one line of JSON, for its user alone', async () => {
  const { ledger, folder } = open({ session: 's1' });
  ledger.write(entry);
  ledger.write({
    ...entry,
    server: undefined,
    rule: undefined,
    outcome: 'error',
    code: 'denied',
    message: 'no\nsuch',
    ms: Number.NaN,
  });
  await ledger[Symbol.asyncDispose]();
  const file = join(folder, 'calls.jsonl');
  const [first, second] = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  const { pid } = process;
  expect(first).toEqual({ ...entry, at: '2026-11-15T12:00:00.000Z', ms: 12.3, pid, session: 's1' });
  expect(second).toMatchObject({ outcome: 'error', code: 'denied', message: 'no such', ms: 0 });
  expect([statSync(file).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('lines are gathered for a tenth of a second, and are all there when it is closed', async () => {
  const clock = new FakeClock();
  const { ledger, folder } = open({ clock });
  for (const one of numbered(1, 1000)) ledger.write(one);
  expect([clock.timers, readLedger(folder, { tail: 1 }).position]).toEqual([1, undefined]);
  await clock.pass(100);
  await expect.poll(() => readLedger(folder, { tail: 9999 }).calls).toHaveLength(1000);
  ledger.write({ ...entry, id: 'last' });
  await ledger[Symbol.asyncDispose]();
  ledger.write({ ...entry, id: 'too late' });
  expect(idsOf(readLedger(folder, { tail: 2 }).calls)).toEqual(['1000', 'last']);
});

test('secrets are in no line, neither those that are known nor those that look like one', async () => {
  const { ledger, folder } = open({ redactor: textRedactor({ secrets: [new Secret('hunter2hunter2')] }) });
  const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123';
  const message = `${'x'.repeat(285)} ${token}, then hunter2\u200bhunter2`;
  ledger.write({
    ...entry,
    outcome: 'error',
    message,
    rule: `Bash(curl -H "Authorization: Bearer ${token}")`,
    tool: token,
  });
  await ledger[Symbol.asyncDispose]();
  const text = readFileSync(join(folder, 'calls.jsonl'), 'utf8');
  expect(text).not.toMatch(/ghp_abc|hunter/u);
  expect(text.length).toBeLessThan(1000);
});

test('an id is whatever a program or a model made up, and is written down like any text', async () => {
  const { ledger, folder } = open();
  for (const id of ['toolu_01A-b', 'a\u202eb\u001b[2J\nc', '\u{e0041}x', 'y'.repeat(5_000)])
    ledger.write({ ...entry, id });
  await ledger[Symbol.asyncDispose]();
  const lines = readFileSync(join(folder, 'calls.jsonl'), 'utf8').trimEnd().split('\n');
  const ids = lines.map((line) => (JSON.parse(line) as LedgerEntry).id);
  expect(ids.slice(0, 3)).toEqual(['toolu_01A-b', 'ab c', 'x']);
  expect(ids[3]!.length).toBeLessThanOrEqual(200);
});

/** Bundles modules into one file that plain Node can run. */
async function bundle(folder: string, source: string): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  const stdin = { contents: source, resolveDir: import.meta.dirname, loader: 'ts' as const };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20' });
  return outfile;
}

test('two hosts write a thousand calls each over many files, and none is lost or torn', async () => {
  const root = makeFolder();
  const folder = join(root, 'ledger');
  const program = await bundle(
    root,
    `import { Ledger } from './ledger.js';
    const [,, folder, name] = process.argv;
    const ledger = new Ledger({ folder, wall: Date.now, bytes: 8_000, keep: 500, onProblem: (m) => { console.error(m); process.exitCode = 1; } });
    for (let at = 0; at < 1000; at++) {
      ledger.write({ id: name + at, tool: 'mcp__db__query', decision: 'allow', outcome: 'ok', ms: at });
      if (at % 20 === 19) await new Promise((done) => setTimeout(done, at % 5 === 4 && at % 3 === 0 ? 110 : 0));
    }
    await ledger[Symbol.asyncDispose]();`,
  );
  const writers = ['a', 'b'].map((name) => spawn(process.execPath, [program, folder, name], { stdio: 'inherit' }));
  const ends = await Promise.all(writers.map((child) => once(child, 'exit')));
  expect(ends).toEqual([
    [0, null],
    [0, null],
  ]);
  const files = readdirSync(folder);
  const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'));
  const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
  expect([ids.length, new Set(ids).size, files.length > 5]).toEqual([2000, 2000, true]);
});

test('a host that ends without closing has its last lines in the ledger', async () => {
  const root = makeFolder();
  const folder = join(root, 'state', 'ledger'); // created with the first line
  const program = await bundle(
    root,
    `import { Ledger } from './ledger.js';
    const ledger = new Ledger({ folder: process.argv[2], wall: Date.now, onProblem: console.error });
    ledger.write({ id: 'last', tool: 't', decision: 'allow', outcome: 'ok', ms: 1 });
    process.exit(0);`,
  );
  await once(spawn(process.execPath, [program, folder], { stdio: 'inherit' }), 'exit');
  expect(idsOf(readLedger(folder, { tail: 5 }).calls)).toEqual(['last']);
});

test('only as many files are kept as wanted, the newest of them', async () => {
  const clock = new FakeClock();
  const { ledger, folder } = open({ bytes: 3_000, keep: 2, clock });
  const { ledger: other } = open({ bytes: 3_000, keep: 2, clock, folder });
  for (let round = 0; round < 10; round++) {
    for (const one of numbered(round * 10, round * 10 + 9)) (round % 2 === 0 ? ledger : other).write(one);
    await clock.pass(100);
    await expect.poll(() => idsOf(readLedger(folder, { tail: 1 }).calls)).toEqual([`${round * 10 + 9}`]);
  }
  expect(readdirSync(folder).toSorted()).toEqual(['calls.jsonl', 'calls.jsonl.1', 'calls.jsonl.2']);
  expect(idsOf(readLedger(folder, { tail: 15 }).calls)).toEqual(numbered(85, 99).map(({ id }) => id));
});

function mountDisk(context: TestContext, options: string): string {
  const disk = makeFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk], { stdio: 'pipe' });
  } catch (error) {
    context.skip(`no disk to fill: mounting a tmpfs failed here (${String(error).split('\n')[0]})`);
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]));
  return disk;
}

test('F23: a full disk is told once, calls go on, and the ledger goes on when there is room again', async (context) => {
  const disk = mountDisk(context, 'size=64k');
  const clock = new FakeClock();
  const folder = join(disk, 'ledger');
  const { ledger, problems } = open({ folder, clock });
  const filler = join(disk, 'filler');
  writeFileSync(filler, 'x'.repeat(49_152));
  for (const one of numbered(1, 190)) ledger.write(one);
  await clock.pass(100);
  await expect.poll(() => problems).toHaveLength(1);
  expect(problems[0]).toMatch(
    /^Calls go on without a ledger: Cannot write .*calls\.jsonl: the disk is full \(ENOSPC\).*df -h/u,
  );
  for (const one of numbered(191, 200)) ledger.write(one);
  await clock.pass(5_000);
  await expect.poll(() => clock.timers).toBe(1); // a retry has failed, and the next is scheduled
  expect(problems).toHaveLength(1);
  unlinkSync(filler);
  await clock.pass(300_000);
  await expect.poll(() => idsOf(readLedger(folder, { tail: 1 }).calls)).toEqual(['200']);
  expect(idsOf(readLedger(folder, { tail: 999 }).calls)).toEqual(numbered(1, 200).map(({ id }) => id));
});

test('F23: on a disk that stays full, closing takes no longer and what waits is bounded', async (context) => {
  const disk = mountDisk(context, 'size=64k');
  const { ledger, folder, problems } = open({ folder: join(disk, 'ledger') });
  writeFileSync(join(disk, 'filler'), 'x'.repeat(49_152));
  for (let at = 0; at < 10_000; at++) ledger.write(entry);
  await ledger[Symbol.asyncDispose]();
  expect(problems).toHaveLength(1);
  const { calls } = readLedger(folder, { tail: 9999 });
  expect(calls.length).toBeLessThan(100);
});

test('calls that came faster than the disk took them are counted', async () => {
  const { ledger, folder } = open();
  for (let at = 0; at < 10_000; at++) ledger.write(entry);
  await ledger[Symbol.asyncDispose]();
  const { calls } = readLedger(folder, { tail: 99_999 });
  const last = calls.at(-1)!;
  expect('lost' in last && last.lost + calls.length - 1).toBe(10_000);
});

test.for<[string, (file: string) => void]>([
  ['a folder', (file) => void mkdirSync(file, { recursive: true })],
  ['a link', (file) => symlinkSync('/dev/null', file)],
  ['a named pipe', (file) => void execFileSync('mkfifo', [file])],
])('%s where the ledger should be is told, and left alone', async ([, put]) => {
  const { ledger, folder, problems } = open();
  mkdirSync(folder, { recursive: true });
  put(join(folder, 'calls.jsonl'));
  ledger.write(entry);
  await ledger[Symbol.asyncDispose]();
  expect(problems).toEqual([expect.stringContaining('Calls go on without a ledger: Cannot write ')]);
  chmodSync(folder, 0o700);
});

test('the calls of one server are found among others, and lines that are none are left out', async () => {
  const { ledger, folder } = open();
  for (const one of numbered(1, 100)) ledger.write({ ...one, server: Number(one.id) % 10 === 0 ? 'rare' : 'db' });
  await ledger[Symbol.asyncDispose]();
  const file = join(folder, 'calls.jsonl');
  writeFileSync(file, `null\n{"at":1}\n[]\n${readFileSync(file, 'utf8')}{"id":"cut\n\n7\n`);
  expect(idsOf(readLedger(folder, { tail: 3, server: 'rare' }).calls)).toEqual(['80', '90', '100']);
  expect(readLedger(folder, { tail: 0 }).calls).toEqual([]);
  expect(readLedger(folder, { tail: 999 }).calls).toHaveLength(100);
});

test('calls that come are told as they come', async () => {
  const { ledger, folder } = open();
  const stop = new AbortController();
  const seen: LedgerRecord[] = [];
  const onCalls = (calls: readonly LedgerRecord[]): boolean => {
    seen.push(...calls);
    if (seen.length === 2) stop.abort();
    return true;
  };
  const following = followLedger(folder, { from: undefined, signal: stop.signal, onCalls, server: 'db' });
  for (const one of [entry, { ...entry, server: 'other' }, { ...entry, id: 'second' }]) ledger.write(one);
  await following;
  expect(idsOf(seen)).toEqual(['toolu_1', 'second']);
});
