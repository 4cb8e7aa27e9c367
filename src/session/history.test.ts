import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { History } from './history.js';

let state: string;
beforeEach(() => void (state = mkdtempSync(join(tmpdir(), 'plugboard-history-'))));
afterEach(() => rmSync(state, { recursive: true, force: true }));

const said = { isPrivate: false };

test('what was entered is there the next time, of two sessions at once, for this user alone', async () => {
  {
    await using one = new History(state);
    await using other = new History(state);
    one.add('first', said);
    other.add('second\nof two rows', said);
    one.add('third', said);
    expect(one.entries).toEqual(['first', 'third']);
  }
  await using later = new History(state);
  expect(later.entries.toSorted()).toEqual(['first', 'second\nof two rows', 'third']);
  expect(statSync(join(state, 'history')).mode & 0o777).toBe(0o600);
});

test('what is private, empty, endless or said twice is not written down', async () => {
  {
    await using history = new History(state);
    history.add('token=abc', { isPrivate: true });
    history.add('  ', said);
    history.add('x'.repeat(10_000), said);
    history.add('again', said);
    history.add('again', said);
    expect(history.entries).toEqual(['token=abc', 'again']);
  }
  expect(readFileSync(join(state, 'history'), 'utf8')).toBe('{"text":"again"}\n');
});

test('a file that somebody has spoilt costs the lines that are spoilt, and only the last thousand are kept', async () => {
  const lines = Array.from({ length: 1_500 }, (_, at) => JSON.stringify({ text: `entry ${at}` }));
  appendFileSync(join(state, 'history'), `${lines.join('\n')}\nno json\n{"text":7}\nnull\n{"text":"cut`);
  await using history = new History(state);
  expect(history.entries).toHaveLength(997);
  expect(history.entries.at(-1)).toBe('entry 1499');
});

test('without a place for it, or with a folder in its place, it lasts as long as the session', async () => {
  for (const place of [undefined, join(state, 'none', '\0')]) {
    await using history = new History(place);
    history.add('hello', said);
    expect(history.entries).toEqual(['hello']);
  }
});
