import { chmodSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diagnoseNode } from '../../src/config/doctor/doctor-machine.js';
import { makeSandbox, PROJECT_FILE, type RunOptions, USER_FILE } from './sandbox.js';

const user = 'HOME/.config/plugboard/config.json';

interface Case {
  readonly files: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  readonly options?: RunOptions;
  readonly code: number;
  readonly findings: readonly string[];
}

/** Compares findings as `severity code message`. */
async function check({ files, args = [], options, code, findings }: Case): Promise<void> {
  const sandbox = makeSandbox(files);
  for (const path of Object.keys(files)) chmodSync(join(sandbox.root, path), 0o600);
  const run = await sandbox.run(['doctor', '--no-connect', '--json', ...args], options);
  const found = run.json?.data?.['findings'] as { severity: string; code: string; message: string; hint: string }[];
  expect(found.map((finding) => `${finding.severity} ${finding.code} ${finding.message}`)).toEqual(findings);
  expect(found.every(({ hint }) => hint !== '')).toBe(true);
  expect([run.code, run.stderr]).toEqual([code, '']);
}

const node = `Node.js ${process.versions.node}`;
const CHECKED = `  checked: ${node}, PATH, files, duplicates, npx cache, keychain, ports`;

const only = (entry: object): Readonly<Record<string, unknown>> => ({ [USER_FILE]: { mcpServers: { a: entry } } });

test.each<[string, Case]>([
  ['nothing', { files: {}, code: 0, findings: [] }],
  ['a server that will start', { files: only({ command: 'node' }), code: 0, findings: [] }],
  [
    'an argument that names a variable of its own',
    { files: only({ command: 'node', args: ['--key=${TOKEN}'], env: { TOKEN: 'abc' } }), code: 0, findings: [] },
  ],
  [
    'variables that only the machine could set',
    {
      files: only({ command: 'node', args: ['${NOT_SET_1}'], env: { NOT_SET_2: '${NOT_SET_2}' } }),
      code: 0,
      findings: [
        `warning missing-variable ${user}:6:9: server "a": args[0]: Missing environment variables: NOT_SET_1`,
        `warning missing-variable ${user}:9:9: server "a": env.NOT_SET_2: Missing environment variables: NOT_SET_2`,
      ],
    },
  ],
  [
    'a program that is not there',
    {
      files: only({ command: 'no-such-program' }),
      code: 3,
      findings: ['error command-not-found "a" cannot start: there is no program "no-such-program" on PATH'],
    },
  ],
  [
    'a folder that is not there',
    {
      files: only({ command: 'node', cwd: '/no/such' }),
      code: 3,
      findings: ['error no-folder "a" cwd: /no/such does not exist'],
    },
  ],
  [
    'a shell’s variable',
    {
      files: only({ command: 'node', args: ['$PORT'] }),
      code: 0,
      findings: ['info bare-variable "a" args[0]: $PORT is not expanded'],
    },
  ],
  [
    'a secret in a shared file',
    {
      files: { [PROJECT_FILE]: { mcpServers: { a: { command: 'node', env: { TOKEN: 'hunter2' } } } } },
      args: ['--approve-project-servers'],
      code: 0,
      findings: ['warning shared-secret "a" has a secret in PROJECT/.mcp.json, a file that is shared'],
    },
  ],
  [
    'a file that is not JSON',
    {
      files: { [USER_FILE]: '{' },
      code: 3,
      findings: [`error malformed ${user}:1:2: is not JSON: a closing } was expected`],
    },
  ],
  [
    'a key that stands twice',
    {
      files: { [USER_FILE]: '{ "mcpServers": { "a": { "command": "node" },\n "a": { "command": "node" } } }' },
      code: 0,
      findings: [`warning duplicate-key ${user}:2:2: a: appears twice in one object; the last one counts`],
    },
  ],
  [
    'proxies that are none',
    {
      files: {},
      options: { env: { HTTPS_PROXY: 'http://user:hunter2@', http_proxy: 'socks5://127.0.0.1:1080' } },
      code: 0,
      findings: [
        'warning bad-proxy Remote servers cannot be reached: the variable HTTPS_PROXY is not the URL of a proxy',
        'warning bad-proxy Remote servers cannot be reached: http_proxy names a socks5 proxy',
      ],
    },
  ],
  [
    'certificates that are not there, and a switch that nobody obeys',
    {
      files: {},
      options: { env: { NODE_EXTRA_CA_CERTS: '/no/such.pem', NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
      code: 0,
      findings: [
        'warning no-ca-file NODE_EXTRA_CA_CERTS names /no/such.pem, which does not exist',
        'info tls-variable NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: Plugboard always checks certificates',
      ],
    },
  ],
  ['nothing about what is switched off', { files: only({ command: 'x', disabled: true }), code: 0, findings: [] }],
  [
    'what is switched off, when it is asked for',
    {
      files: only({ command: 'x', disabled: true }),
      args: ['a'],
      code: 0,
      findings: [`info disabled "a" is disabled in ${user}`],
    },
  ],
  [
    'letters that look alike',
    {
      files: { [USER_FILE]: { mcpServers: { gіthub: { command: 'node' } } } },
      code: 0,
      findings: ['warning mixed-script "gіthub" mixes letters of several alphabets that look alike'],
    },
  ],
])('doctor finds %s', (_, expected) => check(expected));

test('a program that cannot be found is named as it is written, whatever a variable in it holds', async () => {
  const { run } = makeSandbox(only({ command: 'x-${V}' }));
  const { stdout } = await run(['doctor', '--no-connect'], { env: { V: 'hunter2' } });
  expect(stdout).toContain('there is no program "x-${V}" on PATH\n');
  expect(stdout).not.toContain('hunter2');
});

test('a file of the day after tomorrow means that the clock is wrong', async () => {
  const sandbox = makeSandbox(only({ command: 'node' }));
  const later = new Date(Date.now() + 2 * 86_400_000);
  utimesSync(join(sandbox.root, USER_FILE), later, later);
  const { json, code } = await sandbox.run(['doctor', '--no-connect', '--json']);
  expect([code, json?.data?.['findings']]).toEqual([
    0,
    [expect.objectContaining({ severity: 'warning', code: 'clock' })],
  ]);
});

test.each<[string, readonly string[]]>([
  ['20.18.9', ['old-node']],
  ['18.20.0', ['old-node']],
  ['20.19.0', []],
  ['24.0.1', []],
])('Node.js %s gives %j', (version, codes) => {
  expect(diagnoseNode(version).map(({ code }) => code)).toEqual(codes);
});

test('in text each finding has its remedy, and the end sums up', async () => {
  const files = {
    [USER_FILE]: { mcpServers: { a: { command: 'npx-gone' }, b: { command: 'node' } } },
    [PROJECT_FILE]: { mcpServers: { p: { command: 'node' } } },
  };
  const { stdout, code } = await makeSandbox(files).run(['doctor', '--no-connect']);
  expect([code, stdout]).toEqual([
    3,
    `error: "a" cannot start: there is no program "npx-gone" on PATH
  at HOME/.config/plugboard/config.json:4:7
  → Install it, or write its full path, which your terminal knows: command -v npx-gone
note: "p" of PROJECT/.mcp.json waits for approval
  → plugboard approve p

✘ 2 servers may run; 1 error, 0 warnings
${CHECKED}
`,
  ]);
  expect((await makeSandbox().run(['doctor'])).stdout).toBe(
    `○ No MCP servers configured; 0 errors, 0 warnings\n${CHECKED}, proxy, clock\n`,
  );
});

test('doctor of one server tells of that one alone', async () => {
  const { run } = makeSandbox({ [USER_FILE]: { mcpServers: { a: { command: 'gone-a' }, b: { command: 'gone-b' } } } });
  const { json, code } = await run(['doctor', 'a', '--json']);
  expect([code, json?.data?.['findings']]).toEqual([
    3,
    [expect.objectContaining({ server: 'a', code: 'command-not-found' })],
  ]);
});

test.each<[text: string, remedy: string]>([
  [
    '{ "mcpServers": { "a": { "command": "x" }\n "b": {} } }',
    'Line 2: put a comma between this and the part before it',
  ],
  ["{ 'mcpServers': {} }", 'Line 1: put names and texts into straight double quotes, "like this"'],
  ['{ “mcpServers”: {} }', 'Line 1: put names and texts into straight double quotes, "like this"'],
  ['{ "mcpServers": { "a": { "command": "C:\\Users\\x" } } }', 'Line 1: write each backslash twice, or / in its place'],
  ['{ "mcpServers": {} ', 'Line 1: add the } that is missing'],
  ['"mcpServers": {}', 'Line 1: put { and } around the whole file, or remove the extra text'],
  ['{ "mcpServers": { "a": { "command": "x } } }', 'Line 1: add the " that is missing'],
])('a file that says %j is told what to write', async (text, remedy) => {
  const { json } = await makeSandbox({ [USER_FILE]: text }).run(['doctor', '--no-connect', '--json']);
  expect(json?.data?.['findings']).toMatchObject([
    { code: 'malformed', hint: `${remedy}; the other files are loaded without this one` },
  ]);
});

test.each<[readonly string[], number, string]>([
  [['doctor', 'bb'], 1, 'error: No MCP server named "bb". Configured servers: b\n  → Did you mean "b"?\n'],
  [['doctor', 'b', 'c'], 2, 'error: doctor takes one server at most\n'],
])('%j says which there are', async (args, code, stderr) => {
  const run = await makeSandbox({ [USER_FILE]: { mcpServers: { b: { command: 'node' } } } }).run(args);
  expect([run.code, run.stdout, run.stderr]).toEqual([code, '', stderr]);
});

test('many servers that wait for approval are one note for people, and one finding each for programs', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const mcpServers = Object.fromEntries(names.map((name) => [name, { command: 'node' }]));
  const { run } = makeSandbox({ [PROJECT_FILE]: { mcpServers } });
  expect((await run(['doctor'])).stdout).toBe(`note: 5 servers wait for approval: "a", "b", "c" and 2 more
  → plugboard approve

○ No server may run here; 0 errors, 0 warnings
${CHECKED}, proxy, clock
`);
  expect((await run(['doctor', '--json'])).json?.data?.['findings']).toHaveLength(5);
});
