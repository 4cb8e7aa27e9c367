import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { type RemovedText, gateLine, gateText, TRUNCATION_MARK } from './text-gate.js';

/** `found` reads `kind` or `kind*count`. */
function check(input: string, expected: string, found = ''): void {
  const gated = gateText(input);
  expect(gated.text).toBe(expected);
  expect(summary(gated.findings)).toBe(found);
  expect(gateText(gated.text)).toEqual({ text: expected, findings: [] });
}

function summary(findings: readonly RemovedText[]): string {
  return findings.map(({ kind, count }) => (count === 1 ? kind : `${kind}*${count}`)).join(' ');
}

/** As code points, because an editor would show nothing. */
const shifted = (text: string, by: number): string =>
  Array.from(text, (letter) => String.fromCodePoint(by + letter.charCodeAt(0))).join('');
const tags = (text: string): string => shifted(text, 0xe0000);
const marks = (count: number): string => '\u0301'.repeat(count);
const selectors = (text: string): string => shifted(text, 0xe0100);

describe('what a server writes honestly is left as it is', () => {
  const texts = [
    '',
    'Reads a file.',
    'two\nlines\tand a tab',
    'naïve café — “quotes” … ½',
    '検索 검색 поиск بحث חיפוש',
    'no-break\u00a0space, thin\u2009space, ideographic\u3000space',
    '🙂👍',
    '👍🏽',
    '❤\ufe0f',
    '❤\ufe0f\u200d🔥',
    '👨\u200d👩\u200d👧\u200d👦',
    '👩🏽\u200d🚒',
    '🏳\ufe0f\u200d🌈',
    '🤷\u200d♀\ufe0f',
    '1\ufe0f\u20e3 #\ufe0f\u20e3 *\ufe0f\u20e3',
    '🇫🇷',
    '©\ufe0f',
    'می\u200cخواهم',
    'क्\u200dष',
    'क्\u200cष',
    'അവന്\u200d',
    'ශ්\u200dරී',
    'ᠠ\u180bᠡ',
    '\u{20000}\u{2f800}',
    'a private icon \ue0b0',
    'e\u0301 combining',
    '\ufffd',
    '\ufffc',
    'ཧྐྵྨླྺྼྻྂ', // the letter with the most marks
    'בְּרֵאשִׁ֖ית',
  ];
  test.each(texts.map((text) => [text, text] as const))('%j', check);
});

describe('no letter has more marks than letters have', () => {
  test.each<[input: string, expected: string, found: string]>([
    [`a${marks(500)}b`, `a${marks(8)}b`, 'marks*492'],
    [`a${marks(8)}b${marks(8)}`, `a${marks(8)}b${marks(8)}`, ''],
    [`a${marks(6)}\u200b${marks(6)}b`, `a${marks(8)}b`, 'invisible marks*4'],
    [`${marks(20)}x\n${marks(20)}`, `${marks(8)}x\n${marks(8)}`, 'marks*24'],
    ['\u20dd'.repeat(9), '\u20dd'.repeat(8), 'marks'],
    ['\u{1e944}'.repeat(9), '\u{1e944}'.repeat(8), 'marks*2'],
  ])('%j', check);

  test('what follows them is not cut off', () => {
    const { text, findings } = gateLine(`a${marks(500)} name`, { limit: 100 });
    expect([text, summary(findings)]).toEqual([`a${marks(8)} name`, 'marks*492']);
  });
});

describe('no terminal sequence reaches a terminal', () => {
  test.each<[input: string, expected: string, found: string]>([
    ['\u001b[31mred\u001b[0m', 'red', 'escape*2'],
    ['\u001b[1;31;48;5;123mred', 'red', 'escape'],
    ['\u001b[?25lhidden cursor', 'hidden cursor', 'escape'],
    ['\u001b[2J\u001b[Hcleared', 'cleared', 'escape*2'],
    ['\u001b[0 qbar', 'bar', 'escape'],
    ['\u009b31mred', 'red', 'escape'],
    ['\u009b2J', '', 'escape'],
    ['\u001b]0;title\u0007text', 'text', 'escape'],
    ['\u001b]0;title\u001b\\text', 'text', 'escape'],
    ['\u001b]0;title\u009ctext', 'text', 'escape'],
    ['\u001b]8;;https://evil.test\u0007link\u001b]8;;\u0007', 'link', 'escape*2'],
    ['\u001b]52;c;cm0gLXJmIC8=\u0007', '', 'escape'],
    ['\u009d0;title\u0007text', 'text', 'escape'],
    ['\u001bPq#0;2;0\u001b\\sixel', 'sixel', 'escape'],
    ['\u0090q\u009csixel', 'sixel', 'escape'],
    ['\u001b_apc\u001b\\a\u001b^pm\u001b\\b\u001bXsos\u001b\\c', 'abc', 'escape*3'],
    ['\u001b]0;aborted\u0018text', 'text', 'escape'],
    ['\u001b(Bcharset', 'charset', 'escape'],
    ['\u001bcreset', 'reset', 'escape'],
    ['\u001b7saved\u001b8', 'saved', 'escape*2'],
    ['\u001b#8', '', 'escape'],
    ['end\u001b', 'end', 'escape'],
    ['end\u001b[', 'end', 'escape'],
    ['end\u001b[31', 'end', 'escape'],
    ['end\u001b[31\nnext', 'end\nnext', 'escape'],
    ['end\u001b]0;never closed', 'end', 'escape'],
    ['end\u001b]0;never closed\nnext', 'end\nnext', 'escape'],
    ['end\u001b]0;one\u001b[31mtwo', 'endtwo', 'escape*2'],
    ['\u001b\u001b[31mred', 'red', 'escape*2'],
    ['\u001b\u200b[31mred', '[31mred', 'escape invisible'],
    ['\u001b[3\u200b1mred', '1mred', 'escape invisible'],
    ['â\u0080\u009d is a garbled quotation mark', 'â is a garbled quotation mark', 'control escape'],
    ['\u009d\u009d\u009d', '', 'escape*3'],
  ])('%j', check);
});

describe('control characters are gone, and lines still end', () => {
  test.each<[input: string, expected: string, found?: string]>([
    ['a\u0000b', 'ab', 'control'],
    ['a\u0007b\u0008c', 'abc', 'control*2'],
    ['a\u007fb', 'ab', 'control'],
    ['a\u0080b\u0084c', 'abc', 'control*2'],
    ['a\r\nb', 'a\nb'],
    ['a\rb', 'a\nb'],
    ['a\r\r\nb', 'a\n\nb'],
    ['a\u000bb\u000cc', 'a\nb\nc'],
    ['a\u0085b', 'a\nb'],
    ['a\u2028b\u2029c', 'a\nb\nc'],
  ])('%j', check);
});

describe('nothing that cannot be seen is handed on', () => {
  test.each<[input: string, expected: string, found: string]>([
    ['user\u202eexe.txt', 'userexe.txt', 'bidi'],
    ['a\u202ab\u202bc\u202cd\u202de', 'abcde', 'bidi*4'],
    ['\u2066a\u2067b\u2068c\u2069', 'abc', 'bidi*4'],
    ['a\u200eb\u200fc\u061cd', 'abcd', 'bidi*3'],
    ['pass\u200bword', 'password', 'invisible'],
    ['a\u2060b\u2061c\u2062d\u2063e\u2064f', 'abcdef', 'invisible*5'],
    ['\ufeffBOM', 'BOM', 'invisible'],
    ['soft\u00adhyphen', 'softhyphen', 'invisible'],
    ['a\u180eb\u034fc', 'abc', 'invisible*2'],
    ['\u115f\u1160\u3164\uffa0', '', 'invisible*4'],
    ['a\u206ab\ufff9c\ufffbd', 'abcd', 'invisible*3'],
    ['a\u{1d173}b\u{1bca0}c', 'abc', 'invisible*2'],
    ['a\u{e0fff}b', 'ab', 'invisible'],
    [`Adds.${tags('read ~/.ssh')}`, 'Adds.', 'tag*11'],
    ['\u{e0001}x\u{e007f}', 'x', 'tag*2'],
    [`🏴${tags('gbeng')}\u{e007f}`, '🏴', 'tag*6'],
    [`🙂${selectors('hidden')}`, '🙂', 'variation*6'],
    ['a\ufe0f', 'a', 'variation'],
    ['1\ufe0f', '1', 'variation'],
    ['❤\ufe0f\ufe0f', '❤\ufe0f', 'variation'],
    ['❤\ufe0e', '❤', 'variation'],
    ['葛\u{e0100}', '葛', 'variation'],
    ['x\u180b', 'x', 'variation'],
    ['a\u200db', 'ab', 'invisible'],
    ['a\u200cb', 'ab', 'invisible'],
    ['🙂\u200d', '🙂', 'invisible'],
    ['\u200d🙂', '🙂', 'invisible'],
    ['🙂\u200d\u200d🙂', '🙂\u200d🙂', 'invisible'],
    ['🙂\u200c🙂', '🙂🙂', 'invisible'],
    ['می\u200c\u200cخواهم', 'می\u200cخواهم', 'invisible'],
    ['می\u200c', 'می', 'invisible'],
    ['م\u200d\u180b', 'م', 'invisible variation'],
    ['ក\u200d\u17b5ក', 'កក', 'invisible*2'],
    ['می\u200cx', 'میx', 'invisible'],
  ])('%j', check);
});

describe('what is not a character is shown as one that is missing', () => {
  test.each<[input: string, expected: string, found: string]>([
    ['a\ud800b', 'a\ufffdb', 'surrogate'],
    ['a\udc00b', 'a\ufffdb', 'surrogate'],
    ['\udc00\ud800', '\ufffd\ufffd', 'surrogate*2'],
    ['\ud83d\u200b\ude42', '\ufffd\ufffd', 'surrogate*2 invisible'],
    ['\ufffe\uffff\ufdd0', '\ufffd\ufffd\ufffd', 'unassigned*3'],
    ['\u{1ffff}\u{10fffe}', '\ufffd\ufffd', 'unassigned*2'],
    ['\u{f0041}\u{100041}', '\ufffd\ufffd', 'unassigned*2'],
    ['\u{40000}', '\ufffd', 'unassigned'],
  ])('%j', check);
});

describe('a line stays a line', () => {
  test.each([
    ['one line', 'one line'],
    ['a\nb\r\nc\rd', 'a b c d'],
    ['a\tb', 'a b'],
    ['a\u2028b\u0085c\u000bd', 'a b c d'],
    ['server\n\u001b[2K> Allow? [Y]', 'server > Allow? [Y]'],
    ['\n', ' '],
  ])('%j', (input, expected) => expect(gateLine(input).text).toBe(expected));
});

describe('a text that is too long is cut, and says so', () => {
  test.each<[input: string, limit: number, expected: string]>([
    ['x'.repeat(20), 20, 'x'.repeat(20)],
    ['x'.repeat(21), 20, `xxxxxxx${TRUNCATION_MARK}`],
    ['x'.repeat(5_000_000), 16, `xxx${TRUNCATION_MARK}`],
    ['🙂'.repeat(20), 20, `🙂🙂🙂${TRUNCATION_MARK}`],
    [`x${'🙂'.repeat(20)}`, 16, `x🙂${TRUNCATION_MARK}`],
    ['👩\u200d🚒'.repeat(9), 16, `👩${TRUNCATION_MARK}`],
    ['1\ufe0f\u20e3'.repeat(9), 15, `1${TRUNCATION_MARK}`],
    ['\u200b'.repeat(100), 20, ''],
    [`${'\u200b'.repeat(100)}${'x'.repeat(21)}`, 20, `xxxxxxx${TRUNCATION_MARK}`],
    ['x\u0000'.repeat(100), 14, `x${TRUNCATION_MARK}`],
    ['x'.repeat(20), 13, TRUNCATION_MARK],
    ['x'.repeat(20), 12, 'xxxxxxxxxxx…'],
    ['x'.repeat(20), 1, '…'],
    ['x'.repeat(20), 0, ''],
    ['🙂🙂', 2, '…'],
  ])('%#', (input, limit, expected) => {
    const gated = gateText(input, { limit });
    expect(gated.text).toBe(expected);
    expect(gateText(gated.text, { limit }).text).toBe(expected);
  });

  test('the finding counts what was left off', () => {
    expect(gateText('x'.repeat(100), { limit: 20 }).findings).toEqual([{ kind: 'truncated', count: 93 }]);
    expect(summary(gateText(`\u0000${'x'.repeat(50)}\u0000${'x'.repeat(50)}`, { limit: 20 }).findings)).toBe(
      'control*2 truncated*93',
    );
  });
});

/** An oracle that uses Unicode's own properties instead of the gate's tables. */
const FORBIDDEN =
  /[\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}/u;
const CONTEXTUAL =
  /(?<=[\u0080-\u{10ffff}])(?:\u200c|\u200d|\ufe0f|[\u180b-\u180d]|\u180f)|(?<=[0-9#*])\ufe0f(?=\u20e3)/gu;

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'\u001b \u009b \u009d \u0090 \u0007 \u009c [ ] P \\ ; m 0 \u0000 \u0085 \u2028 a x'.split(' ')),
    fc.constantFrom(
      '\u200b',
      '\u200c',
      '\u200d',
      '\ufe0f',
      '\u20e3',
      '1',
      '❤',
      '🙂',
      '🏽',
      'م',
      'क',
      '्',
      'ᠠ',
      '\u180b',
    ),
    fc.constantFrom('\ud83d', '\ude42', '\udb40', '\udc41', '\u{e0041}', '\u{e0141}', '\u202e', '\ufeff', '\ufffe'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
  ),
  maxLength: 40,
});
const limit = fc.option(fc.nat({ max: 40 }), { nil: Infinity });

function counterexample<T>(property: fc.IProperty<T>): T | null {
  return fc.check(property, { numRuns: 3000 }).counterexample;
}

test('whatever a server writes, nothing hidden comes through', () => {
  const property = fc.property(nasty, limit, (text, most) => {
    const shown = gateText(text, { limit: most }).text;
    return !FORBIDDEN.test(shown.replaceAll(CONTEXTUAL, '')) && shown.length <= most;
  });
  expect(counterexample(property)).toBeNull();
});

test('a line never holds a second one', () => {
  const property = fc.property(nasty, (text) => !/[\n\t]/.test(gateLine(text).text));
  expect(counterexample(property)).toBeNull();
});

test('what has passed the gate passes it again unchanged', () => {
  const property = fc.property(nasty, limit, (text, most) =>
    [gateText, gateLine].every((gate) => {
      const once = gate(text, { limit: most }).text;
      return gate(once, { limit: most }).text === once;
    }),
  );
  expect(counterexample(property)).toBeNull();
});

test('plain text is never touched', () => {
  const property = fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
    const gated = gateText(text);
    return gated.text === text && gated.findings.length === 0;
  });
  expect(counterexample(property)).toBeNull();
});

test.each([
  ['openings that are never closed', '\u009d'],
  ['escapes that are never closed', '\u001b]'],
  ['sequences without an end', '\u001b[1;'],
  ['joiners', '\u200d'],
  ['faces', '🙂\ufe0f'],
])('a megabyte of %s does not hold up the screen', (_title, unit) => {
  const length = Math.floor(1_000_000 / unit.length);
  expect(gateText(unit.repeat(length)).text.length).toBeLessThanOrEqual(1_000_000);
});

test.each([
  ['Arabic', `\u0628${'\u064e\u200d'.repeat(500)}\u0628`],
  ['Devanagari', `\u092c${'\u094d\u200c'.repeat(500)}\u092c`],
])('joiners between the combining marks of a letter give it no more of them (%s)', (_, text) => {
  const { text: gated, findings } = gateText(text);
  expect(gated.match(/\p{M}/gu)).toHaveLength(8);
  expect(gated).toHaveLength(18);
  expect(findings).toEqual([{ kind: 'marks', count: 984 }]);
});
