import { describe, expect, test } from 'vitest';
import { FlyingClock } from '../../../test/catalog-scene.js';
import { countTurns } from '../../../test/computed.js';
import { digest } from '../../edge/files/digest.js';
import { TextMarks } from './text-marks.js';

const texts = Array.from({ length: 120 }, (_, at) => JSON.stringify({ name: `tool ${at}`, text: 'é😀'.repeat(at) }));
const hashes = texts.map((text) => digest(text).slice(0, 16));
const lengths = texts.map((text) => Buffer.byteLength(text));

describe('the marks of a list', () => {
  test('are the same one by one, all together, and made in slices beforehand', async () => {
    const single = new TextMarks(texts);
    expect(texts.map((_, at) => single.hashAt(at))).toEqual(hashes);
    const together = new TextMarks(texts);
    expect([together.hashes(), together.lengths()]).toEqual([hashes.join(''), lengths]);
    expect(together.hashAt(70)).toBe(hashes[70]);
    const sliced = new TextMarks(texts);
    sliced.hashAt(7);
    await sliced.make(new FlyingClock());
    expect([sliced.hashes(), sliced.lengths()]).toEqual([hashes.join(''), lengths]);
    expect(texts.map((_, at) => sliced.hashAt(at))).toEqual(hashes);
    await sliced.make(new FlyingClock());
    expect(sliced.hashes()).toBe(hashes.join(''));
  });

  test('that are known already stay as they are', async () => {
    const known = texts.map((_, at) => (at % 2 === 0 ? 'f'.repeat(16) : undefined));
    const marks = new TextMarks(texts, { known });
    expect([marks.hashAt(0), marks.hashAt(1)]).toEqual(['f'.repeat(16), hashes[1]]);
    await marks.make(new FlyingClock());
    expect(marks.hashes()).toBe(hashes.map((hash, at) => known[at] ?? hash).join(''));
  });

  test('of many definitions are made in many turns of the event loop', async () => {
    using turns = countTurns();
    await new TextMarks(texts).make(new FlyingClock());
    expect(turns.count).toBeGreaterThan(50);
  });
});
