import { expect, test } from 'vitest';
import { loginCommand } from './login-command.js';

type Server = Parameters<typeof loginCommand>[1];

const url = 'https://mcp.example/mcp';
const config: Server['config'] = { type: 'http', url, headers: {} };
const given: Server = { name: 'doc', scope: 'dynamic', config };

test.each<[string, Server, string]>([
  ['plugboard login doc', given, `plugboard login ${url}`],
  ['plugboard login doc --scope "a b"', given, `plugboard login ${url} --scope "a b"`],
  ['plugboard login doc; or check the token', given, `plugboard login ${url}; or check the token`],
  ['Use a device code: plugboard login --device doc', given, `Use a device code: plugboard login --device ${url}`],
  // Hints for other servers whose names start alike.
  ['plugboard login docs', given, 'plugboard login docs'],
  ['plugboard login doc@work', given, 'plugboard login doc@work'],
  ['plugboard login docs', { ...given, name: 'd.cs' }, 'plugboard login docs'],
  ['plugboard login doc', { ...given, scope: 'user' }, 'plugboard login doc'],
  // A URL does not say which account.
  [
    'plugboard login doc@work',
    { ...given, name: 'doc@work', accountOf: 'doc' },
    'with the same flags: plugboard login doc@work',
  ],
  ["plugboard login 'my doc'", { ...given, name: 'my doc' }, `plugboard login ${url}`],
])('%s, of %j, is told as %s', (hint, server, expected) => {
  expect(loginCommand(hint, server)).toBe(expected);
});
