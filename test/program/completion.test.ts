import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSandbox, PROJECT_FILE, USER_FILE } from './sandbox.js';

const files = {
  [PROJECT_FILE]: { mcpServers: { shared: { command: 'x' } } },
  [USER_FILE]: { mcpServers: { mine: { command: 'x' }, 'my server': { command: 'x' } } },
};

/** Checks the candidates for the last of these words. */
async function check(words: readonly string[], expected: readonly string[]): Promise<void> {
  const { code, json, stderr } = await makeSandbox(files).run(['__complete', '--json', '--', ...words]);
  expect([code, json?.data?.['candidates'], stderr]).toEqual([0, expected, '']);
}

const common = [
  '--json',
  '--cwd',
  '--mcp-config',
  '--mcp-server',
  '--strict-mcp-config',
  '--approve-project-servers',
  '--trust-folder',
  '--timeout',
  '--record',
  '--trace',
  '--quiet',
  '--verbose',
  '--no-color',
  '--plain',
  '--reveal',
  '--help',
  '--version',
];

test.each<[readonly string[], readonly string[]]>([
  [['l'], ['list', 'login', 'logout', 'logs']],
  [['re'], ['remove', 'reconnect', 'reset-project-choices', 'resources', 'read', 'report', 'replay']],
  [['nothing'], []],
  [['sta'], ['status']],
  [['m'], ['mcp']],
  [
    ['mcp', 'l'],
    ['list', 'login', 'logout', 'logs'],
  ],
  [['mcp', 'get', 'm'], ['mine']],
  [
    ['get', ''],
    ['shared', 'mine'],
  ],
  [['get', 'm'], ['mine']],
  [['rm', 's'], ['shared']],
  [
    ['import', 'c'],
    ['claude-code', 'claude-desktop', 'cursor', 'codex', 'cline', 'copilot'],
  ],
  [['export', 'cu'], ['cursor']],
  [['export', 'cursor', 'm'], ['mine']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish', 'powershell'],
  ],
  [
    ['add', '-s', ''],
    ['local', 'project', 'user'],
  ],
  [['add', '--scope', 'p'], ['project']],
  [
    ['get', '--'],
    [...common, '--no-connect'],
  ],
  [['--mod'], ['--model']],
  [['-p', '--permission-m'], ['--permission-mode']],
  [
    ['-p', 'list', '--output-format', ''],
    ['text', 'json', 'stream-json'],
  ],
  [
    ['--permission-mode', 'd'],
    ['default', 'dont-ask'],
  ],
  [
    ['remove', '--s'],
    ['--strict-mcp-config', '--scope'],
  ],
])('%j offers %j', check);

test('every verb that help shows is offered, with what it does behind a tab', async () => {
  const { run } = makeSandbox();
  const { stdout } = await run(['__complete', '--', '']);
  const offered = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(offered.every(([name, text]) => name !== '' && text !== undefined && text !== '')).toBe(true);
  const { stdout: help } = await run(['help']);
  for (const [name] of offered) expect(help).toMatch(new RegExp(`^  ${name}[, ]`, 'mu'));
  expect(offered.map(([name]) => name)).toEqual(
    'session demo list get add add-json import export remove enable disable reconnect login logout approve trust reset-project-choices tools call search resources read prompts prompt emit-ts emit-cli permissions doctor serve value logs report attack replay completion'.split(
      ' ',
    ),
  );
});

test.each([
  ['bash', 'complete -o default -F _plugboard plugboard'],
  ['zsh', '#compdef plugboard'],
  ['fish', 'complete -c plugboard'],
  ['powershell', 'Register-ArgumentCompleter'],
])('completion %s prints a script, and how to install it in JSON', async (shell, line) => {
  const { run } = makeSandbox();
  const { code, stdout } = await run(['completion', shell]);
  expect([code, stdout.includes(line)]).toEqual([0, true]);
  const { json } = await run(['completion', shell, '--json']);
  expect(json).toEqual({
    ok: true,
    data: { shell, script: stdout, install: expect.stringContaining(`plugboard completion ${shell} >`) },
  });
});

test.each([
  [['completion']],
  [['completion', 'tcsh']],
  [['completion', 'bash', 'zsh']],
  [['completion', 'constructor']],
])('%j names the shells there are', async (args) => {
  const { code, stdout, stderr } = await makeSandbox().run(args);
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    'error: expected one of bash, zsh, fish, powershell\n  → plugboard completion bash\n',
  ]);
});

test('bash takes the script, and asks the program for the word under the cursor', async (context) => {
  if (spawnSync('bash', ['-c', ':']).status !== 0) context.skip('bash is not installed');
  const { stdout: script } = await makeSandbox().run(['completion', 'bash']);
  // A fake `plugboard` prints the words that it is asked about.
  const text = `plugboard() { printf 'one\\tfirst\\ntwo words\\tsecond\\n'; printf '%s|' "$@" >&2; }
${script.replace('2>/dev/null', '2>&3')}
COMP_WORDS=(plugboard get m) COMP_CWORD=2 COMP_WORDBREAKS='=:'
_plugboard 3>&1
printf '%s\\n' "\${#COMPREPLY[@]}" "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', text], { encoding: 'utf8' });
  expect([status, stderr, stdout]).toEqual([0, '', '__complete|--breaks==:|--|get|m|2\none\ntwo words\n']);
});

const noteSchema = {
  properties: {
    title: { type: 'string', description: 'What it is about' },
    level: { enum: ['low', 'high', 'a b', '$(touch PWNED)', '`x`', 'x;y', '*'] },
    on: { type: 'boolean' },
    size: { oneOf: [{ const: 1 }, { const: 2 }] },
    'a;b': {},
    '$(x)': {},
    "it's": {},
    '--force': {},
  },
  required: ['on'],
};
const resources = ['docs://guide', 'docs://a/b.md', 'x://$(touch PWNED)', 'x://a b', 'x://`y`', "x://'", 'x://*'];

/** A sandbox in which a server with a tool and resources was listed once, and can no longer be started. */
async function openKnown(): Promise<ReturnType<typeof makeSandbox>> {
  const sandbox = makeSandbox();
  const offers = JSON.stringify({ resources: resources.map((uri) => ({ uri, name: 'one' })) });
  const started = join(sandbox.root, 'started');
  const script = join(import.meta.dirname, 'schema-server.mjs');
  const args = [script, JSON.stringify(noteSchema), offers];
  sandbox.write(USER_FILE, { mcpServers: { notes: { command: process.execPath, args, env: { STARTED: started } } } });
  expect((await sandbox.run(['tools', 'notes'])).code).toBe(0);
  expect((await sandbox.run(['resources', 'notes'])).code).toBe(0);
  rmSync(started);
  return sandbox;
}

test('arguments, choices and resources are completed from the cache: no server starts, and no text becomes a command', async () => {
  const sandbox = await openKnown();
  const complete = async (words: readonly string[], ...flags: readonly string[]): Promise<unknown> =>
    (await sandbox.run(['__complete', '--json', ...flags, '--', ...words])).json?.data?.['candidates'];
  expect(await complete(['call', 'notes.take', ''])).toEqual(['on=', 'title=', 'level=', 'size=']);
  expect(await complete(['call', 'take', 't'])).toEqual(['title=']);
  expect(await complete(['call', '--timeout', '100', 'mcp__notes__take', 'on=true', 'l'])).toEqual(['level=']);
  expect(await complete(['call', 'notes.take', 'level='])).toEqual(['level=low', 'level=high']);
  expect(await complete(['call', 'notes.take', 'level=h'])).toEqual(['level=high']);
  expect(await complete(['call', 'notes.take', 'on='])).toEqual(['on=true', 'on=false']);
  expect(await complete(['call', 'notes.take', 'size:='])).toEqual([]);
  expect(await complete(['call', 'notes.take', 'title='])).toEqual([]);
  expect(await complete(['call', 'notes.none', ''])).toEqual([]);
  expect(await complete(['call', 'notes.take', '--', 'npx', ''])).toEqual([]);
  expect(await complete(['read', 'notes', ''])).toEqual(['docs://guide', 'docs://a/b.md']);
  expect(await complete(['read', 'notes', 'docs://guide', ''])).toEqual([]);
  expect(await complete(['read', 'nobody', ''])).toEqual([]);
  const breaks = `--breaks= \t\n"'><=;|&(:`;
  expect(await complete(['call', 'notes.take', 'level', '='], breaks)).toEqual(['low', 'high']);
  expect(await complete(['call', 'notes.take', 'level', '=', 'h'], breaks)).toEqual(['high']);
  expect(await complete(['read', 'notes', 'docs', ':', '//g'], breaks)).toEqual(['//guide']);
  expect(existsSync(join(sandbox.root, 'started'))).toBe(false);
});
