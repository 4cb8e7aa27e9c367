import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameWord, shellWord } from './shell-word.js';

test.each([
  'plain',
  'a b',
  '',
  '$(touch x)',
  '`id`',
  "it's",
  'a;b',
  '\n',
  '"',
  '\\',
  '*',
  '~',
  '-x',
  '#x',
  'ünï',
  '!x',
])('a shell reads %j back as it was', (text) => check(text));

test('whatever a file holds, a shell reads it back as it was', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 20 }).filter((text) => !text.includes('\0')),
      check,
    ),
    { numRuns: 30 },
  );
});

test.each(['x\\', 'x\\\\', "x\\'", "\\\\'; touch x #", '{"a":"b\\nc\\\\"}', 'C:\\my notes\\', '\\n x'])(
  'the text %s is one word to fish, and to a POSIX shell',
  (text) => {
    check(text);
    expect(fishWords(`echo ${shellWord(text)} ${shellWord('; touch x')}`)).toEqual(['echo', text, '; touch x']);
  },
);

test('a name that looks like a flag stands behind --', () => {
  expect(nameWord('-x')).toBe('-- -x');
  expect(nameWord('a b')).toBe("'a b'");
});

function check(text: string): void {
  expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
}

/** The words that fish makes of a command line: in single quotes, `\'` and `\\` are escapes. */
function fishWords(line: string): readonly string[] {
  const words = [''];
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const [sign, next = ''] = [line[at]!, line[at + 1]];
    if (sign === '\\' && (!isQuoted || /['\\]/u.test(next))) {
      words.push(words.pop()! + next);
      at++;
    } else if (sign === "'") isQuoted = !isQuoted;
    else if (sign === ' ' && !isQuoted) words.push('');
    else words.push(words.pop()! + sign);
  }
  return isQuoted ? [] : words;
}
