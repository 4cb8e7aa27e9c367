import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock as clock } from '../clock.js';
import { openWorkshop } from '../processes/process-fixtures.js';
import { StderrFile, type StderrFileOptions } from './stderr-file.js';

const MB = 1_048_576;
const FLOOD_MB = process.env['PLUGBOARD_FULL'] === undefined ? 64 : 256;
let folder: string;
let path: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-stderr-')));
  path = join(folder, 'logs', 'db.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes all chunks; returns the message of `problem`. */
async function write(
  chunks: Iterable<string | Uint8Array>,
  limits: Partial<StderrFileOptions> = {},
): Promise<string | undefined> {
  const file = new StderrFile(path, { clock, ...limits });
  for (const chunk of chunks) {
    file.push(Buffer.from(chunk));
    await new Promise(setImmediate); // in separate turns, as from a pipe
  }
  await file[Symbol.asyncDispose]();
  file.push(Buffer.from('too late'));
  return file.problem?.message;
}

const modeOf = (file: string): number => statSync(file).mode & 0o7777;

test('what servers say is appended, for the user alone', async () => {
  expect(await write(['one\n', 'two\n'])).toBeUndefined();
  expect(await write(['three\n'])).toBeUndefined();
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
  expect([modeOf(path), modeOf(join(folder, 'logs'))]).toEqual([0o600, 0o700]);
});

test('a server that says nothing leaves no file', async () => {
  expect(await write([])).toBeUndefined();
  expect(existsSync(path)).toBe(false);
});

test('a file that others could read is closed to them', async () => {
  mkdirSync(join(folder, 'logs'));
  writeFileSync(path, 'old\n');
  chmodSync(path, 0o644);
  expect(await write(['new\n'])).toBeUndefined();
  expect([modeOf(path), readFileSync(path, 'utf8')]).toEqual([0o600, 'old\nnew\n']);
});

test('two halves keep the newest, and never more than the limit', async () => {
  const chunks = Array.from({ length: 200 }, (_, index) => Buffer.alloc(65_536, `${index} `));
  expect(await write(chunks, { bytes: 4 * MB, queuedBytes: 64 * MB })).toBeUndefined();
  const whole = Buffer.concat([readFileSync(`${path}.1`), readFileSync(path)]);
  expect(whole.length).toBeLessThanOrEqual(4 * MB);
  expect(whole.length).toBeGreaterThan(MB);
  expect(whole.equals(Buffer.concat(chunks).subarray(-whole.length))).toBe(true);
  expect(readdirSync(join(folder, 'logs'))).toEqual(['db.log', 'db.log.1']);
  expect([modeOf(path), modeOf(`${path}.1`)]).toEqual([0o600, 0o600]);
});

test('two processes of one server share the file and its limit', async () => {
  const BATCH = 7 * 65_536; // all that one process writes in one go, however slow the disk is
  for (let round = 0; round < 15; round++) {
    const files = [1, 2, 3].map(() => new StderrFile(path, { clock, bytes: 4 * MB, queuedBytes: BATCH }));
    for (let at = 0; at < BATCH; at += 65_536) for (const file of files) file.push(Buffer.alloc(65_536, '.'));
    await Promise.all(files.map((file) => file[Symbol.asyncDispose]()));
    expect(files.map((file) => file.problem)).toEqual([undefined, undefined, undefined]);
  }
  const size = statSync(path).size + statSync(`${path}.1`).size;
  expect(size).toBeLessThanOrEqual(4 * MB + 4 * BATCH); // each half: one batch more from each of the other two, if they checked its size at the same time
});

test('what a slow disk cannot take is left out and counted', async () => {
  const file = new StderrFile(path, { clock, queuedBytes: 100 });
  for (const chunk of ['a'.repeat(60), 'b'.repeat(60), 'c'.repeat(60), 'd'.repeat(40)]) file.push(Buffer.from(chunk));
  file.push(Buffer.alloc(1));
  await file[Symbol.asyncDispose]();
  expect(readFileSync(path, 'utf8')).toBe(
    `${'a'.repeat(60)}\n[120 bytes left out: the disk was slower than the server]\n${'d'.repeat(40)}` +
      `\n[1 bytes left out: the disk was slower than the server]\n`,
  );
});

test.each<[title: string, prepare: () => void, problem: RegExp]>([
  ['a directory', () => mkdirSync(path, { recursive: true }), /is a directory \(EISDIR\)/],
  ['a file in place of the folder', () => writeFileSync(join(folder, 'logs'), ''), /not a folder \(EEXIST\)/],
  [
    'a named pipe that nobody reads',
    () => {
      mkdirSync(join(folder, 'logs'));
      execFileSync('mkfifo', [path]);
    },
    /\(ENXIO\)/,
  ],
])('%s is told once and waits for nobody', async (_title, prepare, problem) => {
  prepare();
  expect(await write(['one', 'two'])).toMatch(problem);
});

test('a link that somebody put there is not followed', async () => {
  mkdirSync(join(folder, 'logs'));
  writeFileSync(join(folder, 'victim'), 'mine');
  symlinkSync('../victim', path);
  expect(await write(['one', 'two'])).toMatch(/\(ELOOP\)/);
  expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('mine');
});

test('a full disk ends the file and not the server', async (context) => {
  const disk = join(folder, 'logs');
  mkdirSync(disk);
  if (!mountSmallDisk(disk)) context.skip('may not mount a small disk');
  try {
    using workshop = openWorkshop();
    const talk = `process.stderr.write('x'.repeat(1_000_000), () => process.exit(0))`;
    const server = await workshop.serve(talk, { stderrFile: path });
    expect(await server.exited).toEqual({ code: 0, signal: null });
    await server.drained;
    await server[Symbol.asyncDispose]();
    expect(server.lastStderr()).toMatch(/x{1000}$/);
    expect(await write(['more'])).toMatch(/the disk is full \(ENOSPC\)/);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
});

test.each([
  ['in memory alone', ''],
  ['to a file as well', 'stderrFile: process.argv[2],'],
])(`${FLOOD_MB} MB of stderr %s cost little memory, and the server still answers`, async (_title, option) => {
  using workshop = openWorkshop();
  const host = await workshop.bundle(`
    import { systemClock as clock } from '../clock.js';
    import { ProcessRegistry } from './process-registry.js';
    import { startProcess } from './process-tree.js';
    const flood = \`const { writeSync } = require('node:fs'); const block = Buffer.alloc(65_536, 'x'.repeat(99) + '\\\\n');
      for (let round = 0; round < ${FLOOD_MB * 16}; round++) writeSync(2, block); console.log('answer')\`;
    const registry = new ProcessRegistry();
    globalThis.gc();
    const before = process.memoryUsage.rss();
    let most = 0;
    const look = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 5);
    const server = await startProcess({
      name: 'db', command: process.execPath, args: ['-e', flood], cwd: '/', env: process.env, clock, registry, ${option}
    });
    let answer = '';
    for await (const chunk of server.stdout) answer += chunk;
    await server.drained;
    await server[Symbol.asyncDispose]();
    clearInterval(look);
    console.log(JSON.stringify({ answer, most, stderr: server.lastStderr() }));
  `);
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', host, path], { env: workshop.env });
  const { answer, most, stderr } = JSON.parse(stdout) as { answer: string; most: number; stderr: string };
  expect(answer).toBe('answer\n');
  expect(stderr).toMatch(/^(?:x{99}\n){10}… \[truncated\]\n(?:x{99}\n){20,30}x*$/);
  expect(most / MB).toBeLessThan(32);
  expect(sizeOf(path) + sizeOf(`${path}.1`)).toBeLessThanOrEqual(64 * MB);
  expect(existsSync(path)).toBe(option !== '');
});

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function mountSmallDisk(disk: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
