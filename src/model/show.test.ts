import { expect, test } from 'vitest';
import { nameOnce, showCommand, showLine, showName, showText } from './show.js';

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

test.each<[string, string]>([
  ['Server "a" is gone', 'Server "a" is gone'],
  ['Server "a" is gone; Server "a" said why', 'Server "a" is gone; it said why'],
  ['Server "a" answered 401; Server "a": x gave no token', 'Server "a" answered 401; x gave no token'],
  ['Server "a": Server "b": no', 'Server "a": Server "b": no'],
])('%s is %s where a name is said once', (message, expected) => {
  expect(nameOnce(message, 'a')).toBe(expected);
});
