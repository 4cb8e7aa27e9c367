import { expect, test } from 'vitest';
import { makeSandbox, PROJECT_FILE, USER_FILE } from './sandbox.js';

const files = {
  [PROJECT_FILE]: { mcpServers: { db: { command: 'node', args: ['p.js'] }, docs: { url: 'https://d.example' } } },
  [USER_FILE]: {
    mcpServers: {
      db: { command: 'node', args: ['u.js'], env: { KEY: 'hunter2' } },
      odd: { command: 'x', colour: 'red' },
    },
  },
};

async function check(
  args: readonly string[],
  expected: { code?: number; stdout?: string; stderr?: string },
): Promise<void> {
  const { code, stdout, stderr } = await makeSandbox(files).run(['get', '--no-connect', ...args]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '', ...expected });
}

test('get shows the definition that runs, the others, and how to be rid of it', () =>
  check(['db'], {
    stdout: `db:
  Scope: User config (available in all your projects): HOME/.config/plugboard/config.json
  Status: • configured
  command: node
  args: ["u.js"]
  env: {"KEY":"••••"}
  Also in Project config (shared via .mcp.json): PROJECT/.mcp.json: ⏸ Pending approval (run \`plugboard approve db\` to approve)

To remove this server, run: plugboard remove db -s user
`,
  }));

test('--reveal shows the values', async () => {
  const { stdout } = await makeSandbox(files).run(['get', '--no-connect', 'db', '--reveal']);
  expect(stdout).toContain('env: {"KEY":"hunter2"}');
});

test('what is odd about it is told beside it, and nothing about the others', () =>
  check(['odd', '--no-color'], {
    stdout: `odd:
  Scope: User config (available in all your projects): HOME/.config/plugboard/config.json
  Status: • configured
  command: x
  colour: red

To remove this server, run: plugboard remove odd -s user
`,
    stderr:
      'warning: HOME/.config/plugboard/config.json:14:7: server "odd": colour: unknown field; Plugboard ignores it and leaves it in the file\n  → plugboard get odd\n',
  }));

test('get --json is a row of list with its entry, masked, and every definition', async () => {
  const { json } = await makeSandbox(files).run(['get', '--no-connect', 'db', '--json']);
  const row = { protocol: null, tools: null, resources: null, prompts: null, ms: null, name: 'db', transport: 'stdio' };
  const user = { ...row, scope: 'user', origin: 'HOME/.config/plugboard/config.json', status: 'configured' };
  expect(json).toEqual({
    ok: true,
    data: {
      ...user,
      config: { command: 'node', args: ['u.js'], env: { KEY: '••••' } },
      capabilities: null,
      instructions: null,
      definitions: [{ ...row, scope: 'project', origin: 'PROJECT/.mcp.json', status: 'unapproved' }, user],
      problems: [],
    },
  });
});

test.each<[readonly string[], number, string]>([
  [['doc'], 1, 'error: No MCP server named "doc". Configured servers: db, docs, odd\n  → Did you mean "docs"?\n'],
  [['dbb'], 1, 'error: No MCP server named "dbb". Configured servers: db, docs, odd\n  → Did you mean "db"?\n'],
  [['DB'], 1, 'error: No MCP server named "DB". Configured servers: db, docs, odd\n  → Did you mean "db"?\n'],
  [['github'], 1, 'error: No MCP server named "github". Configured servers: db, docs, odd\n  → plugboard list\n'],
  [
    ['constructor'],
    1,
    'error: No MCP server named "constructor". Configured servers: db, docs, odd\n  → plugboard list\n',
  ],
  [[], 2, 'error: get takes one server name, got 0\n  → plugboard get NAME | URL [--no-connect]\n'],
  [['db', 'docs'], 2, 'error: get takes one server name, got 2\n  → plugboard get NAME | URL [--no-connect]\n'],
])('get %j says which names there are', (args, code, stderr) => check(args, { code, stderr }));

test('an unknown name in JSON is an error with a code, on stdout, and nothing on stderr', async () => {
  const { json, stderr, code } = await makeSandbox(files).run(['get', '--no-connect', 'dbb', '--json']);
  expect([code, stderr, json]).toEqual([
    1,
    '',
    {
      ok: false,
      error: {
        code: 'unknown-server',
        message: 'No MCP server named "dbb". Configured servers: db, docs, odd',
        hint: 'Did you mean "db"?',
        docs: 'docs/troubleshooting.md#unknown-server',
      },
    },
  ]);
});

test('a name that begins with a dash stands behind --', async () => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { '-x': { command: 'x' } } } });
  const { code, stdout } = await sandbox.run(['get', '--no-connect', '--', '-x']);
  expect([code, stdout.split('\n')[0]]).toEqual([0, '-x:']);
  expect(stdout).toContain('To remove this server, run: plugboard remove -s user -- -x\n');
  expect((await sandbox.run(['remove', '-s', 'user', '--', '-x'])).code).toBe(0);
});
