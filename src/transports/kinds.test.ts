import { describe, expect, test } from 'vitest';
import { expectEntryAgreement } from '../../test/schema-agreement.js';
import type { FieldIssue, RawEntry } from './kind.js';
import { checkConfig, transportKindOf, kinds, parseEntry, serverTargetOf } from './kinds.js';

const show = ({ severity, path, message, hint }: FieldIssue): string =>
  `${severity} ${path.join('.')}: ${message}${hint === undefined ? '' : ` (${hint})`}`;

/** Checks the issues of an entry, and that it has a config unless one is an error. The only call of the parser here. */
function check(raw: unknown, expected: readonly string[]): void {
  const { config, issues } = parseEntry(raw);
  expect(issues.map(show)).toEqual(expected);
  expectEntryAgreement(raw);
  expect(config !== undefined).toBe(!expected.some((issue) => issue.startsWith('error')));
}

test('every kind has words of its own, and knows its own fields', () => {
  const words = kinds.flatMap(({ type, aliases }) => [type, ...aliases]);
  expect(words).toEqual([...new Set(words)]);
  for (const kind of kinds) {
    expect(kind.fields).toEqual([...new Set(kind.fields)]);
    expect(kind.fields).toContain('type');
    expect(transportKindOf({ type: kind.type } as Parameters<typeof transportKindOf>[0])).toBe(kind);
  }
});

describe('the kind of an entry follows from its type, or from its fields', () => {
  test.each<[raw: RawEntry, type: string]>([
    [{ command: 'x' }, 'stdio'],
    [{ type: 'stdio', command: 'x' }, 'stdio'],
    [{ type: null, command: 'x' }, 'stdio'],
    [{ type: 'stdio', command: 'x', url: 'https://h' }, 'stdio'],
    [{ url: 'https://h' }, 'http'],
    [{ type: 'http', url: 'https://h' }, 'http'],
    [{ type: 'streamable-http', url: 'https://h' }, 'http'],
    [{ type: 'streamableHttp', url: 'https://h' }, 'http'],
    [{ type: 'streamable_http', url: 'https://h' }, 'http'],
    [{ type: 'sse', url: 'https://h' }, 'sse'],
    [{ type: 'ws', url: 'wss://h' }, 'ws'],
    [{ type: 'websocket', url: 'wss://h' }, 'ws'],
    [{ type: 'sse-ide', url: 'http://127.0.0.1:1' }, 'sse-ide'],
    [{ type: 'ws-ide', url: 'ws://127.0.0.1:1', authToken: 't' }, 'ws-ide'],
    [{ type: 'sdk', name: 'x' }, 'sdk'],
    [{ type: 'connector-proxy', url: 'https://h' }, 'connector-proxy'],
    [{ type: 'claudeai-proxy', url: 'https://h', proxyUrl: 'https://p' }, 'connector-proxy'],
  ])('%j is %s', (raw, type) => expect(parseEntry(raw).config?.type).toBe(type));
});

describe('an entry with everything in it is good', () => {
  const common = {
    timeout: 1000,
    trust: true,
    alwaysLoad: false,
    disabled: false,
    includeTools: ['a'],
    excludeTools: [],
    start: 'lazy',
    era: 'auto',
  };
  const remote = {
    ...common,
    url: '${URL}',
    headers: { 'X-A': 'b' },
    headersHelper: 'x',
    oauth: {
      clientId: 'a',
      clientSecret: 'b',
      callbackPort: 1,
      scopes: 'a b',
      authServerMetadataUrl: 'https://a',
      xaa: true,
    },
    xaa: true,
    tls: { ca: 'a', cert: 'b', key: 'c' },
  };
  const sandbox = { network: true, write: ['a'], memoryMb: 16, processes: 1 };
  test.each<RawEntry>([
    { ...common, command: '${CMD}', args: ['a', ''], env: { A: '' }, cwd: '.', inheritEnv: ['A'], sandbox },
    { ...common, type: 'stdio', command: 'x', inheritEnv: true, sandbox: true },
    { ...remote, type: 'http' },
    { ...remote, type: 'sse' },
    { ...remote, type: 'ws' },
    { ...remote, type: 'sse-ide' },
    { ...remote, type: 'ws-ide', authToken: 'x' },
    { ...remote, type: 'connector-proxy', proxyUrl: 'https://p' },
    { ...common, type: 'sdk', name: 'x' },
  ])('$type', (raw) => check(raw, []));

  test.each([' a  b ', ['a', 'b']])('scopes may be a list or one text: %j', (scopes) => {
    expect(parseEntry({ url: 'https://h', oauth: { scopes } }).config).toMatchObject({ oauth: { scopes: ['a', 'b'] } });
  });
});

const NO_OBJECT =
  'error : expected an object with "command" or "url" (Write { "command": "npx", "args": ["-y", "PACKAGE"] }, or { "url": "https://..." })';
const SWITCH = '(Write true or false, without quotes)';
const ADD =
  'error : "command" is missing (Add "command": "..." for a program of this machine, or "url": "https://..." for a server elsewhere)';
const PAIRS = '(Write "env": { "NAME": "value" }, one pair for each)';
const RANGE = 'expected a whole number from 1000 to 2147483647, got';
const TYPES = 'expected one of stdio, http, sse, ws, sse-ide, ws-ide, connector-proxy, got';
const LEAVE_OUT = '(Leave "type" out for a command, write "http" for a URL)';

describe('what is wrong with an entry is told with the field and what was expected', () => {
  test.each<[raw: unknown, ...issues: string[]]>([
    [null, NO_OBJECT],
    ['npx', NO_OBJECT],
    [['npx'], NO_OBJECT],
    [1, NO_OBJECT],
    [undefined, NO_OBJECT],
    [{}, ADD],
    [
      { command: 'x', url: 'y' },
      'error : has both "command" and "url", so its type is unclear (Add "type": "stdio" or "type": "http", or remove one of the two)',
    ],
    [{ type: 'htp', url: 'x' }, `error type: ${TYPES} "htp" (Did you mean "http"?)`],
    [{ type: 'STDIO', command: 'x' }, `error type: ${TYPES} "STDIO" (Did you mean "stdio"?)`],
    [{ type: '' }, `error type: ${TYPES} "" ${LEAVE_OUT}`],
    [{ type: 'carrier-pigeon' }, `error type: ${TYPES} "carrier-pigeon" ${LEAVE_OUT}`],
    [{ type: 7 }, `error type: ${TYPES} number ${LEAVE_OUT}`],
    [{ type: 'constructor' }, `error type: ${TYPES} "constructor" ${LEAVE_OUT}`],
    [{ type: 'stdio' }, ADD],
    [
      { type: 'stdio', url: 'https://h' },
      'error : "command" is missing (The entry has a "url": write "type": "http", or leave "type" out)',
    ],
    [
      { type: 'http', command: 'x' },
      'error : "url" is missing (The entry has a "command": write "type": "stdio", or leave "type" out)',
    ],
    [{ type: 'http' }, 'error : "url" is missing (Add "url": "https://...")'],
    [{ type: 'sdk' }, 'error : "name" is missing (Add "name")'],
    [{ type: 'sdk', name: '' }, 'error name: is empty: this server is not configured yet'],
    [{ type: 'sdk', name: 1 }, 'error name: expected a string, got 1 (Put it into quotes: "1")'],
    [{ command: '' }, 'error command: is empty: this server is not configured yet'],
    [
      { command: '  ' },
      'warning command: has spaces around its value (Remove them, unless you mean them)',
      'error command: is empty: this server is not configured yet',
    ],
    [{ command: null }, 'error command: expected a string, got null'],
    [
      { command: ['npx', '-y'] },
      'error command: expected a string, got an array (Write its first word as "command": "...", and the others as "args": ["...", "..."])',
    ],
    [{ command: {} }, 'error command: expected a string, got an object'],
    [{ command: 'x\0y' }, 'error command: holds a NUL character'],
    [
      { command: 'x', args: '-y' },
      'error args: expected an array of strings, got a string (Write ["..."], each word by itself)',
    ],
    [{ command: 'x', args: null }, 'error args: expected an array of strings, got null'],
    [{ command: 'x', args: ['a', 3000] }, 'error args.1: expected a string, got 3000 (Put it into quotes: "3000")'],
    [{ command: 'x', args: [null] }, 'error args.0: expected a string, got null'],
    [{ command: 'x', args: ['a', 'b\0'] }, 'error args.1: holds a NUL character'],
    [{ command: 'x', env: [] }, `error env: expected an object of strings, got an array ${PAIRS}`],
    [{ command: 'x', env: 'A=1' }, `error env: expected an object of strings, got a string ${PAIRS}`],
    [{ command: 'x', env: { A: 'ok', B: 1 } }, 'error env.B: expected a string, got 1 (Put it into quotes: "1")'],
    [{ command: 'x', env: { B: true } }, 'error env.B: expected a string, got true (Put it into quotes: "true")'],
    [{ command: 'x', env: { B: '\0' } }, 'error env.B: holds a NUL character'],
    [{ command: 'x', env: { '': 'a' } }, 'error env.: is not the name of a variable'],
    [{ command: 'x', env: { 'LD_PRELOAD=/x.so': '' } }, 'error env.LD_PRELOAD=/x.so: is not the name of a variable'],
    [{ command: 'x', cwd: 1 }, 'error cwd: expected a string, got 1 (Put it into quotes: "1")'],
    [{ command: 'x', cwd: '\0' }, 'error cwd: holds a NUL character'],
    [{ command: 'x', inheritEnv: 'A' }, 'error inheritEnv: expected true or an array of variable names'],
    [{ command: 'x', inheritEnv: [1] }, 'error inheritEnv.0: expected true or an array of variable names'],
    [{ command: 'x', inheritEnv: null }, 'error inheritEnv: expected true or an array of variable names'],
    [{ command: 'x', sandbox: 'yes' }, 'error sandbox: expected true or an object'],
    [
      { command: 'x', sandbox: { memoryMb: 1 } },
      'error sandbox.memoryMb: expected a whole number from 16 to 1048576, got 1',
    ],
    [
      { command: 'x', sandbox: { processes: 0 } },
      'error sandbox.processes: expected a whole number from 1 to 1000000, got 0',
    ],
    [
      { command: 'x', sandbox: { write: '/' } },
      'error sandbox.write: expected an array of strings, got a string (Write ["..."], each word by itself)',
    ],
    [
      { command: 'x', sandbox: { network: 'no' } },
      `error sandbox.network: expected true or false, got a string ${SWITCH}`,
    ],
    [
      { command: 'x', sandbox: { netwrok: false } },
      'error sandbox.netwrok: unknown field; Plugboard ignores it and leaves it in the file (Did you mean "network"?)',
    ],
    [{ command: 'x', timeout: 30 }, `error timeout: ${RANGE} 30 (The unit is milliseconds: write 30000)`],
    [{ command: 'x', startTimeout: 0.5 }, `error startTimeout: ${RANGE} 0.5 (The unit is milliseconds: write 500)`],
    [{ command: 'x', timeout: 1000.5 }, `error timeout: ${RANGE} 1000.5`],
    [{ command: 'x', timeout: '30000' }, `error timeout: ${RANGE} a string`],
    [{ command: 'x', timeout: 2 ** 31 }, `error timeout: ${RANGE} 2147483648`],
    [{ command: 'x', timeout: -1 }, `error timeout: ${RANGE} -1`],
    [{ command: 'x', timeout: null }, `error timeout: ${RANGE} null`],
    [{ command: 'x', trust: 'true' }, `error trust: expected true or false, got a string ${SWITCH}`],
    [{ command: 'x', alwaysLoad: 1 }, `error alwaysLoad: expected true or false, got 1 ${SWITCH}`],
    [{ command: 'x', disabled: '' }, `error disabled: expected true or false, got an empty string ${SWITCH}`],
    [
      { command: 'x', includeTools: 'a' },
      'error includeTools: expected an array of strings, got a string (Write ["..."], each word by itself)',
    ],
    [{ command: 'x', excludeTools: ['a', {}] }, 'error excludeTools.1: expected a string, got an object'],
    [{ command: 'x', start: 'later' }, 'error start: expected one of "eager", "lazy", got a string'],
    [{ command: 'x', era: 2025 }, 'error era: expected one of "auto", "legacy", "modern", got 2025'],
    [{ url: '' }, 'error url: is empty: this server is not configured yet'],
    [{ url: null }, 'error url: expected a string, got null'],
    [{ url: ['https://h'] }, 'error url: expected a string, got an array'],
    [
      { url: 'https://h', headers: [] },
      'error headers: expected an object of strings, got an array (Write "headers": { "Name": "value" }, one pair for each)',
    ],
    [{ url: 'https://h', headers: { A: 1 } }, 'error headers.A: expected a string, got 1 (Put it into quotes: "1")'],
    [{ url: 'https://h', headers: { 'A B': 'x' } }, 'error headers.A B: is not a header name'],
    [{ url: 'https://h', headers: { '': 'x' } }, 'error headers.: is not a header name'],
    [{ url: 'https://h', headers: { A: 'x\r\nB: y' } }, 'error headers.A: holds a line break, which no header may'],
    [{ url: 'https://h', headersHelper: ['x'] }, 'error headersHelper: expected a string, got an array'],
    [{ url: 'https://h', oauth: true }, 'error oauth: expected an object, got true'],
    [
      { url: 'https://h', oauth: { clientId: 1 } },
      'error oauth.clientId: expected a string, got 1 (Put it into quotes: "1")',
    ],
    [{ url: 'https://h', oauth: { clientSecret: {} } }, 'error oauth.clientSecret: expected a string, got an object'],
    [
      { url: 'https://h', oauth: { callbackPort: 65_536 } },
      'error oauth.callbackPort: expected a whole number from 1 to 65535, got 65536',
    ],
    [
      { url: 'https://h', oauth: { scopes: [1] } },
      'error oauth.scopes.0: expected a string, got 1 (Put it into quotes: "1")',
    ],
    [{ url: 'https://h', xaa: 1 }, `error xaa: expected true or false, got 1 ${SWITCH}`],
    [{ url: 'https://h', tls: 'ca.pem' }, 'error tls: expected an object, got a string'],
    [{ url: 'https://h', tls: { ca: 1 } }, 'error tls.ca: expected a string, got 1 (Put it into quotes: "1")'],
    [
      { type: 'ws-ide', url: 'ws://h', authToken: 1 },
      'error authToken: expected a string, got 1 (Put it into quotes: "1")',
    ],
    [{ type: 'connector-proxy', url: 'https://h', proxyUrl: null }, 'error proxyUrl: expected a string, got null'],
    [
      { type: 'sse', url: 'https://h', trust: 1, era: 'x' },
      `error trust: expected true or false, got 1 ${SWITCH}`,
      'error era: expected one of "auto", "legacy", "modern", got a string',
    ],
  ])('%j', (raw, ...issues) => check(raw, issues));
});

const UNKNOWN = 'unknown field; Plugboard ignores it and leaves it in the file';

describe('a field that is not known is told, with the one that was meant', () => {
  test.each<[raw: unknown, ...issues: string[]]>([
    [{ command: 'x', arg: [] }, `warning arg: ${UNKNOWN} (Did you mean "args"?)`],
    [{ command: 'x', environment: {} }, `warning environment: ${UNKNOWN} (Did you mean "env"?)`],
    [{ command: 'x', workingDirectory: '.' }, `warning workingDirectory: ${UNKNOWN} (Did you mean "cwd"?)`],
    [{ command: 'x', constructor: 1 }, `warning constructor: ${UNKNOWN}`],
    [{ url: 'https://h', header: {} }, `warning header: ${UNKNOWN} (Did you mean "headers"?)`],
    [{ url: 'https://h', oauth: { client_id: 'x' } }, `warning oauth.client_id: ${UNKNOWN} (Did you mean "clientId"?)`],
    [{ url: 'https://h', tls: { cart: 'x' } }, `warning tls.cart: ${UNKNOWN} (Did you mean "cert"?)`],
    [
      { comand: 'x' },
      `warning comand: ${UNKNOWN} (Did you mean "command"?)`,
      'error : "command" is missing (Rename "comand" to "command")',
    ],
    [
      { cmd: 'x' },
      `warning cmd: ${UNKNOWN} (Did you mean "command"?)`,
      'error : "command" is missing (Rename "cmd" to "command")',
    ],
    [
      { type: 'http', serverUrl: 'x' },
      `warning serverUrl: ${UNKNOWN} (Did you mean "url"?)`,
      'error : "url" is missing (Rename "serverUrl" to "url")',
    ],
    [JSON.parse('{"command":"x","__proto__":{"args":[1]}}'), `warning __proto__: ${UNKNOWN}`],
  ])('%j', (raw, ...issues) => check(raw, issues));
});

describe('a URL is judged once its variables are known', () => {
  const PLAIN = 'the connection is not encrypted: others can read all that is sent there';
  test.each<[type: string, url: string, issues: readonly RegExp[]]>([
    ['http', 'https://h.test/mcp', []],
    ['http', 'http://localhost:3000/mcp', []],
    ['http', 'http://0x7f.1/mcp', []],
    ['http', 'http://h.test/mcp', [new RegExp(`^warning url: ${PLAIN}`, 'u')]],
    ['http', 'ws://h.test/mcp', [/^error url: .*\(Write "type": "ws"\)$/u]],
    ['http', 'file:///etc/passwd', [/^error url: /u]],
    ['http', 'h.test/mcp', [/\(Put https:\/\/ in front of it, or http:\/\/\)$/u]],
    ['http', 'localhost:3000/mcp', [/\(Put https:\/\/ in front of it, or http:\/\/\)$/u]],
    ['http', 'unix:///run/x.sock', [/\(Write https:\/\/ or http:\/\/ and a host\)$/u]],
    ['http', 'https://', [/^error url: /u]],
    ['http', 'https://user:pw@h.test', [/^error url: /u]],
    ['http', 'http://h.test:22/', [/^error url: /u]],
    ['sse', 'https://h.test/sse', []],
    ['sse', 'wss://h.test/', [/^error url: /u]],
    ['ws', 'wss://h.test/', []],
    ['ws', 'ws://127.0.0.1:9', [/^error url: /u]],
    ['ws', 'ws://127.0.0.1:9999', []],
    ['ws', 'ws://h.test/', [new RegExp(`^warning url: ${PLAIN} \\(Use wss://`, 'u')]],
    ['ws', 'https://h.test/', [/^error url: .*\(Write "type": "http"\)$/u]],
    ['sse-ide', 'http://127.0.0.1:9999/sse', []],
    ['ws-ide', 'http://127.0.0.1:9999/', [/^error url: /u]],
    ['connector-proxy', 'https://h.test/', []],
    ['connector-proxy', 'ftp://h.test/', [/^error url: /u]],
  ])('%s %s', (type, url, issues) => {
    const { config } = parseEntry({ type, url });
    expect(checkConfig(config!).map(show)).toEqual(issues.map((issue) => expect.stringMatching(issue) as string));
  });

  test('the proxy of a connector is judged, too', () => {
    const { config } = parseEntry({ type: 'connector-proxy', url: 'https://h.test', proxyUrl: 'file:///x' });
    expect(checkConfig(config!).map(({ path }) => path)).toEqual([['proxyUrl']]);
  });

  test('a command and an embedded server have nothing to judge', () => {
    expect(
      [{ command: 'x' }, { type: 'sdk', name: 'x' }].flatMap((raw) => checkConfig(parseEntry(raw).config!)),
    ).toEqual([]);
  });
});

test('a server is where its command, its URL or its name says', () => {
  const targets = [
    { command: 'x', args: ['a'], cwd: '/c' },
    { command: 'x' },
    { url: 'https://h' },
    { type: 'sdk', name: 'n' },
  ];
  expect(targets.map((raw) => serverTargetOf(parseEntry(raw).config!))).toEqual([
    { kind: 'command', argv: ['x', 'a'], cwd: '/c' },
    { kind: 'command', argv: ['x'] },
    { kind: 'url', url: 'https://h' },
    { kind: 'embedded', name: 'n' },
  ]);
});

test('values of env, headers and secrets do not show when a config is printed', () => {
  const configs = [
    { command: 'x', env: { A: 'hunter2' } },
    { url: 'https://h', headers: { A: 'hunter2' }, oauth: { clientSecret: 'hunter2' } },
    { type: 'ws-ide', url: 'ws://h', authToken: 'hunter2' },
  ].map((raw) => parseEntry(raw).config);
  expect(JSON.stringify(configs)).not.toContain('hunter2');
});
