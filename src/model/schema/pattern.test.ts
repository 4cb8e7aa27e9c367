import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesPattern } from './pattern.js';

const runs = process.env['PLUGBOARD_FULL'] ? 30_000 : 2_000;

/** Compares with the engine's own RegExp, in the Unicode mode that JSON Schema asks for. */
function check(pattern: string, text: string): void {
  const matches = matchesPattern(pattern, text);
  expect({ pattern, text, matches }).toEqual({ pattern, text, matches: matchesNatively(pattern, text) });
}

/** Tests position by position: V8 would also find \B inside a surrogate pair, where ECMA-262 never looks. */
function matchesNatively(pattern: string, text: string): boolean {
  const native = new RegExp(pattern, 'uy');
  let place = 0;
  for (const character of [...Array.from(text), '']) {
    native.lastIndex = place;
    if (native.test(text)) return true;
    place += character.length;
  }
  return false;
}

test.each([
  ['^[a-z0-9-]+$', ['plugboard-1', 'Plugboard', '']],
  ['^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$', ['aGk=', 'aGVsbG8=', 'a', 'aGk']],
  ['^\\d{4}-\\d{2}-\\d{2}$', ['2025-11-25', '2025-1-25', '٢٠٢٥-11-25']],
  ['^(?=.*[A-Z])(?=.*\\d)(?!.*\\s).{8,}$', ['Secret123', 'secret123', 'Secret 123', 'Se1']],
  ['(?<=\\$)\\d+(?<!0)', ['$12', '$10', '12', '$0']],
  ['(?<=^|,)b(?=,|$)', ['a,b,c', 'ab', 'b', 'b,']],
  ['^.{0,2048}$', ['', 'x'.repeat(2048), 'x'.repeat(2049), 'a\nb']],
  ['^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$', ['a@b.c', 'a@b', 'a b@c.d', 'a\u00a0b@c.d']],
  ['^\\p{Script=Greek}+$|^\\P{L}$', ['αβγ', 'abc', '1', '12']],
  ['^[\\p{Lu}\\d_]+$', ['ÄB_1', 'äb', '']],
  ['^[^\\p{L}]+$', ['12', '1a', 'é']],
  ['^🙂{2}$', ['🙂🙂', '🙂']],
  ['^\\ud83d\\ude42.$', ['🙂🙂', '🙂']],
  ['^\\u{1F642}|\\x41\\cJ$', ['🙂', 'A\n', 'AJ']],
  ['\\bfoo\\b', ['a foo b', 'afoo b', 'foo', 'foo_']],
  ['\\Bfoo', ['afoo', 'foo']],
  ['^(a|ab)(c|bcd)(d*)$', ['abcd', 'abc', 'ad']],
  ['^(?<year>\\d+)?$', ['12', '', 'x']],
  ['a{2,}?b', ['aab', 'ab', 'aaaab']],
  ['[\\b]|\\0', ['\b', '\0', 'b']],
  ['[]', ['', 'a']],
  ['^[^]$', ['\n', 'a', '']],
  ['[-a\\]^]', ['-', ']', '^', 'b']],
  ['^(|a)+$', ['', 'aa', 'b']],
  ['^(?:a?){3}b$', ['b', 'aaab', 'aaaab']],
  ['', ['', 'anything']],
  ['\\s', ['\ufeff', '\u2028', '\u200b']],
  ['.', ['\r', '\u2029', '\ud800']],
])('the pattern %s matches what it matches in JavaScript', (pattern, texts) => {
  for (const text of texts) check(pattern, text);
});

test.each([
  ['a backslash before punctuation', '^a\\-b\\_c\\@\\/$', 'a-b_c@/', true],
  ['a brace that counts nothing', '^{"a":{,1}}$', '{"a":{,1}}', true],
  ['a bracket that closes nothing', '^]$', ']', true],
])('%s is tolerated, as most servers write it', (_what, pattern, text, expected) => {
  expect(matchesPattern(pattern, text)).toBe(expected);
});

test.each([
  ['a group left open', '('],
  ['a group closed twice', ')'],
  ['a class left open', '[a'],
  ['a repeat of a repeat', 'a**'],
  ['a repeat of nothing', '+'],
  ['half a group', '(?'],
  ['a flag of another language', '(?i)a'],
  ['a name of another language', '(?P<x>a)'],
  ['a name that is a number', '(?<1>a)'],
  ['a lone backslash', '\\'],
  ['an edge of another language', '\\Z'],
  ['half a code', '\\u12'],
  ['half a byte', '\\x1'],
  ['an unknown control', '\\c1'],
  ['a code beyond Unicode', '\\u{110000}'],
  ['an unknown property', '\\p{Nope}'],
  ['no property', '\\p'],
  ['half a property', '\\p{L'],
  ['a range that runs backwards', '[z-a]'],
  ['a range that ends in a class', '[a-\\d]'],
  ['a count that runs backwards', 'a{3,2}'],
  ['a reference back', '(a)\\1'],
  ['a reference back by name', '(?<x>a)\\k<x>'],
  ['an octal number', '\\012'],
  ['a repeated edge', '^*'],
  ['a repeated look-ahead', '(?=a)*'],
  ['5,000 open groups', '('.repeat(5_000)],
  ['200 groups in each other', '(?:'.repeat(200) + ')'.repeat(200)],
  ['10,001 characters', 'a'.repeat(10_001)],
])('%s is not judged, and nothing is thrown', (_what, pattern) => {
  expect(matchesPattern(pattern, 'aaa')).toBeUndefined();
});

test.each([
  ['nested repeats', '^(a+)+$', 'a'.repeat(31) + '!', false],
  ['nested repeats of a long text', '^(a+)+$', 'a'.repeat(20_000) + '!', false],
  ['alternatives that overlap', '^(a|a)*$', 'a'.repeat(10_000) + '!', false],
  ['many repeats in a row', '^a*a*a*a*a*a*a*a*b$', 'a'.repeat(5_000), false],
  ['an address', '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}$', 'a'.repeat(5_000) + '!', false],
  ['counts within counts', '^((a{0,1000}){0,1000}){0,1000}$', 'aaa', true],
  ['a count of a million', '^[a-z]{1,1000000}$', 'a'.repeat(100), true],
  ['counts within counts for a long text', '^((a{1000}){1000}){1000}$', 'a'.repeat(5_000), undefined],
  ['a look-ahead at every place', '^((?=(a*)*$)a)*c$', 'a'.repeat(100_000), undefined],
  ['more work than is worth it', '[a-z]{1,4000}$', 'a'.repeat(1_000_000) + '!', undefined],
  ['a look-ahead within a look-ahead', '(?='.repeat(90) + 'a' + ')'.repeat(90), 'b'.repeat(1_000_000), undefined],
])('%s: answered in linear time, or left undecided', (_what, pattern, text, expected) => {
  expect(matchesPattern(pattern, text)).toBe(expected);
});

const atom = fc.constantFrom(
  'a',
  'b',
  'é',
  '🙂',
  '.',
  '[ab]',
  '[^a]',
  '[a-c🙂]',
  '\\d',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\p{L}',
  '\\P{L}',
  '[\\p{L}1]',
  '\\n',
  '\\u0061',
);
const edge = fc.constantFrom('^', '$', '\\b', '\\B');
const count = fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '{1,3}', '*?', '{2,}?');
const { pattern: patterns } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 3 },
    atom,
    edge,
    fc.tuple(atom, count).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), fc.constantFrom('', '*', '+', '?', '{1,2}')).map(([body, times]) => `(?:${body})${times}`),
    fc.tuple(fc.constantFrom('=', '!', '<=', '<!'), tie('pattern')).map(([kind, body]) => `(?${kind}${body})`),
  ),
  pattern: fc
    .array(fc.array(tie('term'), { maxLength: 4 }), { minLength: 1, maxLength: 2 })
    .map((options) => options.map((terms) => terms.join('')).join('|')),
}));
const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', 'é', '🙂', '\n', '\ud83d'), maxLength: 8 });

test('whatever the pattern and the text, the answer is the one of JavaScript', () => {
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => check(pattern, text)),
    { numRuns: runs },
  );
});

test('whatever is given as a pattern, nothing is thrown', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...Array.from('()[]{}*+?|^$\\.-,:=!<>pux0k19a')), maxLength: 20 }),
  );
  fc.assert(
    fc.property(anything, fc.string(), (pattern, text) => {
      const matches = matchesPattern(pattern, text);
      expect([true, false, undefined]).toContain(matches);
      // Where both engines accept a pattern, they agree.
      if (matches !== undefined && isUnderstood(pattern)) check(pattern, text);
    }),
    { numRuns: runs },
  );
});

function isUnderstood(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
