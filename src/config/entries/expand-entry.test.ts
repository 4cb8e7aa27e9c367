import { describe, expect, test } from 'vitest';
import { bareVariablesOf, expandEntry, variablesOf } from './expand-entry.js';
import type { RawEntry } from '../../transports/kind.js';

const environment = { A: 'alpha', B: 'beta' };
type Missing = readonly (readonly [variable: string, ...path: (string | number)[]])[];

function check(raw: RawEntry, expected: RawEntry, missing: Missing = []): void {
  const before = structuredClone(raw);
  const result = expandEntry(raw, environment);
  expect(result.entry).toEqual(expected);
  expect(result.missing.map(({ variable, path }) => [variable, ...path])).toEqual(missing);
  expect(raw).toEqual(before);
}

describe('variables are expanded in every field that starts or reaches a server', () => {
  test.each<[what: string, raw: RawEntry, expected: RawEntry]>([
    ['command', { command: '${A}/bin' }, { command: 'alpha/bin' }],
    ['args', { args: ['-x', '${A}', '${B}'] }, { args: ['-x', 'alpha', 'beta'] }],
    ['env', { env: { K: '${A}', L: 'l' } }, { env: { K: 'alpha', L: 'l' } }],
    ['cwd', { cwd: '${A}' }, { cwd: 'alpha' }],
    ['url', { url: 'https://${A}.test' }, { url: 'https://alpha.test' }],
    ['headers', { headers: { Authorization: 'Bearer ${A}' } }, { headers: { Authorization: 'Bearer alpha' } }],
    ['tls', { tls: { ca: '${A}.pem' } }, { tls: { ca: 'alpha.pem' } }],
    ['proxyUrl', { proxyUrl: 'https://${A}' }, { proxyUrl: 'https://alpha' }],
    ['oauth', { oauth: { scopes: ['${A}'], clientId: '${B}' } }, { oauth: { scopes: ['alpha'], clientId: 'beta' } }],
  ])('%s', (_, raw, expected) => check(raw, expected));
});

describe('everything else is left alone', () => {
  const untouched: readonly RawEntry[] = [
    {},
    { command: 'npx', args: ['-y', 'x'], env: { K: 'v' } },
    { command: '$A', args: ['$HOME', '5$'] },
    { command: '${input:x}' },
    { type: '${A}', timeout: '${A}', includeTools: ['${A}'], unknown: '${A}' },
    { headersHelper: 'print ${A}' },
    { env: { '${A}': 'name' } },
    { args: [1, null, true, ['x']], env: null, url: 3 },
  ];
  test.each(untouched)('%j is the very same object', (raw) => {
    expect(expandEntry(raw, environment).entry).toBe(raw);
  });

  test('a part without a variable is not copied', () => {
    const raw = { command: '${A}', args: ['x'], env: { K: 'v' } };
    const { entry } = expandEntry(raw, environment);
    expect(entry['args']).toBe(raw.args);
    expect(entry['env']).toBe(raw.env);
  });
});

describe('a variable that is not set is named with the way to it', () => {
  test.each<[raw: RawEntry, missing: Missing]>([
    [{ command: '${X}' }, [['X', 'command']]],
    [
      { args: ['a', '${X}${Y}', '${X}'] },
      [
        ['X', 'args', 1],
        ['Y', 'args', 1],
        ['X', 'args', 2],
      ],
    ],
    [
      { env: { K: '${X}', 'a.b': '${Y}' } },
      [
        ['X', 'env', 'K'],
        ['Y', 'env', 'a.b'],
      ],
    ],
    [{ oauth: { scopes: ['ok', '${X}'] } }, [['X', 'oauth', 'scopes', 1]]],
    [{ url: 'https://h/${__proto__}' }, [['__proto__', 'url']]],
  ])('%j', (raw, missing) => check(raw, raw, missing));

  test('the rest of the entry is still expanded', () => {
    check({ command: '${X}', args: ['${A}'] }, { command: '${X}', args: ['alpha'] }, [['X', 'command']]);
  });
});

test('a field named __proto__ is a field like any other', () => {
  const raw = JSON.parse('{"command":"${A}","__proto__":{"x":1},"env":{"__proto__":"${B}","K":"${A}"}}') as RawEntry;
  const { entry } = expandEntry(raw, environment);
  expect(JSON.stringify(entry)).toBe('{"command":"alpha","__proto__":{"x":1},"env":{"__proto__":"beta","K":"alpha"}}');
  expect(Object.getPrototypeOf(entry)).toBe(Object.prototype);
  expect(Object.getPrototypeOf(entry['env'])).toBe(Object.prototype);
});

test('an approval is shown every variable and the field it would end up in, however it is wrapped', () => {
  const raw = {
    command: 'npx',
    args: ['--key=${KEY}', '${${HIDDEN}}'],
    env: { T: '${TOKEN:-none}' },
    url: 'https://${HOST}/${input:${INNER}}',
    headersHelper: '${NOT_OURS}',
  };
  expect(variablesOf(raw).map(({ variable, field }) => `${variable} in ${field}`)).toEqual([
    'KEY in args[0]',
    'HIDDEN in args[1]',
    'TOKEN in env.T',
    'HOST in url',
    'INNER in url',
  ]);
});

test('a bare variable is named with its field', () => {
  const raw = { command: '$HOME/x', args: ['ok', '$TOKEN'], env: { K: '$$X', L: '${A}' } };
  expect(bareVariablesOf(raw).map(({ variable, field }) => `${variable} in ${field}`)).toEqual([
    'HOME in command',
    'TOKEN in args[1]',
  ]);
});
