import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanJson } from './json-scan.js';

/** Compares the depth, and each duplicate as `key@offset`. */
function check(text: string, depth: number, duplicates: readonly string[] = []): void {
  const scan = scanJson(text);
  expect([scan.depth, scan.duplicates.map(({ key, offset }) => `${key}@${offset}`)]).toEqual([depth, duplicates]);
}

describe('the depth of a text', () => {
  test.each<[text: string, depth: number]>([
    ['', 0],
    ['1', 0],
    ['"[[[["', 0],
    ['{}', 1],
    ['[[], [[]]]', 3],
    ['{"a":{"b":[{}]}}', 4],
    ['{"a":"\\"[[["}', 1],
    ['{"a":"\\\\"}[[', 2],
    ['// [[[[\n[]', 1],
    ['// [[[[\r[]', 1],
    ['/* [[[[ */ []', 1],
    ['/* [[[[', 0],
    ['/ [[', 2],
    ['{"a": "never closed\n, "b": [[[]]]}', 4],
    [']]]][', 1],
    ['['.repeat(100_000), 100_000],
    [`${'{"a":'.repeat(100_000)}1`, 100_000],
    ['[]'.repeat(100_000), 1],
  ])('%.40j', (text, depth) => check(text, depth));
});

describe('a key that stands twice in one object is found where it stands again', () => {
  test.each<[text: string, duplicates: readonly string[]]>([
    ['{"a":1,"a":2}', ['a@7']],
    ['{"a":1,"b":2,"a":3,"a":4}', ['a@13', 'a@19']],
    ['{"a":1,"\\u0061":2}', ['a@7']],
    ['{"\\u0061":1,"a":2}', ['a@12']],
    ['{"\\"":1,"\\u0022":2}', ['"@8']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__@15']],
    ['{"":1,"":2}', ['@6']],
    ['{"a":1 /* "a": 0 */ , // "a"\n"a":2}', ['a@29']],
    ['{"a":{"b":1,"b":2},"a":0}', ['b@12', 'a@19']],
    ['[{"a":1},{"a":2}]', []],
    ['{"a":{"a":1}}', []],
    ['{"a":"a","b":"a"}', []],
    ['{"a":["a","a"]}', []],
    ['{"a":1,"A":2}', []],
    ['{"a":1,"\\x61":2}', []],
    ['{"é":1,"e\u0301":2}', []],
  ])('%j', (text, duplicates) =>
    expect(scanJson(text).duplicates.map(({ key, offset }) => `${key}@${offset}`)).toEqual(duplicates),
  );

  test('a thousand of them do not fill the screen', () => {
    expect(scanJson(`{${'"a":1,'.repeat(1000)}}`).duplicates).toHaveLength(20);
  });
});

test('any JSON has the depth that a walk through it finds, and no duplicates', () => {
  const depthOf = (value: unknown): number =>
    value === null || typeof value !== 'object' ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(4), (value, blanks) =>
      check(JSON.stringify(value, undefined, blanks), depthOf(value)),
    ),
  );
});

test('no text at all makes it throw', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    ',',
    ':',
    '/',
    '*',
    '//',
    '/*',
    '*/',
    '\n',
    '\r',
    'a',
    '\\u00',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      const { depth, duplicates } = scanJson(text);
      expect(depth).toBeLessThanOrEqual(text.length);
      expect(duplicates.every(({ offset }) => text[offset] === '"')).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
