import { expect, test } from 'vitest';
import { StderrRing } from './stderr-ring.js';

function check(chunks: readonly (string | Uint8Array)[], expected: string): void {
  const ring = new StderrRing();
  for (const chunk of chunks) ring.push(Buffer.from(chunk));
  expect(ring.lastLines()).toBe(expected);
}

const lines = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

test('a server that said little is quoted whole', () => {
  check([], '');
  check(['no data', 'base\n', '\nbye\n\n'], 'no database\n\nbye');
});

test('of many lines the last 20 are shown, and the cut', () => {
  check([lines(1, 20).join('\n')], lines(1, 20).join('\n'));
  check([`${lines(1, 21).join('\n')}\n`], `… [truncated]\n${lines(2, 21).join('\n')}`);
  check(
    lines(1, 100_000).map((line) => `${line}\n`),
    `… [truncated]\n${lines(99_981, 100_000).join('\n')}`,
  );
});

test.each([
  ['in one piece', 1],
  ['in pieces', 1000],
])('a line without end comes %s and shows its last 4 KB', (_title, pieces) => {
  const text = 'é'.repeat(1_000_000 / pieces);
  check(
    Array.from({ length: pieces }, () => text),
    `… [truncated]\n${'é'.repeat(2016)}`,
  );
});

test('long lines are shown as far as 4 KB reach', () => {
  const long = 'x'.repeat(1500);
  check([`a\n${long}\n${long}\n${long}\n`], `… [truncated]\n${long}\n${long}`);
});

test('what would reach the terminal as a command is taken out', () => {
  check(['\u001b]0;title\u0007\u001b[31mred\u001b[0m\u202e\rdone\u0000\n'], 'red\ndone');
});

test('bytes that are no text do no harm, and the text stays within 4 KB', () => {
  for (const byte of [0x80, 0xff, 0x00, 0x1b, 0xf0]) {
    const ring = new StderrRing();
    ring.push(Buffer.alloc(200_000, byte));
    expect(Buffer.byteLength(ring.lastLines())).toBeLessThanOrEqual(4096);
  }
});

test('whatever the sizes of the pieces, the ring holds the last of them', () => {
  const all = Array.from({ length: 30_000 }, (_, index) => `${index} ${'é'.repeat(index % 7)}`).join('\n');
  const bytes = Buffer.from(all);
  for (const size of [1, 7, 4095, 65_535, 65_536, 65_537, 200_000]) {
    const ring = new StderrRing();
    for (let at = 0; at < bytes.length; at += size) ring.push(bytes.subarray(at, at + size));
    expect(ring.lastLines()).toBe(`… [truncated]\n${all.split('\n').slice(-20).join('\n')}`);
  }
});
