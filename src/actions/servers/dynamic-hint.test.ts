import { expect, test } from 'vitest';
import { Secret } from '../../base/secret.js';
import { dynamicHint } from './dynamic-hint.js';

type Server = Parameters<typeof dynamicHint>[1];

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
  expect(dynamicHint(hint, server)).toBe(expected);
});

const program: Server['config'] = { type: 'stdio', command: 'node', args: ['a b.mjs', '--fast'], env: {} };
const secret = new Secret('hunter2-hunter2');

test.each<[string, Server['config'], string]>([
  ['Start it; then: plugboard doctor doc', config, `Start it; then: plugboard doctor ${url}`],
  ['plugboard doctor doc', program, "plugboard doctor -- node 'a b.mjs' --fast"],
  ['plugboard get doc', config, `plugboard get ${url}`],
  ['plugboard get doc', program, 'with the same flags: plugboard get doc'],
  ['plugboard logs doc', program, 'with the same flags: plugboard logs doc'],
  // More than a URL or a command says.
  ['plugboard doctor doc', { ...config, headers: { a: secret } }, 'with the same flags: plugboard doctor doc'],
  ['plugboard doctor doc', { ...config, type: 'sse' }, 'with the same flags: plugboard doctor doc'],
  ['plugboard doctor doc', { ...program, env: { A: secret } }, 'with the same flags: plugboard doctor doc'],
  ['plugboard doctor doc', { ...program, cwd: '/x' }, 'with the same flags: plugboard doctor doc'],
  [
    'plugboard doctor doc',
    { ...program, args: ['--token', 'x1y2z3x1y2z3'] },
    'with the same flags: plugboard doctor doc',
  ],
  ['plugboard doctor doc', { ...config, url: 'https://u:p@mcp.example/' }, 'with the same flags: plugboard doctor doc'],
])('%s, of the entry %j, is told as %s', (hint, entry, expected) => {
  expect(dynamicHint(hint, { ...given, config: entry })).toBe(expected);
});
