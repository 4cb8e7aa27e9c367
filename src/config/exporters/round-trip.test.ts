import { describe, expect, test } from 'vitest';
import { plainJson } from '../edit/write-imports.js';
import { findImporter } from '../edit/import.js';
import { importers } from '../importers/all.js';
import { readImportText } from '../importers/test-case.js';
import type { RawEntry } from '../../transports/kind.js';
import { exporters } from './all.js';
import { openForeignText } from './splice.js';

const hosts = exporters.map(({ host }) => host);

/** What another host's file says after an export, read by its importer; `refused` when the server cannot be exported. */
async function roundTrip(host: string, name: string, entry: RawEntry): Promise<unknown> {
  const exporter = exporters.find((one) => one.host === host)!;
  const mapped = exporter.toForeign(name, entry);
  if (mapped.kind === 'refused') return mapped.reason;
  const { format } = findImporter(host)!;
  const foreign = await openForeignText(format);
  const empty = format === 'json' ? '{}\n' : '';
  const text = foreign.write(empty, { path: exporter.path({}), added: [[name, mapped.entry]], replaced: [] });
  const { source } = await readImportText(host, text);
  expect(source.problems).toEqual([]);
  const [read, ...more] = source.entries;
  expect(more).toEqual([]);
  expect([read?.name, read?.lost, read?.kept]).toEqual([name, [], []]);
  return read?.entry;
}

test('every host that can be imported from can be exported to', () => {
  expect(hosts.toSorted()).toEqual(importers.map(({ host }) => host).toSorted());
});

const program = { command: 'npx', args: ['-y', 'a pkg', '--x=${not a variable}'], env: { LOG: 'debug' } };
const remote = { type: 'http', url: 'https://a.example/mcp?x=1', headers: { 'X-Team': 'core' } };
const stdio = { command: 'x' };
const withRest = { command: 'npx', args: ['--root', '${DATA}'] };
const tokens = { command: 'x', env: { TOKEN: '${TOKEN}', MODE: 'a' } };
const bearer = {
  type: 'http',
  url: 'https://a.example/',
  headers: { Authorization: 'Bearer ${API}', 'X-Key': '${KEY}' },
};
const only = { command: 'x', env: { MODE: 'a' } };
const bare = { type: 'http', url: 'https://a.example/' };

/** What is read back, where that is not the entry itself: for these hosts an equivalent one, less, or a refusal. */
const cases: readonly [about: string, entry: RawEntry, others: Readonly<Record<string, unknown>>][] = [
  ['a program', { command: 'npx', args: ['-y', 'a pkg', '--x=1'], env: { LOG: 'debug' } }, {}],
  ['a URL', remote, { 'claude-desktop': 'Claude Desktop has no http servers in its file' }],
  [
    'what looks like a variable and is none',
    program,
    { ...among(['cursor', 'vscode', 'windsurf', 'cline', 'gemini'], matching(/would read "\$\{?.*" as a variable$/u)) },
  ],
  [
    'a variable in the command',
    withRest,
    { ...among(['claude-desktop', 'codex', 'zed', 'goose'], matching(/no variables, and this needs \$\{DATA\}$/u)) },
  ],
  [
    'a variable in the environment',
    tokens,
    { 'claude-desktop': only, zed: only, codex: { command: 'x', env: { MODE: 'a' }, inheritEnv: ['TOKEN'] } },
  ],
  ['variables in headers', bearer, { 'claude-desktop': matching(/no http servers/u), zed: bare }],
  [
    'the folder of the project',
    { command: 'x', args: ['${PLUGBOARD_PROJECT_DIR}/a'] },
    {
      ...among(
        hosts.filter((host) => !['cursor', 'vscode', 'windsurf', 'cline'].includes(host)),
        'args: only Plugboard sets ${PLUGBOARD_PROJECT_DIR}',
      ),
    },
  ],
  [
    'a default',
    { command: 'x', env: { A: '${A:-b}' } },
    {
      ...among(['cursor', 'vscode', 'windsurf', 'cline', 'opencode', 'goose'], { command: 'x', env: { A: '${A}' } }),
      ...among(['claude-desktop', 'zed'], stdio),
      codex: { command: 'x', inheritEnv: ['A'] },
    },
  ],
  [
    'an sse server',
    { type: 'sse', url: 'https://a.example/sse' },
    {
      ...among(['claude-desktop', 'codex', 'zed'], matching(/has no sse servers in its file$/u)),
      ...among(['opencode', 'windsurf'], { type: 'http', url: 'https://a.example/sse' }),
    },
  ],
  [
    'a WebSocket',
    { type: 'ws', url: 'wss://a.example/' },
    among(
      hosts.filter((host) => host !== 'claude-code'),
      matching(/has no ws servers/u),
    ),
  ],
  ['a timeout', { command: 'x', timeout: 90_000 }, among(['cursor', 'vscode', 'windsurf', 'claude-desktop'], stdio)],
  [
    'a timeout for the start',
    { command: 'x', startTimeout: 45_000 },
    among(
      hosts.filter((host) => !['codex', 'opencode'].includes(host)),
      stdio,
    ),
  ],
  [
    'filters of tools',
    { command: 'x', excludeTools: ['a'] },
    among(
      hosts.filter((host) => !['codex', 'gemini', 'windsurf'].includes(host)),
      stdio,
    ),
  ],
  [
    'chosen tools',
    { command: 'x', includeTools: ['a'] },
    among(
      hosts.filter((host) => !['codex', 'gemini', 'goose', 'copilot'].includes(host)),
      stdio,
    ),
  ],
  [
    'a disabled server',
    { command: 'x', disabled: true },
    among(['claude-code', 'claude-desktop', 'cursor', 'gemini', 'copilot', 'vscode'], stdio),
  ],
  [
    'a sandbox',
    { command: 'x', sandbox: { write: ['./out'] } },
    among(
      hosts.filter((host) => host !== 'vscode'),
      stdio,
    ),
  ],
  ['permission to run', { command: 'x', trust: true }, among(hosts, stdio)],
  [
    'a client with a secret',
    { ...bare, oauth: { clientId: 'me', clientSecret: 'never', scopes: ['a'] } },
    {
      'claude-desktop': matching(/no http/u),
      ...among(['vscode', 'zed', 'windsurf', 'goose', 'cline', 'copilot'], bare),
      ...among(['claude-code', 'cursor', 'gemini', 'opencode', 'codex'], {
        ...bare,
        oauth: { clientId: 'me', scopes: ['a'] },
      }),
    },
  ],
];

function among<Value>(names: readonly string[], value: Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

describe.each(hosts)('what is exported to %s and imported again is the same', (host) => {
  test.each(cases)('%s', async (_, entry, others) => {
    const expected = Object.hasOwn(others, host) ? others[host] : entry;
    const read = await roundTrip(host, 'one', entry);
    const [got, wanted] = typeof read === 'string' ? [read, expected] : [plainJson(read), plainJson(expected)];
    expect(got).toEqual(wanted);
  });

  test.each(hostileTexts())('%j as name, argument and value', async (text) => {
    const entry = {
      command: 'x',
      args: [text, `a${text}`],
      env: { A: text, ...(/^\w+$/u.test(text) && { [text]: 'b' }) },
    };
    expect(plainJson(await roundTrip(host, text, entry))).toBe(plainJson(entry));
  });
});

function matching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}

function hostileTexts(): string[] {
  return [
    '__proto__',
    'constructor',
    'a.b',
    'x"y\'z',
    '"""',
    "'''",
    'back\\slash\\',
    'line\nbreak',
    'carriage\rreturn\ttab',
    '- item',
    'key: value # comment',
    '[table]',
    '{ flow: map }',
    '&anchor *alias !tag',
    '| block',
    '? question',
    'true',
    'null',
    '~',
    '007',
    '1e3',
    '2024-01-01',
    ' spaces ',
    'ключ 鍵 🔑',
    '\u2028\u2029\u0085',
    '\u202e reversed',
    '=1+1',
    '<!-- -->',
    '*/ // */',
    '%s %d',
    'x'.repeat(1500),
  ];
}
