import { expect, test } from 'vitest';
import { keptFingerprints, SHINGLE } from './fingerprints.js';
import { Symbols } from './symbols.js';

const TEXT = Array.from({ length: 400 }, (_, at) => ((at * at * 31 + at * 7) % 1_009).toString(36)).join(' ');
const WINDOW = 8;

test('of each eight fingerprints in a row the smallest is kept, once', () => {
  for (const length of [0, 5, 15, 16, 17, 22, 23, 24, 100, 700]) {
    const symbols = new Symbols().of(TEXT).symbols.subarray(0, length);
    // A text of 16 symbols has one fingerprint, which is kept.
    const all = Array.from({ length: Math.max(0, length - SHINGLE + 1) }, (_, at) => {
      return keptFingerprints(symbols.subarray(at, at + SHINGLE)).prints[0]!;
    });
    const expected = new Set<number>();
    const windows = all.length === 0 ? 0 : Math.max(1, all.length - WINDOW + 1);
    for (let from = 0; from < windows; from++) {
      const within = all.slice(from, from + WINDOW);
      expected.add(from + within.lastIndexOf(Math.min(...within)));
    }
    const { prints, places } = keptFingerprints(symbols);
    expect([...places]).toEqual([...expected]);
    expect([...prints]).toEqual([...expected].map((at) => all[at]));
  }
});

test('of any 23 letters in a row that are read, a fingerprint is found again', () => {
  const { symbols } = new Symbols().of(TEXT);
  const kept = new Set(keptFingerprints(symbols).prints);
  for (let at = 0; at + 23 <= symbols.length; at++) {
    const copied = keptFingerprints(symbols.subarray(at, at + 23)).prints;
    expect([...copied].some((print) => kept.has(print))).toBe(true);
  }
});
