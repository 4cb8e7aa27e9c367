import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { followFile } from './follow-file.js';
import { type FilePosition, readTail } from './tail-file.js';

function makeLog(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-follow-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'x.log');
  writeFileSync(path, text);
  return path;
}

/** Collects the lines from a position on until `last` has come; runs `act` at the first line. */
async function follow(
  path: string,
  { from, last, act }: { from?: FilePosition | undefined; last: string; act?: () => void },
): Promise<string[]> {
  const told: string[] = [];
  const stop = new AbortController();
  let isFirst = true;
  await followFile(path, {
    signal: stop.signal,
    from,
    pollMs: 5,
    onLines(lines) {
      told.push(...lines);
      if (isFirst) act?.();
      isFirst = false;
      return lines.at(-1) !== last;
    },
  });
  return told;
}

const positionOf = (path: string): FilePosition | undefined =>
  readTail(path, { lines: 1, takesUnfinished: false }).position;

test('a log that was begun anew after its end was read loses nothing', async () => {
  const path = makeLog('one\ntw');
  const from = positionOf(path);
  appendFileSync(path, 'o\nthree\n');
  renameSync(path, `${path}.1`);
  writeFileSync(path, 'four\n');
  expect(await follow(path, { from, last: 'four' })).toEqual(['two', 'three', 'four']);
});

test('a log that was begun anew twice in a moment says that lines are missing', async () => {
  const path = makeLog('one\n');
  const act = (): void => {
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'lost\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'three\n');
  };
  expect(await follow(path, { last: 'three', act })).toEqual([
    'one',
    '[some lines are missing: the log was begun anew more than once in a moment]',
    'three',
  ]);
});

test('a line without an end is told when nothing more comes', async () => {
  const path = makeLog('Password: ');
  expect(await follow(path, { last: 'Password: ' })).toEqual(['Password: ']);
});

test('who is far behind gets the end, and is told of the rest', async () => {
  const path = makeLog('');
  appendFileSync(path, `${'x'.repeat(99)}\n`.repeat(60_000));
  appendFileSync(path, 'end\n');
  const told = await follow(path, { last: 'end' });
  expect([told[0], told.length < 2_700, told.at(-1)]).toEqual([
    '[5737860 bytes left out: they came faster than they could be shown]',
    true,
    'end',
  ]);
});

test('a line of a megabyte comes in pieces', async () => {
  const path = makeLog(`${'x'.repeat(1_000_000)}\nend\n`);
  const told = await follow(path, { last: 'end' });
  expect([Math.max(...told.map(({ length }) => length)) <= 131_072, told.join('').length]).toEqual([true, 1_000_003]);
});
