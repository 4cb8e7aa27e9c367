import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import { VERSION } from '../../base/version.js';
import { openRecording, RecordingFile, type RecordingLimits } from './recording-file.js';

const AT = new Date('2026-11-15T12:00:00.000Z');
const HEAD = { plugboard: 'recording', format: 1, version: VERSION, at: AT.toISOString() };

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-recording-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function options(limits: RecordingLimits = {}): { clock: FakeClock; at: Date; limits: RecordingLimits } {
  return { clock: new FakeClock(), at: AT, limits };
}

function linesOf(path: string): unknown[] {
  const text = readFileSync(path, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

test('a recording is a line about itself and a line for each event, with time, server and connection', async () => {
  const path = join(makeFolder(), 'run.jsonl');
  const given = options();
  const recording = await openRecording(path, given);
  const db = recording.recorder('db');
  db.record({ from: 'host', message: { id: 1 } });
  await given.clock.pass(40);
  recording.recorder('web').record({ from: 'server', message: ['ä\n'] });
  const again = recording.recorder('db');
  again.record({ from: 'pipe', event: 'opened' });
  expect(again.isOver).toBe(false);
  await recording[Symbol.asyncDispose]();
  expect(recording.problem).toBeUndefined();
  expect(again.isOver).toBe(true);
  again.record({ from: 'host', message: 'too late' });
  expect(linesOf(path)).toEqual([
    HEAD,
    { ms: 0, server: 'db', from: 'host', message: { id: 1 } },
    { ms: 40, server: 'web', from: 'server', message: ['ä\n'] },
    { ms: 40, server: 'db', connection: 2, from: 'pipe', event: 'opened' },
  ]);
});

describe('the file', () => {
  test('is for its owner alone, also when it was there before', async () => {
    const path = join(makeFolder(), 'run.jsonl');
    for (const mode of [undefined, 0o644]) {
      if (mode !== undefined) execFileSync('chmod', [mode.toString(8), path]);
      await (await openRecording(path, options()))[Symbol.asyncDispose]();
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
  });

  test('replaces an older recording and nothing else', async () => {
    const folder = makeFolder();
    const path = join(folder, 'run.jsonl');
    writeFileSync(path, `${JSON.stringify(HEAD)}\n${'x'.repeat(10_000)}\n`);
    await (await openRecording(path, options()))[Symbol.asyncDispose]();
    expect(linesOf(path)).toEqual([HEAD]);
    const other = join(folder, 'thesis.txt');
    writeFileSync(other, 'years of work');
    await expect(openRecording(other, options())).rejects.toMatchObject({
      code: 'write-failed',
      message: expect.stringContaining('is not a recording'),
    });
    expect(readFileSync(other, 'utf8')).toBe('years of work');
  });

  test.each<[what: string, make: (path: string) => void, expected: RegExp]>([
    ['a folder', (path) => mkdirSync(path), /directory|EISDIR/u],
    ['a named pipe', (path) => void execFileSync('mkfifo', [path]), /regular file|ENXIO/u],
    ['a link', (path) => symlinkSync(`${path}.target`, path), /symbolic link/u],
  ])('is not taken when it is %s', async (_, make, expected) => {
    const path = join(makeFolder(), 'run.jsonl');
    make(path);
    await expect(openRecording(path, options())).rejects.toMatchObject({
      code: 'write-failed',
      message: expect.stringMatching(expected),
    });
  });

  // Only root can give a file away.
  test.runIf(process.getuid?.() === 0)('is not taken when somebody else made it', async () => {
    const path = join(makeFolder(), 'run.jsonl');
    writeFileSync(path, '');
    chownSync(path, 12_345, 12_345);
    await expect(openRecording(path, options())).rejects.toMatchObject({
      code: 'write-failed',
      message: expect.stringContaining('belongs to another user (uid 12345)'),
    });
  });

  test('needs a folder that is there', async () => {
    const path = join(makeFolder(), 'no', 'run.jsonl');
    await expect(openRecording(path, options())).rejects.toMatchObject({
      code: 'write-failed',
      hint: expect.stringContaining('mkdir -p'),
    });
  });
});

test('a recording that is full says so in its last line and takes nothing more', async () => {
  const path = join(makeFolder(), 'run.jsonl');
  const recording = await openRecording(path, options({ fileBytes: 4_000 }));
  const recorder = recording.recorder('db');
  for (let count = 0; count < 100; count++) recorder.record({ from: 'host', message: 'x'.repeat(100) });
  expect(recorder.isOver).toBe(true);
  await recording[Symbol.asyncDispose]();
  const lines = linesOf(path);
  expect(statSync(path).size).toBeLessThanOrEqual(4_000);
  expect(lines.length).toBeGreaterThan(15);
  expect(lines.at(-1)).toEqual({ ms: 0, event: 'full', limit: 4_000 });
  expect(recording.problem).toMatchObject({
    code: 'write-failed',
    message: expect.stringContaining('has reached 4000 bytes'),
  });
});

test('a line that is too long, or no JSON, is replaced by a word about it', async () => {
  const path = join(makeFolder(), 'run.jsonl');
  const recording = await openRecording(path, options({ lineBytes: 1_000 }));
  const recorder = recording.recorder('db');
  recorder.record({ from: 'host', message: 'ä'.repeat(600) });
  recorder.record({ from: 'host', message: 12n });
  recorder.record({ from: 'host', message: 'fits' });
  await recording[Symbol.asyncDispose]();
  expect(linesOf(path).slice(1)).toEqual([
    { ms: 0, server: 'db', from: 'pipe', event: 'unrecorded', bytes: expect.any(Number) },
    { ms: 0, server: 'db', from: 'pipe', event: 'unrecorded' },
    { ms: 0, server: 'db', from: 'host', message: 'fits' },
  ]);
});

test('what comes faster than the disk takes it is counted, not kept', async () => {
  const path = join(makeFolder(), 'run.jsonl');
  const recording = await openRecording(path, options({ queuedBytes: 2_000 }));
  const recorder = recording.recorder('db');
  for (let count = 0; count < 50; count++) recorder.record({ from: 'host', message: 'x'.repeat(400) });
  await recording[Symbol.asyncDispose]();
  const lines = linesOf(path) as { event?: string; count?: number; message?: string }[];
  const kept = lines.filter(({ message }) => message !== undefined).length;
  expect(kept).toBeGreaterThan(1);
  expect(lines.at(-1)).toEqual({ ms: 0, event: 'gap', count: 50 - kept });
  expect(recording.problem).toMatchObject({
    message: expect.stringContaining(`${50 - kept} messages are not in the recording`),
  });
});

test('a disk that fails ends the recording with one notice, and whoever records does not feel it', async () => {
  const path = join(makeFolder(), 'run.jsonl');
  const handle = await open(path, 'w');
  await handle.close();
  const recording = new RecordingFile(path, handle, options());
  const recorder = recording.recorder('db');
  recorder.record({ from: 'host', message: 'lost' });
  await recording[Symbol.asyncDispose]();
  recorder.record({ from: 'host', message: 'lost, too' });
  expect(recorder.isOver).toBe(true);
  expect(recording.problem).toMatchObject({
    code: 'write-failed',
    message: expect.stringContaining(`Cannot record to ${path}`),
  });
});
