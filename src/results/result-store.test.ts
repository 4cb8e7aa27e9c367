import {
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  truncateSync,
  chmodSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openResultScene } from '../../test/result-scene.js';
import { resultStore } from './result-store.js';

const NOW = Date.parse('2026-11-15T10:00:00Z');
const DAY = 86_400_000;

test('a file has a name of ours, with its time, and is for the user alone', async () => {
  const { root } = openResultScene();
  const store = resultStore(join(root, 'state', 'results'), { now: () => NOW });
  const file = store.open('json');
  await file.write(Buffer.from('{}'));
  const path = await file.end();
  expect(path.slice(root.length)).toMatch(/^\/state\/results\/20261115T100000Z-[0-9a-f]{12}\.json$/u);
  expect([statSync(path).mode & 0o777, statSync(store.folder).mode & 0o777]).toEqual([0o600, 0o700]);
  await file.discard();
  expect(readdirSync(store.folder)).toEqual([]);
});

test('a folder that others could look into is closed to them', async () => {
  const { root } = openResultScene();
  const folder = join(root, 'open');
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  await resultStore(folder).open('txt').end();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a link in place of the folder is refused, and nothing is written where it leads', async () => {
  const { root } = openResultScene();
  mkdirSync(join(root, 'elsewhere'));
  symlinkSync(join(root, 'elsewhere'), join(root, 'link'));
  const file = resultStore(join(root, 'link')).open('txt');
  await file.write(Buffer.from('x'));
  await expect(file.end()).rejects.toMatchObject({ code: 'write-failed', message: /no folder, or a link to one/u });
  expect(readdirSync(join(root, 'elsewhere'))).toEqual([]);
});

test('the first file of a run has old ones removed: of ours, and no others', async () => {
  const { root } = openResultScene();
  const make = (name: string, days: number): void => {
    writeFileSync(join(root, name), 'x');
    utimesSync(join(root, name), (NOW - days * DAY) / 1_000, (NOW - days * DAY) / 1_000);
  };
  make('20261101T100000Z-0123456789ab.txt', 8);
  make('20261101T100000Z-0123456789ab.txt.part', 8);
  make('result-0123456789abcdef', 8);
  make('result-0123456789abcdef.part', 8);
  make('20261114T100000Z-0123456789ab.txt', 6);
  make('notes.txt', 80);
  make('20261101T100000Z-0123456789ab.txt.bak', 80);
  symlinkSync(join(root, 'notes.txt'), join(root, 'result-ffffffffffffffff'));
  mkdirSync(join(root, 'result-eeeeeeeeeeeeeeee'));
  const store = resultStore(root, { now: () => NOW });
  await store.open('txt').end();
  await store.tidied();
  expect(readdirSync(root).filter((name) => !name.startsWith('20261115'))).toEqual([
    '20261101T100000Z-0123456789ab.txt.bak',
    '20261114T100000Z-0123456789ab.txt',
    'notes.txt',
    'result-eeeeeeeeeeeeeeee',
    'result-ffffffffffffffff',
  ]);
});

test('of more than 1 GB the oldest go, but nothing that is an hour old', async () => {
  const { root } = openResultScene();
  const make = (name: string, hours: number): string => {
    const path = join(root, `20261115T100000Z-${name.repeat(12)}.txt`);
    writeFileSync(path, '');
    truncateSync(path, 600_000_000); // a sparse file
    utimesSync(path, (NOW - hours * 3_600_000) / 1_000, (NOW - hours * 3_600_000) / 1_000);
    return path;
  };
  const files = [make('a', 0.5), make('b', 0.7), make('c', 5), make('d', 9)];
  await resultStore(root, { now: () => NOW }).tidied();
  expect(files.map((file) => existsSync(file))).toEqual([true, true, false, false]);
});

test('a folder that is not there needs no tidying', async () => {
  const { root } = openResultScene();
  await expect(resultStore(join(root, 'none')).tidied()).resolves.toBeUndefined();
});
