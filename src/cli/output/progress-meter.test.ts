import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import type { CallProgress } from '../../model/tool.js';
import { ProgressMeter } from './progress-meter.js';

type Report = readonly [ms: number, progress: CallProgress];

function read(reports: readonly Report[], ms: number, isWide = false): string {
  const meter = new ProgressMeter();
  for (const [at, progress] of reports) meter.take(progress, at);
  return meter.parts(ms, { isWide }).join(', ');
}

test.each<[string, readonly Report[], number, string]>([
  ['a total gives a share and the time left', [[4_000, { progress: 2, total: 5 }]], 4_000, '40 %, about 6 s left'],
  ['the time left goes down between two reports', [[4_000, { progress: 2, total: 5 }]], 7_000, '40 %, about 3 s left'],
  [
    'the message comes last',
    [[9_000, { progress: 1, total: 2, message: 'page 3' }]],
    9_000,
    '50 %, about 9 s left, page 3',
  ],
  ['minutes are enough', [[100_000, { progress: 1, total: 4 }]], 100_000, '25 %, about 5 min left'],
  ['hours too', [[3_600_000, { progress: 1, total: 3 }]], 3_600_000, '33 %, about 2 h 0 min left'],
  ['the first second gives no guess', [[100, { progress: 1, total: 100 }]], 200, '1 %'],
  ['the end gives no guess', [[5_000, { progress: 7, total: 7 }]], 5_000, '100 %'],
  ['a server that stalls is told', [[2_000, { progress: 1, total: 2 }]], 32_000, '50 %, no progress for 30 s'],
  ['without a total it is counted', [[5_000, { progress: 1234 }]], 5_000, '1,234 so far'],
  ['a message alone is enough', [[5_000, { progress: Number.NaN, message: 'hello' }]], 5_000, 'hello'],
  [
    'progress that goes back does not move the bar',
    [
      [4_000, { progress: 4, total: 10 }],
      [5_000, { progress: 1, total: 10, message: 'again' }],
    ],
    5_000,
    '40 %, about 5 s left, again',
  ],
  ['more than the total is the total', [[4_000, { progress: 9, total: 3 }]], 4_000, '100 %'],
  ['a huge number is short', [[4_000, { progress: 1e308 }]], 4_000, '1.00e+308 so far'],
  ['a huge total is no guess', [[4_000, { progress: 1, total: 1e308 }]], 4_000, '0 %'],
  [
    'infinity, a negative number and a total of nothing are left out',
    [
      [1, { progress: Infinity, total: 2 }],
      [2, { progress: -5, total: 2 }],
      [3, { progress: 3, total: 0 }],
    ],
    4_000,
    '3 so far',
  ],
])('%s', (_, reports, ms, expected) => {
  expect(read(reports, ms)).toBe(expected);
});

test('on a wide screen there is a bar', () => {
  expect(read([[4_000, { progress: 2, total: 5 }]], 4_000, true)).toBe('████████░░░░░░░░░░░░ 40 %, about 6 s left');
});

test('whatever a server reports, the text is short, and clean', () => {
  const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(1e308, -0, NaN, 5e-324));
  const report = fc.tuple(
    fc.nat(),
    fc.record(
      { progress: number, total: number, message: fc.string({ unit: anyCharacter, maxLength: 3_000 }) },
      { requiredKeys: ['progress'] },
    ),
  );
  fc.assert(
    fc.property(fc.array(report, { maxLength: 20 }), fc.nat(), (reports, ms) => {
      const text = read(reports, ms, true);
      expect(text.length).toBeLessThan(1_000);
      expect(text).not.toMatch(/[\p{Cc}\n]|NaN|Infinity (?:so|left)|-\d+ s/u);
    }),
  );
});
