import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signInMemory } from './sign-in-memory.js';

let folder = '';
beforeEach(() => (folder = join(mkdtempSync(join(tmpdir(), 'sign-ins-')), 'sign-ins')));
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const MINUTE = 60_000;

test('that a server wants a sign-in is known to the next start, with what it said', async () => {
  expect(signInMemory(folder)('abc').recall()).toBeUndefined();
  await signInMemory(folder)('abc').keep('Bearer scope="a"');
  await signInMemory(folder)('bare').keep();
  expect(signInMemory(folder)('abc').recall()).toEqual({ challenge: 'Bearer scope="a"' });
  expect(signInMemory(folder)('bare').recall()).toEqual({});
  expect(signInMemory(folder)('other').recall()).toBeUndefined();
  expect(statSync(join(folder, 'abc.json')).mode & 0o077).toBe(0);
});

test('it is forgotten after a quarter of an hour, and by a clock that was put back', async () => {
  await signInMemory(folder, () => 100 * MINUTE)('abc').keep('x');
  expect(signInMemory(folder, () => 100 * MINUTE)('abc').recall()).toEqual({ challenge: 'x' });
  expect(signInMemory(folder, () => 115 * MINUTE - 1)('abc').recall()).toEqual({ challenge: 'x' });
  expect(signInMemory(folder, () => 115 * MINUTE)('abc').recall()).toBeUndefined();
  expect(signInMemory(folder, () => 99 * MINUTE)('abc').recall()).toBeUndefined();
});

test('after a sign-in nobody remembers that one was wanted', async () => {
  const note = signInMemory(folder)('abc');
  await note.forget(); // nothing yet, and that is fine
  await note.keep('x');
  await signInMemory(folder)('abc').forget();
  expect(note.recall()).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test('the longest challenge that is kept comes back, whatever is in it; a longer one is left out', async () => {
  const note = signInMemory(folder)('abc');
  const longest = '\u0001'.repeat(4_000);
  await note.keep(longest);
  expect(note.recall()).toEqual({ challenge: longest });
  await note.keep(`${longest}x`);
  expect(note.recall()).toEqual({});
});

test.each(['', '{', 'null', '{"at":"now"}', '{"challenge":"x"}', `{"at":1${' '.repeat(40_000)}}`])(
  'a file that holds %.20j is as good as none, and is replaced',
  async (text) => {
    await signInMemory(folder)('other').keep();
    writeFileSync(join(folder, 'abc.json'), text);
    const note = signInMemory(folder)('abc');
    expect(note.recall()).toBeUndefined();
    await note.keep('y');
    expect(note.recall()).toEqual({ challenge: 'y' });
  },
);

test('fifty that keep and forget at once leave a whole note or none', async () => {
  const notes = Array.from({ length: 50 }, () => signInMemory(folder)('abc'));
  await Promise.all(notes.map((note, at) => (at % 5 === 4 ? note.forget() : note.keep(`c${at}`))));
  const { challenge = 'c0' } = signInMemory(folder)('abc').recall() ?? {};
  expect(challenge).toMatch(/^c\d+$/u);
  expect(readdirSync(folder).filter((name) => name !== 'abc.json')).toEqual([]);
});

test('a folder that cannot be made costs nobody anything', async () => {
  writeFileSync(folder, 'a file');
  const note = signInMemory(folder)('abc');
  await note.keep('x');
  await note.forget();
  expect(note.recall()).toBeUndefined();
});
