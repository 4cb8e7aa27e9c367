import { expect, test } from 'vitest';
import { showCommand, showLine, showName, showText } from './show.js';

const functions = { showLine, showName, showText };

function check(how: keyof typeof functions, text: string, expected: string): void {
  expect(functions[how](text)).toBe(expected);
}

test.each<[keyof typeof functions, string, string]>([
  ['showLine', 'plain', 'plain'],
  ['showLine', 'two\nlines', 'two lines'],
  ['showLine', '\u001B[31mred\u001B[0m', 'red'],
  ['showText', 'two\nli\u202Enes', 'two\nlines'],
  ['showName', 'github', 'github'],
  ['showName', 'plugin:a:b', 'plugin:a:b'],
  ['showName', 'my server', "'my server'"],
  ['showName', "it's", String.raw`'it'\''s'`],
  ['showName', '$(x)', "'$(x)'"],
  ['showName', '-x', '-- -x'],
  ['showName', '', "''"],
])('%s shows %j as %s', check);

test('a command is shown as it could be typed', () => {
  expect(showCommand(['npx', '-y', 'a b', '$HOME', ''])).toBe('npx -y "a b" "$HOME" ""');
});
