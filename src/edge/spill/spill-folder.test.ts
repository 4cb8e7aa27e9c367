import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SpillStore } from '../../model/spilled.js';
import { openWorkshop } from '../processes/process-fixtures.js';
import { spillFolder } from './spill-folder.js';

const MEGABYTES = process.env['PLUGBOARD_FULL'] ? 512 : 96;

let root: string;
let folder: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-spill-')));
  folder = join(root, 'state', 'results');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

test('an answer goes to a file of a name of ours, for the user alone', async () => {
  const store: SpillStore = spillFolder(folder); // the interface that the wire uses
  const part = store.open();
  expect(part.write(Buffer.from('hello '))).toBeUndefined();
  expect(part.write(Buffer.from('world'))).toBeUndefined();
  const path = await part.end();
  expect(path).toMatch(/\/state\/results\/result-[0-9a-f]{16}$/);
  expect(dirname(path)).toBe(folder);
  expect(readFileSync(path, 'utf8')).toBe('hello world');
  expect([modeOf(path), modeOf(folder), modeOf(dirname(folder))]).toEqual([0o600, 0o700, 0o700]);
});

test('until it is finished it is named as a part', async () => {
  const part = spillFolder(folder).open();
  await part.write(Buffer.alloc(2_000_000));
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^result-[0-9a-f]{16}\.part$/)]);
  const path = await part.end();
  expect([readdirSync(folder), statSync(path).size]).toEqual([[path.slice(folder.length + 1)], 2_000_000]);
});

test('a hundred answers at once keep apart', async () => {
  const store = spillFolder(folder);
  const save = async (index: number): Promise<string> => {
    const part = store.open();
    for (let round = 0; round < 50; round++) await part.write(Buffer.from(`${index},`));
    return readFileSync(await part.end(), 'utf8');
  };
  const texts = await Promise.all(Array.from({ length: 100 }, (_, index) => save(index)));
  expect(texts).toEqual(Array.from({ length: 100 }, (_, index) => `${index},`.repeat(50)));
});

test('an answer of nothing is an empty file, and asking twice for the end is asking once', async () => {
  const part = spillFolder(folder).open();
  const [one, other] = await Promise.all([part.end(), part.end()]);
  expect([one === other, readFileSync(one, 'utf8')]).toEqual([true, '']);
  expect(part.write(Buffer.from('late'))).toBeUndefined();
  await part.discard(); // as when another part of the same response could not be saved
  expect(existsSync(one)).toBe(false);
});

test('a writer that is faster than the disk is asked to wait, and not for ever', async () => {
  const part = spillFolder(folder, { queuedBytes: 100_000 }).open();
  expect(part.write(Buffer.alloc(90_000))).toBeUndefined();
  const wait = part.write(Buffer.alloc(90_000));
  expect(wait).toBeInstanceOf(Promise);
  await wait;
  expect(part.write(Buffer.alloc(10))).toBeUndefined();
  expect(statSync(await part.end()).size).toBe(180_010);
});

test('what nobody wants is gone, at whatever moment', async () => {
  const store = spillFolder(folder);
  const parts = [store.open(), store.open(), store.open()];
  await parts[0]!.discard();
  void parts[1]!.write(Buffer.alloc(3_000_000));
  await parts[1]!.discard();
  await parts[2]!.write(Buffer.alloc(3_000_000));
  const end = parts[2]!.end().catch((error: unknown) => error);
  await parts[2]!.discard();
  await parts[2]!.discard();
  expect(await end).toMatchObject({ code: 'cancelled' });
  expect(readdirSync(folder)).toEqual([]);
});

test('more than the limit is refused, and nothing of it stays', async () => {
  const part = spillFolder(folder, { partBytes: 1000 }).open();
  void part.write(Buffer.alloc(1000));
  expect(part.write(Buffer.alloc(1))).toBeUndefined();
  await expect(part.end()).rejects.toMatchObject({ code: 'answer-too-large', message: /more than the 1000 bytes/ });
  expect(readdirSync(folder)).toEqual([]);
});

test('a folder that cannot be is told at the end, with the cause', async () => {
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'state'), 'a file');
  const part = spillFolder(folder).open();
  await part.write(Buffer.alloc(3_000_000)); // neither throws nor blocks
  await expect(part.end()).rejects.toMatchObject({
    code: 'write-failed',
    message: expect.stringMatching(/^Cannot save a large answer as .*\/result-[0-9a-f]{16}: ENOTDIR/),
    hint: expect.stringContaining('ls -ld'),
  });
});

test('a full disk fails that answer, with the cause, and keeps nothing of it', async (context) => {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    context.skip('may not mount a small disk');
  }
  try {
    const part = spillFolder(folder).open();
    for (let round = 0; round < 10; round++) await part.write(Buffer.alloc(500_000));
    await expect(part.end()).rejects.toMatchObject({
      code: 'write-failed',
      message: expect.stringContaining('ENOSPC'),
      hint: expect.stringContaining('df -h'),
    });
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    execFileSync('umount', ['-l', folder]);
  }
});

test(`${MEGABYTES} MB go to the disk in constant memory`, async () => {
  using workshop = openWorkshop();
  const host = await workshop.bundle(`
    import { spillFolder } from '../spill/spill-folder.js';
    const part = spillFolder(process.argv[2]).open();
    const bytes = Buffer.alloc(65_536, 'x');
    globalThis.gc();
    const before = process.memoryUsage.rss();
    let most = 0;
    for (let written = 0; written < ${MEGABYTES} * 1_048_576; written += bytes.length) {
      await part.write(bytes);
      if (written % 1_048_576 === 0) most = Math.max(most, process.memoryUsage.rss() - before);
    }
    console.log(JSON.stringify({ path: await part.end(), most }));
  `);
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', host, folder]);
  const { path, most } = JSON.parse(stdout) as { path: string; most: number };
  expect(existsSync(path) && statSync(path).size).toBe(MEGABYTES * 1_048_576);
  expect(most / 1_048_576).toBeLessThan(16);
});
