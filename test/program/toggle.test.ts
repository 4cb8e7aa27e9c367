import { expect, test } from 'vitest';
import { localFileOf, makeSandbox, PROJECT_FILE, type Sandbox, USER_FILE } from './sandbox.js';

async function fill(): Promise<Sandbox> {
  const sandbox = makeSandbox({
    [PROJECT_FILE]: '{\n  "mcpServers": {\n    // shared\n    "shared": { "command": "p" }\n  }\n}\n',
    [USER_FILE]: { mcpServers: { mine: { command: 'u' }, 'off-1': { command: 'x', disabled: true } } },
  });
  await sandbox.run(['add', 'here', '--', 'l']);
  await sandbox.run(['approve', 'shared']);
  return sandbox;
}

async function statusOf(sandbox: Sandbox, name: string): Promise<unknown> {
  const { json } = await sandbox.run(['get', '--no-connect', name, '--json']);
  return json?.data?.['status'];
}

async function check(args: readonly string[], { stdout, status }: { stdout: string; status: string }): Promise<void> {
  const sandbox = await fill();
  const run = await sandbox.run(args);
  expect({ code: run.code, stdout: run.stdout, stderr: run.stderr }).toEqual({ code: 0, stdout, stderr: '' });
  expect(await statusOf(sandbox, args[1]!)).toBe(status);
}

const user = 'File modified: HOME/.config/plugboard/config.json\n';
const local = 'File modified: LOCAL [project: PROJECT]\n';

test.each<[readonly string[], string, string]>([
  [['disable', 'mine'], `Disabled MCP server mine\n${user}`, 'disabled'],
  [['disable', 'here'], `Disabled MCP server here\n${local}`, 'disabled'],
  [['disable', 'shared'], `Disabled MCP server shared\n${local}`, 'disabled'],
  [
    ['disable', 'shared', '-s', 'project'],
    'Disabled MCP server shared\nFile modified: PROJECT/.mcp.json\n',
    'disabled',
  ],
  [['disable', 'off-1'], 'MCP server off-1 is disabled already\n', 'disabled'],
  [['enable', 'off-1'], `Enabled MCP server off-1\n${user}`, 'configured'],
  [['enable', 'mine'], 'MCP server mine is enabled already\n', 'configured'],
])('%j switches it, and says where that is written', (args, stdout, status) => check(args, { stdout, status }));

test('a server of a shared file is switched off for me alone, and on again', async () => {
  const sandbox = await fill();
  const shared = sandbox.read(PROJECT_FILE);
  await sandbox.run(['disable', 'shared']);
  expect(sandbox.read(PROJECT_FILE)).toBe(shared);
  await sandbox.run(['enable', 'shared']);
  expect(await statusOf(sandbox, 'shared')).toBe('configured');
  expect(sandbox.read(PROJECT_FILE)).toBe(shared);
});

test('what a shared file has switched off for everyone is switched on only where everyone sees it', async () => {
  const sandbox = makeSandbox({ [PROJECT_FILE]: { mcpServers: { a: { command: 'x', disabled: true } } } });
  await sandbox.run(['approve', 'a']);
  const refused = await sandbox.run(['enable', 'a']);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    'error: MCP server "a" is disabled for everyone, in PROJECT/.mcp.json\n  → plugboard enable a -s project\n',
  ]);
  expect((await sandbox.run(['enable', 'a', '-s', 'project'])).code).toBe(0);
  expect(JSON.parse(sandbox.read(PROJECT_FILE))).toEqual({ mcpServers: { a: { command: 'x' } } });
});

test.each<[readonly string[], number, string]>([
  [
    ['disable', 'mine'],
    0,
    `--- HOME/.config/plugboard/config.json
+++ HOME/.config/plugboard/config.json
@@ line 1 @@
 {
   "mcpServers": {
     "mine": {
-      "command": "u"
+      "command": "u",
+      "disabled": true
     },
     "off-1": {
       "command": "x",
`,
  ],
  [
    ['enable', 'off-1'],
    0,
    `--- HOME/.config/plugboard/config.json
+++ HOME/.config/plugboard/config.json
@@ line 4 @@
       "command": "u"
     },
     "off-1": {
-      "command": "x",
-      "disabled": true
+      "command": "x"
     }
   }
 }
`,
  ],
  [['enable', 'mine'], 0, 'Nothing would change\n'],
])('a dry run of %j shows the difference and writes nothing', async (args, code, stdout) => {
  const sandbox = await fill();
  const before = sandbox.files();
  const run = await sandbox.run([...args, '--dry-run']);
  expect([run.code, run.stdout, run.stderr]).toEqual([code, stdout, '']);
  expect(sandbox.files()).toEqual(before);
});

test('in JSON the file, the server, its scope and whether anything changed', async () => {
  const { run } = await fill();
  const file = 'HOME/.config/plugboard/config.json';
  expect((await run(['disable', 'mine', '--json'])).json).toEqual({
    ok: true,
    data: { file, server: 'mine', scope: 'user', changed: true },
  });
  expect((await run(['disable', 'mine', '--json'])).json?.data).toMatchObject({
    server: 'mine',
    scope: 'user',
    changed: false,
  });
  expect((await run(['enable', 'mine', '--json', '--dry-run'])).json?.data).toMatchObject({
    file,
    changed: true,
    dryRun: true,
  });
});

test.each<[readonly string[], number, string]>([
  [
    ['disable', 'min'],
    1,
    'error: No MCP server named "min". Configured servers: here, shared, mine, off-1\n  → Did you mean "mine"?\n',
  ],
  [
    ['enable', 'nobody'],
    1,
    'error: No MCP server named "nobody". Configured servers: here, shared, mine, off-1\n  → plugboard list\n',
  ],
  [
    ['disable', 'mine', '-s', 'local'],
    1,
    'error: MCP server "mine" is not in local config but in user\n  → Leave out -s local\n',
  ],
  [['disable'], 2, 'error: disable takes one server name, got 0\n  → plugboard disable NAME [-s local|project|user]\n'],
  [
    ['disable', 'd', '--mcp-server', 'd={"command":"x"}'],
    2,
    'error: MCP server "d" comes from --mcp-server\n  → Leave the server out of the command line\n',
  ],
])('%j changes nothing and says why', async (args, code, stderr) => {
  const sandbox = await fill();
  const before = sandbox.files();
  const run = await sandbox.run(args);
  expect([run.code, run.stdout, run.stderr]).toEqual([code, '', stderr]);
  expect(sandbox.files()).toEqual(before);
});

test('the comments of a file survive both ways', async () => {
  const sandbox = await fill();
  await sandbox.run(['disable', 'shared', '-s', 'project']);
  expect(sandbox.read(PROJECT_FILE)).toContain('// shared');
  await sandbox.run(['disable', 'shared']);
  expect(localFileOf(sandbox)).toBeDefined();
});

test.each(['user', 'local'] as const)(
  'an account of a server of the %s scope is switched off by itself',
  async (scope) => {
    const sandbox = makeSandbox({});
    await sandbox.run(['add', 'github', 'https://mcp.example/mcp', '-t', 'http', '-s', scope]);
    sandbox.write('home/.local/state/plugboard/accounts.json', { github: ['work'] });
    const states = async (): Promise<unknown> => {
      const { json } = await sandbox.run(['list', '--no-connect', '--json']);
      const servers = json?.data?.['servers'] as readonly { name: string; status: string }[];
      return servers.map(({ name, status }) => `${name} ${status}`);
    };
    expect(await sandbox.run(['disable', 'github@work'])).toMatchObject({ code: 0, stderr: '' });
    expect(await states()).toEqual(['github configured', 'github@work disabled']);
    expect(await sandbox.run(['disable', 'github@work'])).toMatchObject({ stdout: expect.stringContaining('already') });
    expect(await sandbox.run(['enable', 'github@work'])).toMatchObject({ code: 0, stderr: '' });
    expect(await states()).toEqual(['github configured', 'github@work configured']);
    await sandbox.run(['disable', 'github']);
    expect(await states()).toEqual(['github disabled', 'github@work disabled']);
    const { code, stderr } = await sandbox.run(['enable', 'github@work']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('plugboard enable github')]);
  },
);
