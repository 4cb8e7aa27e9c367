import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { bareVariableIn, type Environment, expandText, variablesIn } from './expand.js';

const environment: Environment = {
  A: 'alpha',
  B: 'beta',
  EMPTY: '',
  NESTED: '${A}',
  BRACE: '}',
  DOLLAR: '$',
  a_1: 'lower',
  _: 'underscore',
  UNSET: undefined,
};

/** Compares the expanded text and the names of missing variables. */
function check(text: string, expected: string, missing: readonly string[] = []): void {
  expect(expandText(text, environment)).toEqual({ text: expected, missing });
}

describe('a reference to a variable becomes its value', () => {
  test.each<[text: string, expected: string]>([
    ['${A}', 'alpha'],
    ['x${A}y', 'xalphay'],
    ['${A}${B}', 'alphabeta'],
    ['${A}}', 'alpha}'],
    ['${a_1}${_}', 'lowerunderscore'],
    ['${EMPTY}', ''],
    ['Bearer ${A}', 'Bearer alpha'],
    ['🙂${A}é', '🙂alphaé'],
    ['line\n${A}\r\n', 'line\nalpha\r\n'],
  ])('%j is %j', check);
});

describe('a default stands in for a variable that is unset or empty, and ends at the first closing brace', () => {
  test.each<[text: string, expected: string]>([
    ['${A:-d}', 'alpha'],
    ['${X:-d}', 'd'],
    ['${X:-}', ''],
    ['${EMPTY:-d}', 'd'],
    ['${UNSET:-d}', 'd'],
    ['${X:-a:-b}', 'a:-b'],
    ['${X:--}', '-'],
    ['${X:- }', ' '],
    ['${X:-https://h.test/p?q=1}', 'https://h.test/p?q=1'],
    ['${X:-a\nb}', 'a\nb'],
    ['${X:-{}}', '{}'],
    ['${X:-a}b}', 'ab}'],
    ['${X:-$A}', '$A'],
    ['${A:-${B:-${A}}}', 'alpha}}'],
    ['${X:-${B:-${A}}}', '${B:-${A}}'],
    ['${X:-${A}}', '${A}'],
    [`\${X:-${'d'.repeat(1_000_000)}}`, 'd'.repeat(1_000_000)],
  ])('%.60j is %.60j', check);
});

describe('a variable that is not there stays as written and is named', () => {
  test.each<[text: string, missing: readonly string[]]>([
    ['${X}', ['X']],
    ['${UNSET}', ['UNSET']],
    ['${X}/${Y}/${X}', ['X', 'Y', 'X']],
    ['${__proto__}', ['__proto__']],
    ['${constructor}', ['constructor']],
    ['${toString}', ['toString']],
    ['${hasOwnProperty}', ['hasOwnProperty']],
  ])('%j names %j', (text, missing) => check(text, text, missing));
});

describe('what is no reference stays as it is', () => {
  test.each([
    '',
    '$',
    '$A',
    '$A/$B',
    '$(A)',
    '%A%',
    '{A}',
    '${',
    '${A',
    '${A:-',
    '${A:-d',
    '${}',
    '${:-d}',
    '${ A}',
    '${A }',
    '${1A}',
    '${A-B}',
    '${A:d}',
    '${A:=d}',
    '${A:+d}',
    '${A?d}',
    '${input:x}',
    '${env:A}',
    '${workspace folder}x${',
    '${é}',
    '${Á}',
    '${A\u200b}',
    '${A\n}',
    '${😀}',
  ])('%j', (text) => check(text, text));
});

describe('a reference is found beside and inside what is none', () => {
  test.each<[text: string, expected: string]>([
    ['$${A}', '$alpha'],
    ['$$${A}', '$$alpha'],
    ['${${A}}', '${alpha}'],
    ['${ ${A}', '${ alpha'],
    ['${${${A}', '${${alpha'],
    ['${input:x}${A}', '${input:x}alpha'],
    ['\\${A}', '\\alpha'],
    ['${DOLLAR}{A}', '${A}'],
    ['${A${BRACE}', '${A}'],
  ])('%j is %j', check);
});

test('what a variable holds is never expanded again', () => {
  check('${NESTED}', '${A}');
  check('${NESTED}${A}', '${A}alpha');
  const value = fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', 'V', ':', '-'), maxLength: 12 });
  fc.assert(
    fc.property(value, value, (held, around) => {
      const plain = around.replaceAll('$', '');
      expect(expandText(`${plain}\${V}${plain}`, { V: held, A: 'secret' }).text).toBe(plain + held + plain);
    }),
  );
});

test('a text without a brace behind a dollar is the same afterwards', () => {
  const text = fc.string({ unit: anyCharacter }).filter((candidate) => !candidate.includes('${'));
  fc.assert(fc.property(text, (given) => check(given, given)));
});

/** A reference implementation without shortcuts: one reference at a time. */
function byTheRules(text: string, variables: Environment): string {
  const match = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/u.exec(text);
  if (!match) return text;
  const [whole, name, fallback] = match;
  const value = Object.hasOwn(variables, name!) ? variables[name!] : undefined;
  const result = fallback === undefined ? (value ?? whole) : value || fallback;
  const rest = text.slice(match.index + whole.length);
  return text.slice(0, match.index) + result + byTheRules(rest, variables);
}

test('any mix of references and their fragments comes out as the rules say, and every name in it is listed', () => {
  const part = fc.constantFrom('${', '}', '$', '{', 'A', 'B', 'X', ':-', ':', '-', ' ', '${A}', '${X:-', '${X}', 'é');
  const text = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (given) => {
      const { text: expanded, missing } = expandText(given, environment);
      expect(expanded).toBe(byTheRules(given, environment));
      const names = variablesIn(given);
      expect(names).toEqual(expect.arrayContaining([...missing]));
      // Every variable that can change the text is shown in an approval.
      expect(expanded === given || names.length > 0).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

describe('a text of a megabyte made to be slow is expanded like any other', () => {
  const many = 500_000;
  test.each<[what: string, text: string, expected: string, missing?: readonly string[]]>([
    ['openings without an end', '${'.repeat(many), '${'.repeat(many)],
    ['openings with one end', `${'${'.repeat(many)}A}`, `${'${'.repeat(many - 1)}alpha`],
    ['openings of defaults', '${A:-'.repeat(many / 2), '${A:-'.repeat(many / 2)],
    ['openings of defaults with one end', `${'${A:-'.repeat(many / 2)}}`, 'alpha'],
    ['names without an end', '${A'.repeat(many / 2), '${A'.repeat(many / 2)],
    ['one endless name', `\${${'A'.repeat(2 * many)}`, `\${${'A'.repeat(2 * many)}`],
    ['things that are no reference', '${input:x}'.repeat(many / 5), '${input:x}'.repeat(many / 5)],
    ['references', '${A}'.repeat(many / 2), 'alpha'.repeat(many / 2)],
    ['dollars', '$'.repeat(2 * many), '$'.repeat(2 * many)],
    ['closings', '}'.repeat(2 * many), '}'.repeat(2 * many)],
  ])('%s', (_, text, expected, missing = []) => {
    const expansion = expandText(text, environment);
    expect(expansion.text === expected).toBe(true);
    expect(expansion.missing).toEqual(missing);
    expect(variablesIn(text).length).toBeLessThanOrEqual(many);
  });
});

describe('every variable that a text asks for is listed, set or not', () => {
  test.each<[text: string, names: readonly string[]]>([
    ['none', []],
    ['${A}', ['A']],
    ['${A}${X:-${B}}', ['A', 'X']],
    ['${${SECRET}}', ['SECRET']],
    ['${ ${SECRET}}', ['SECRET']],
    ['${input:${SECRET}}', ['SECRET']],
    ['$${A}', ['A']],
    ['$A ${', []],
  ])('%j lists %j', (text, names) => expect(variablesIn(text)).toEqual(names));
});

describe('a bare variable is pointed out, because a shell would expand it and nothing here does', () => {
  test.each<[text: string, name: string | undefined]>([
    ['$HOME/bin', 'HOME'],
    ['--token=$TOKEN', 'TOKEN'],
    ['$_X1', '_X1'],
    ['a$B', 'B'],
    ['${HOME}', undefined],
    ['$$HOME', undefined],
    ['\\$HOME', undefined],
    ['$1', undefined],
    ['$home', undefined],
    ['cost: 5$', undefined],
    ['^a$', undefined],
  ])('%j has %j', (text, name) => expect(bareVariableIn(text)).toBe(name));
});
