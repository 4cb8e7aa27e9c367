import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VERSION } from '../../src/base/version.js';
import { makeSandbox, PROJECT_FILE, type RunOptions, USER_FILE } from './sandbox.js';

const files = {
  [USER_FILE]: { mcpServers: { mine: { command: 'x' } } },
  'home/extra.json': { mcpServers: { extra: { command: 'e' } } },
  'home/code/app/near.json': '{ // of this run\n "mcpServers": { "near": { "url": "https://n.example" }, } }',
  'home/none.json': {},
};

/** Compares `name (scope): status` of every server in a run with these flags. */
async function check(flags: readonly string[], expected: readonly string[]): Promise<void> {
  const { root, run } = makeSandbox(files);
  const placed = flags.map((flag) => flag.replace('ROOT', root));
  const { json, code, stderr } = await run(['list', '--no-connect', '--json', ...placed]);
  expect([code, stderr]).toEqual([0, '']);
  const rows = json!.data!['servers'] as { name: string; scope: string; status: string }[];
  expect(rows.map(({ name, scope, status }) => `${name} (${scope}): ${status}`)).toEqual(expected);
}

const one = '{"mcpServers":{"one":{"command":"1"}}}';

test.each<[string, readonly string[], readonly string[]]>([
  ['a file', ['--mcp-config', 'ROOT/home/extra.json'], ['extra (dynamic): configured', 'mine (user): configured']],
  [
    'a file with comments, from the working folder',
    ['--mcp-config', 'near.json'],
    ['near (dynamic): configured', 'mine (user): configured'],
  ],
  ['JSON', ['--mcp-config', one], ['one (dynamic): configured', 'mine (user): configured']],
  ['JSON after =', [`--mcp-config=${one}`], ['one (dynamic): configured', 'mine (user): configured']],
  [
    'several',
    ['--mcp-config', 'near.json', '--mcp-config', one],
    ['one (dynamic): configured', 'near (dynamic): configured', 'mine (user): configured'],
  ],
  ['one entry', ['--mcp-server', 'a={"command":"x=1"}'], ['a (dynamic): configured', 'mine (user): configured']],
  [
    'an entry of a known name',
    ['--mcp-server', 'mine={"command":"y"}'],
    ['mine (dynamic): configured', 'mine (user): duplicate'],
  ],
  ['nothing but these', ['--strict-mcp-config', '--mcp-config', one], ['one (dynamic): configured']],
  ['nothing at all', ['--strict-mcp-config'], []],
])('a run can be given %s', (_, flags, expected) => check(flags, expected));

test('a bad entry of this run is told, and the good ones beside it run', async () => {
  const config = '{"mcpServers":{"good":{"command":"x"},"bad":{"command":5}}}';
  const { stdout, stderr, code } = await makeSandbox().run([
    'list',
    '--no-connect',
    '--strict-mcp-config',
    '--mcp-config',
    config,
  ]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^• good +configured .*\n✘ bad +invalid .* with the same flags: plugboard doctor bad$/mu),
  ]);
  expect(stderr).toContain('error: --mcp-config:1:46: server "bad": command: expected a string, got 5\n');
});

test.each<[readonly string[], number, string]>([
  [
    ['list', '--no-connect', '--mcp-config', 'gone.json'],
    1,
    'error: MCP config file not found: PROJECT/gone.json\n  → Check the path after --mcp-config\n',
  ],
  [
    ['list', '--no-connect', '--mcp-config', '{}'],
    1,
    'error: --mcp-config: has no "mcpServers"\n  → Write { "mcpServers": { "name": { "command": "..." } } }\n',
  ],
  [
    ['get', '--no-connect', 'mine', '--mcp-config', '../../none.json'],
    1,
    'error: HOME/none.json: has no "mcpServers"\n  → Write { "mcpServers": { "name": { "command": "..." } } }\n',
  ],
  [
    ['list', '--no-connect', '--mcp-server', 'a'],
    1,
    `error: --mcp-server: expected NAME=JSON\n  → Write --mcp-server 'name={"command":"..."}'\n`,
  ],
  [
    ['list', '--no-connect', '--mcp-config'],
    2,
    'error: --mcp-config needs a value\n  → Write --mcp-config FILE-OR-JSON\n',
  ],
  [
    ['list', '--no-connect', '--mcp-config', '--json-oops'],
    1,
    'error: MCP config file not found: PROJECT/--json-oops\n  → Check the path after --mcp-config\n',
  ],
  [
    ['list', '--no-connect', '--mcp-server', '--quiet'],
    2,
    'error: --mcp-server needs a value\n  → Write --mcp-server NAME=JSON\n',
  ],
  [
    ['list', '--no-connect', '--timeout', 'soon'],
    2,
    'error: --timeout must be a number of milliseconds, got soon\n  → Write --timeout 30000\n',
  ],
  [
    ['list', '--no-connect', '--cwd', '/no/such/folder'],
    1,
    'error: Cannot use /no/such/folder as the working folder: it does not exist\n  → Change to a folder that exists, or pass one with --cwd\n',
  ],
  [['list', '--no-connect', '--jsn'], 2, "error: unknown option '--jsn'\n  → Did you mean --json?\n"],
  [['list', '--no-connect', '--exitcode'], 2, "error: unknown option '--exitcode'\n  → Did you mean --exit-code?\n"],
  [['list', '--no-connect', '-x'], 2, "error: unknown option '-x'\n  → plugboard list --help\n"],
  [['get', '--no-connect', 'mine', '--dry-run'], 2, "error: unknown option '--dry-run'\n  → plugboard get --help\n"],
  [['list', '--no-connect', '--quiet=yes'], 2, 'error: --quiet takes no value\n  → Write --quiet alone\n'],
  [['lst'], 2, "error: unknown command 'lst'\n  → Did you mean: plugboard list\n"],
  [['bogus'], 2, "error: unknown command 'bogus'\n  → plugboard --help\n"],
  [['aprove'], 2, "error: unknown command 'aprove'\n  → Did you mean: plugboard approve\n"],
  [['help', 'lst'], 2, "error: unknown command 'lst'\n  → Did you mean: plugboard list\n"],
])('%j ends the run with what to type instead', async (args, code, stderr) => {
  const run = await makeSandbox(files).run(args);
  expect([run.code, run.stdout, run.stderr]).toEqual([code, '', stderr]);
});

test.each([
  [['--json', 'get', '--no-connect', 'mine']],
  [['get', '--no-connect', '--json', 'mine']],
  [['get', '--no-connect', 'mine', '--json']],
  [['--quiet', 'get', '--no-connect', '--no-color', 'mine', '--json', '--verbose']],
  [['--json', 'get', '--no-connect', '--', 'mine']],
])('flags count before, between and after: %j', async (args) => {
  const { json } = await makeSandbox(files).run(args);
  expect(json?.data).toMatchObject({ name: 'mine' });
});

test('--json behind -- is not ours', async () => {
  const { stdout } = await makeSandbox().run(['add', 's', '--', 'cmd', '--json', '--help', '--version']);
  expect(stdout.split('\n')[0]).toBe(
    'Added stdio MCP server s with command: cmd --json --help --version to local config',
  );
});

test.each([
  ['lst', 2],
  ['get nobody', 1],
  ['add', 2],
  ['add-json s {}', 1],
  ['remove nobody', 1],
  ['approve nobody', 1],
  ['doctor nobody', 1],
  ['import nobody', 2],
  ['completion', 2],
  ['enable nobody', 1],
  ['disable nobody', 1],
  ['reset-project-choices now', 2],
  ['list --oops', 2],
  ['list --cwd', 2],
  ['', 2],
])('with --json "%s" fails with one envelope on stdout, and says nothing on stderr', async (words, expected) => {
  const { code, stdout, stderr, json } = await makeSandbox(files).run([...words.split(' ').filter(Boolean), '--json']);
  expect([code, stderr, stdout.indexOf('\n')]).toEqual([expected, '', stdout.length - 1]);
  const { ok, error } = json!;
  expect([Object.keys(json!), ok, Object.keys(error!)]).toEqual([
    ['ok', 'error'],
    false,
    ['code', 'message', 'hint', 'docs'],
  ]);
});

test.each([
  ['list --no-connect'],
  ['get mine --no-connect'],
  ['doctor'],
  ['import'],
  ['approve'],
  ['reset-project-choices'],
  ['completion bash'],
  ['help'],
  ['disable mine --dry-run'],
])('with --json "%s" answers with one envelope on stdout', async (words) => {
  const { stdout, json } = await makeSandbox(files).run([...words.split(' '), '--json']);
  expect(stdout.indexOf('\n')).toBe(stdout.length - 1);
  expect([Object.keys(json!), json!.ok]).toEqual([['ok', 'data'], true]);
});

test('--cwd decides whose project it is', async () => {
  const sandbox = makeSandbox({ ...files, 'home/other/.mcp.json': { mcpServers: { o: { command: 'x' } } } });
  mkdirSync(join(sandbox.home, 'other', '.git'));
  const other = join(sandbox.home, 'other');
  expect((await sandbox.run(['get', '--no-connect', 'o', '--cwd', other, '--json'])).json?.data).toMatchObject({
    scope: 'project',
  });
  await sandbox.run(['add', 'l', '--cwd', other, '--', 'x']);
  expect((await sandbox.run(['get', '--no-connect', 'l'])).code).toBe(1);
  expect((await sandbox.run(['get', '--no-connect', 'l', '--cwd', other])).code).toBe(0);
});

test('of a folder inside a repository the local servers are those of the repository', async () => {
  const sandbox = makeSandbox();
  mkdirSync(join(sandbox.project, 'deep', 'er'), { recursive: true });
  await sandbox.run(['add', 'l', '--', 'x']);
  expect((await sandbox.run(['get', '--no-connect', 'l'], { cwd: join(sandbox.project, 'deep', 'er') })).code).toBe(0);
});

const colours: readonly [string, readonly string[], RunOptions, boolean][] = [
  ['a terminal', [], { isTerminal: true }, true],
  ['a pipe', [], {}, false],
  ['--no-color', ['--no-color'], { isTerminal: true }, false],
  ['NO_COLOR', [], { isTerminal: true, env: { NO_COLOR: '1' } }, false],
  ['an empty NO_COLOR', [], { isTerminal: true, env: { NO_COLOR: '' } }, true],
  ['TERM=dumb', [], { isTerminal: true, env: { TERM: 'dumb' } }, false],
  ['FORCE_COLOR', [], { env: { FORCE_COLOR: '1' } }, true],
  ['FORCE_COLOR=0', [], { env: { FORCE_COLOR: '0' } }, false],
  ['FORCE_COLOR and NO_COLOR', [], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }, false],
];

test.each(colours)('with %s colours are as they should be', async (_, flags, options, expected) => {
  const sandbox = makeSandbox({ [PROJECT_FILE]: '{ oops' });
  for (const args of [['list', '--no-connect'], ['doctor'], ['get', '--no-connect', 'nobody']]) {
    const { stdout, stderr } = await sandbox.run([...args, ...flags], options);
    expect((stdout + stderr).includes('\u001B[')).toBe(expected);
  }
  const { stdout } = await sandbox.run(['doctor', '--json', ...flags], options);
  expect(stdout).not.toContain('\u001B');
});

test('--quiet leaves out the notes, and nothing else', async () => {
  const sandbox = makeSandbox({ [PROJECT_FILE]: '{ oops' });
  const { stdout, stderr } = await sandbox.run(['list', '--no-connect', '--quiet']);
  expect([stdout, stderr]).toEqual(['No MCP servers could be read.\n', '']);
  expect((await sandbox.run(['get', '--no-connect', 'nobody', '--quiet'])).stderr).not.toBe('');
});

test('--version and --help answer, in text and JSON', async () => {
  const { run } = makeSandbox();
  expect((await run(['--version'])).stdout).toBe(`${VERSION}\n`);
  expect((await run(['--version', '--json'])).json).toEqual({ ok: true, data: { version: VERSION } });
  const help = await run(['--help']);
  expect([help.code, help.stdout.split('\n')[2]]).toEqual([0, 'Usage: plugboard COMMAND [flags]']);
  expect((await run(['--help', '--json'])).json?.data).toEqual({ help: help.stdout });
  expect((await run(['add', '--help'])).stdout).toBe((await run(['help', 'add'])).stdout);
  expect((await run(['add', '-h'])).stdout).toMatch(/^Usage: plugboard add NAME/u);
});

test.each(
  'list get add add-json import remove enable disable reconnect approve reset-project-choices doctor completion'.split(
    ' ',
  ),
)('%s --help fits a screen, names each flag once, and its examples are commands there are', async (verb) => {
  const { run } = makeSandbox();
  const { code, stdout } = await run([verb, '--help']);
  expect(code).toBe(0);
  const lines = stdout.split('\n');
  expect(lines.length).toBeLessThan(45);
  const flags = lines.flatMap((line) => /^ {2}(?:-\w, )?(--[a-z-]+)/u.exec(line)?.[1] ?? []);
  expect(new Set(flags).size).toBe(flags.length);
  for (const example of stdout.split('Examples:\n')[1]?.trimEnd().split('\n') ?? [])
    expect(example).toMatch(new RegExp(`^  plugboard ${verb}\\b`, 'u'));
});

test('--mcp-config - reads stdin, once, however often the run loads', async () => {
  const stdin = '{ "mcpServers": { "piped": { "command": "x" } } }';
  const { json } = await makeSandbox().run(['list', '--no-connect', '--json', '--mcp-config', '-'], { stdin });
  expect(json?.data?.['servers']).toMatchObject([{ name: 'piped', scope: 'dynamic', status: 'configured' }]);
  const { code, stderr } = await makeSandbox().run(['list', '--no-connect', '--mcp-config', '-'], { stdin: '' });
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('gave no JSON object') });
});
