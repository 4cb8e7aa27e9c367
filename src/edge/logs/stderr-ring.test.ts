import { expect, test } from 'vitest';
import { StderrRing } from './stderr-ring.js';

function check(chunks: readonly (string | Uint8Array)[], expected: string): void {
  const ring = new StderrRing();
  for (const chunk of chunks) ring.push(Buffer.from(chunk));
  expect(ring.excerpt()).toBe(expected);
}

const lines = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

test('a server that said little is quoted whole', () => {
  check([], '');
  check(['no data', 'base\n', '\nbye\n\n'], 'no database\n\nbye');
});

test('of many lines the first 10 and the last 30 are shown, and the cut', () => {
  check([lines(1, 40).join('\n')], lines(1, 40).join('\n'));
  const shown = (count: number): string => [...lines(1, 10), '… [truncated]', ...lines(count - 29, count)].join('\n');
  check([`${lines(1, 41).join('\n')}\n`], shown(41));
  check(
    lines(1, 100_000).map((line) => `${line}\n`),
    shown(100_000),
  );
});

test.each([
  ['in one piece', 1],
  ['in pieces', 1000],
])('a line without end comes %s and shows its end', (_title, pieces) => {
  const text = 'é'.repeat(1_000_000 / pieces);
  check(
    Array.from({ length: pieces }, () => text),
    `… [truncated]\n${'é'.repeat(2784)}`,
  );
});

test('long lines are shown as far as 8 KB reach', () => {
  const long = 'x'.repeat(1500);
  check([`a\n${`${long}\n`.repeat(8)}`], `a\n${long}\n… [truncated]\n${long}\n${long}\n${long}`);
});

test('what would reach the terminal as a command is taken out', () => {
  check(['\u001b]0;title\u0007\u001b[31mred\u001b[0m\u202e\rdone\u0000\n'], 'red\ndone');
});

test('bytes that are no text do no harm, and the text stays within 8 KB', () => {
  for (const byte of [0x80, 0xff, 0x00, 0x1b, 0xf0]) {
    const ring = new StderrRing();
    ring.push(Buffer.alloc(200_000, byte));
    expect(Buffer.byteLength(ring.excerpt())).toBeLessThanOrEqual(8192);
  }
});

test('whatever the sizes of the pieces, the ring holds the last of them', () => {
  const all = Array.from({ length: 30_000 }, (_, index) => `${index} ${'é'.repeat(index % 7)}`).join('\n');
  const bytes = Buffer.from(all);
  for (const size of [1, 7, 4095, 65_535, 65_536, 65_537, 200_000]) {
    const ring = new StderrRing();
    for (let at = 0; at < bytes.length; at += size) ring.push(bytes.subarray(at, at + size));
    expect(ring.excerpt()).toBe(
      [...all.split('\n').slice(0, 10), '… [truncated]', ...all.split('\n').slice(-30)].join('\n'),
    );
  }
});
