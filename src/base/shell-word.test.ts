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

test('a name that looks like a flag stands behind --', () => {
  expect(nameWord('-x')).toBe('-- -x');
  expect(nameWord('a b')).toBe("'a b'");
});

function check(text: string): void {
  expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
}
