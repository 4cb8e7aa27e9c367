import { expect, test } from 'vitest';
import { APPROVALS_FILE, makeSandbox, PROJECT_FILE, type RunOptions, USER_FILE } from './sandbox.js';

interface Case {
  readonly files?: Readonly<Record<string, unknown>>;
  readonly args?: readonly string[];
  readonly options?: RunOptions;
  readonly code?: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

async function check({
  files = {},
  args = ['list', '--no-connect'],
  options,
  code = 0,
  stdout,
  stderr = '',
}: Case): Promise<void> {
  const run = await makeSandbox(files).run(args, options);
  expect(run.stderr).toBe(stderr);
  expect(run.stdout).toBe(stdout ?? run.stdout);
  expect(run.code).toBe(code);
}

const row = (name: string, scope: string, status: string, more: object = {}): object => ({
  name,
  scope,
  origin: { user: 'HOME/.config/plugboard/config.json', project: 'PROJECT/.mcp.json' }[scope] ?? '',
  transport: 'stdio',
  status,
  protocol: null,
  tools: null,
  resources: null,
  prompts: null,
  ms: null,
  ...more,
});

const NOTHING_YET = `No MCP servers configured. Use \`plugboard add\` to add a server, or \`plugboard import\` to import those of another host.
To see how it works, without a key and a server of yours: plugboard demo
`;

test('someone without servers is told how to begin', () =>
  check({
    stdout: NOTHING_YET,
  }));

test('a list names every server, its state, and what keeps it from running', () =>
  check({
    files: {
      [PROJECT_FILE]: { mcpServers: { mine: { command: 'p' }, docs: { url: 'https://d.example/mcp' } } },
      [USER_FILE]: {
        mcpServers: {
          mine: { command: 'node', args: ['my server.js', '--api-key', 'hunter2'] },
          live: { type: 'ws', url: 'wss://w.example/?token=hunter2' },
          old: { type: 'sse', url: 'https://s.example' },
          off: { command: 'x', disabled: true },
          bad: { comand: 'x' },
        },
      },
    },
    stdout: `  NAME  STATE       TRANSPORT  SCOPE    PROTOCOL  TOOLS  PROMPTS  RESOURCES  MS  NEXT
⏸ mine  to approve  stdio      project  –             –        –          –   –  plugboard approve mine
⏸ docs  to approve  http       project  –             –        –          –   –  plugboard approve docs
• mine  configured  stdio      user     –             –        –          –   –
• live  configured  ws         user     –             –        –          –   –
• old   configured  sse        user     –             –        –          –   –
○ off   disabled    stdio      user     –             –        –          –   –  plugboard enable off
✘ bad   invalid     –          user     –             –        –          –   –  plugboard doctor bad
`,
    stderr: `error: HOME/.config/plugboard/config.json:23:5: server "bad": "command" is missing
  → Rename "comand" to "command"
warning: HOME/.config/plugboard/config.json:24:7: server "bad": comand: unknown field; Plugboard ignores it and leaves it in the file
  → Did you mean "command"?
`,
  }));

test('list --json has one row per definition, with every field of the contract', async () => {
  const { run } = makeSandbox({
    [PROJECT_FILE]: { mcpServers: { a: { command: 'p' } } },
    [USER_FILE]: {
      mcpServers: { a: { command: 'u' }, off: { command: 'x', disabled: true }, bad: { command: 5 } },
      settings: { deniedMcpServers: [{ serverName: 'evil' }] },
    },
  });
  const { json, code } = await run([
    'list',
    '--no-connect',
    '--json',
    '--approve-project-servers',
    '--mcp-server',
    'evil={"url":"https://e.example"}',
  ]);
  expect(code).toBe(0);
  expect(json).toEqual({
    ok: true,
    data: {
      servers: [
        row('evil', 'dynamic', 'denied', {
          origin: '--mcp-server',
          transport: 'http',
          error: {
            code: 'policy-denied',
            message: 'denied by { serverName: "evil" } in HOME/.config/plugboard/config.json',
            hint: 'Ask the owner of that file, or edit it if it is yours',
          },
        }),
        row('a', 'project', 'configured'),
        row('a', 'user', 'duplicate', { suppressedBy: 'a (project)' }),
        row('off', 'user', 'disabled'),
        row('bad', 'user', 'invalid', {
          error: { code: 'config-invalid', message: 'command: expected a string, got 5', hint: 'plugboard doctor bad' },
        }),
      ],
      problems: [
        {
          severity: 'error',
          code: 'invalid-entry',
          file: 'HOME/.config/plugboard/config.json',
          line: 11,
          column: 7,
          server: 'bad',
          field: 'command',
          message: 'expected a string, got 5',
          hint: 'Put it into quotes: "5"',
        },
      ],
    },
  });
});

test.each<[string, Readonly<Record<string, unknown>>, number]>([
  ['nothing is configured', {}, 0],
  ['all is well', { [USER_FILE]: { mcpServers: { a: { command: 'a' } } } }, 0],
  ['a server is disabled', { [USER_FILE]: { mcpServers: { a: { command: 'a', disabled: true } } } }, 0],
  ['a server waits for approval', { [PROJECT_FILE]: { mcpServers: { a: { command: 'a' } } } }, 0],
  ['only a warning is to be told', { [USER_FILE]: { mcpServers: { a: { command: 'a', colour: 1 } } } }, 0],
  ['an entry is invalid', { [USER_FILE]: { mcpServers: { a: { command: 5 } } } }, 3],
  ['a file is not JSON', { [PROJECT_FILE]: '{ oops' }, 3],
])('list --exit-code when %s', async (_, files, code) => {
  const { run } = makeSandbox(files);
  expect((await run(['list', '--no-connect', '--exit-code', '--quiet'])).code).toBe(code);
  expect((await run(['list', '--no-connect', '--quiet'])).code).toBe(0);
});

test('one broken file hides nobody else’s servers', () =>
  check({
    files: { [PROJECT_FILE]: '{ "mcpServers": { "x": \n', [USER_FILE]: { mcpServers: { a: { command: 'a' } } } },
    stdout:
      '  NAME  STATE       TRANSPORT  SCOPE  PROTOCOL  TOOLS  PROMPTS  RESOURCES  MS\n• a     configured  stdio      user   –             –        –          –   –\n',
    stderr:
      'error: PROJECT/.mcp.json:2:1: is not JSON: a value was expected\n  → Fix line 2; the other files are loaded without this one\n',
  }));

test('a great many problems are cut, with the way to see them all', async () => {
  const bad = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`s${index}`, { command: index }]));
  const { stderr } = await makeSandbox({ [USER_FILE]: { mcpServers: bad } }).run(['list', '--no-connect']);
  expect(stderr.trimEnd().split('\n')).toHaveLength(41);
  expect(stderr).toMatch(/and 10 more: plugboard doctor\n$/u);
});

test('ls, status and mcp list are list, and a name behind it is sent to get', async () => {
  for (const args of [['ls'], ['status'], ['mcp', 'list'], ['mcp']]) {
    await check({
      args,
      stdout: NOTHING_YET,
    });
  }
  await check({
    args: ['list', 'db'],
    code: 2,
    stderr: 'error: list takes no name, got "db"\n  → plugboard get db\n',
    stdout: '',
  });
});

test('of one name the strongest definition runs: this run’s, mine here, the project’s, mine everywhere', async () => {
  const sandbox = makeSandbox({
    [PROJECT_FILE]: { mcpServers: { a: { command: 'project' } } },
    [USER_FILE]: { mcpServers: { a: { command: 'user' } } },
  });
  await sandbox.run(['add', 'a', '--', 'local']);
  const flags = ['--approve-project-servers', '--mcp-server', 'a={"command":"dynamic"}'];
  const { json } = await sandbox.run(['list', '--no-connect', '--json', ...flags]);
  const rows = json!.data!['servers'] as { scope: string; status: string; suppressedBy?: string }[];
  expect(rows.map(({ scope, status, suppressedBy }) => [scope, status, suppressedBy])).toEqual([
    ['dynamic', 'configured', undefined],
    ['local', 'duplicate', 'a (dynamic)'],
    ['project', 'duplicate', 'a (dynamic)'],
    ['user', 'duplicate', 'a (dynamic)'],
  ]);
});

test('the nearest file wins, a parent’s entry is replaced as a whole, and the origin is shown', async () => {
  const sandbox = makeSandbox({
    [PROJECT_FILE]: { mcpServers: { a: { command: 'near' } } },
    'home/code/.mcp.json': { mcpServers: { a: { command: 'far', args: ['x'] }, b: { command: 'far' } } },
  });
  const { stdout } = await sandbox.run(['list', '--no-connect', '--approve-project-servers']);
  expect(stdout).toBe(`  NAME  STATE       TRANSPORT  SCOPE    PROTOCOL  TOOLS  PROMPTS  RESOURCES  MS
• a     configured  stdio      project  –             –        –          –   –
○ a     shadowed    stdio      project  –             –        –          –   –
• b     configured  stdio      project  –             –        –          –   –

note: "a" of HOME/code/.mcp.json is hidden by "a" of project config
  → plugboard get a
`);
});

const secrets: Readonly<Record<string, object>> = {
  env: { command: 'x', env: { ANYTHING: 'hunter2' } },
  header: { url: 'https://h.example', headers: { Authorization: 'Bearer hunter2' } },
  'the default of a variable': { command: 'x', env: { A: '${B:-hunter2}' } },
  argument: { command: 'x', args: ['--token', 'hunter2', '--password=hunter2', 'API_KEY=hunter2'] },
  'query of a URL': { url: 'https://h.example/?access_token=hunter2' },
  'client secret': { url: 'https://h.example', oauth: { clientId: 'me', clientSecret: 'hunter2' } },
  helper: { url: 'https://h.example', headersHelper: 'get --password hunter2' },
  'field that nobody knows': { command: 'x', apiKey: 'hunter2' },
  'depth of such a field': { command: 'x', more: { list: [{ password: 'hunter2' }] } },
  'header among arguments': { command: 'x', args: ['--header', 'X-Api-Key: hunter2', 'Authorization: Bearer hunter2'] },
  'assignment in a line of shell': { command: 'sh', args: ['-c', 'API_KEY=hunter2 run'] },
  'password of a connection string': { command: 'x', args: ['postgres://me:hunter2@db/x'] },
};

test.each(Object.keys(secrets))('a secret in the %s is masked in text and JSON, unless asked for', async (where) => {
  const sandbox = makeSandbox({
    [USER_FILE]: { mcpServers: { s: secrets[where] } },
    [PROJECT_FILE]: { mcpServers: { p: secrets[where] } },
  });
  const commands = [['list', '--no-connect'], ['get', '--no-connect', 's'], ['doctor'], ['disable', 's', '--dry-run']];
  // An approval shows what a repository wrote, except client secrets.
  if (where === 'client secret') commands.push(['approve', 'p', '--dry-run']);
  await sandbox.run(['approve', 'p']);
  for (const args of [...commands, ['get', '--no-connect', 'p'], ['disable', 's'], ['remove', 's', '--dry-run']]) {
    for (const format of [[], ['--json']]) {
      const { stdout, stderr } = await sandbox.run([...args, ...format]);
      expect([args, (stdout + stderr).includes('hunter2')]).toEqual([args, false]);
    }
  }
  expect((await sandbox.run(['get', '--no-connect', 's', '--reveal'])).stdout).toContain('hunter2');
  expect((await sandbox.run(['get', '--no-connect', 's', '--reveal', '--json'])).stdout).toContain('hunter2');
  expect(sandbox.read(APPROVALS_FILE)).not.toContain('hunter2');
});

test('what is only a reference to a variable is shown, so that one sees what is missing', async () => {
  const entry = { url: 'https://h.example/?token=${T}', headers: { Authorization: 'Bearer ${T}' } };
  const { stdout } = await makeSandbox({ [USER_FILE]: { mcpServers: { s: entry } } }).run(
    ['get', '--no-connect', 's'],
    {
      env: { T: 'hunter2' },
    },
  );
  expect(stdout).toContain('url: https://h.example/?token=${T}\n  headers: {"Authorization":"Bearer ${T}"}\n');
  expect(stdout).not.toContain('hunter2');
});
