import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { areTokensWithin, countTokens, sampleTokens, lengthOfTokens } from './token-count.js';

test.each([
  // Counts of o200k_base; the estimate must be close to them.
  ['The quick brown fox jumps over the lazy dog.', 10],
  ['{"id":1234567,"name":"somebody","tags":["a","b"]}', 19],
  ['2026-11-15T10:42:17.123Z INFO  worker 17 took 42 ms', 24],
  ['東京都に住んでいます。', 7],
  ['const total = rows.reduce((sum, row) => sum + row.count, 0);', 19],
])('%s is about %i tokens', (text, tokens) => {
  expect(countTokens(text)).toBeGreaterThanOrEqual(Math.floor(tokens * 0.7));
  expect(countTokens(text)).toBeLessThanOrEqual(Math.ceil(tokens * 1.6));
});

/** Any UTF-16, lone surrogates included. */
const UNITS = fc
  .array(fc.oneof(fc.nat(0x7f), fc.nat(0xffff)), { maxLength: 300 })
  .map((units) => String.fromCharCode(...units));

test('no text has more tokens than characters, and counting stops at the limit', () => {
  fc.assert(
    fc.property(UNITS, fc.nat(80), (text, limit) => {
      const tokens = countTokens(text);
      expect(tokens).toBeLessThanOrEqual(text.length);
      expect(countTokens(text, limit) > limit).toBe(tokens > limit);
      const length = lengthOfTokens(text, limit);
      expect(countTokens(text.slice(0, length))).toBeLessThanOrEqual(limit);
      expect(length === text.length).toBe(tokens <= limit);
    }),
    { numRuns: 200 },
  );
});

test('texts fit exactly when all their tokens together do', () => {
  fc.assert(
    fc.property(fc.array(UNITS, { maxLength: 4 }), fc.nat(900), (texts, limit) => {
      const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
      expect(areTokensWithin(limit, texts)).toBe(tokens <= limit);
      expect(areTokensWithin(tokens, texts)).toBe(true);
      expect(areTokensWithin(tokens - 1, texts)).toBe(false);
    }),
    {
      numRuns: 500,
      examples: [
        [[' '], 0],
        [[' a ', ' '], 1],
      ],
    },
  );
});

test.each([
  ['prose', 'The quick brown fox jumps over the lazy dog, and 12 more of them follow it. '],
  ['rows', '{"id":1234567,"name":"somebody","tags":["a","b"]}\n'],
  ['ideographs', '東京都に住んでいます。'],
])('about how many tokens long %s has is known within a tenth', (_, line) => {
  for (const length of [100, 8_000, 60_000, 1_000_000]) {
    const text = line.repeat(Math.ceil(length / line.length));
    const exact = countTokens(text);
    expect(Math.abs(sampleTokens([text, text]) / 2 - exact) / exact).toBeLessThan(0.1);
  }
});
