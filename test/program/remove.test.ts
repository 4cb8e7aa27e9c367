import { expect, test } from 'vitest';
import { makeSandbox, PROJECT_FILE, type Sandbox, USER_FILE } from './sandbox.js';

const one = (name: string): object => ({ mcpServers: { [name]: { command: 'x' } } });

/** Three scopes: `everywhere` is in all of them; `local`, `project` and `user` are in their own. */
async function fill(): Promise<Sandbox> {
  const sandbox = makeSandbox({
    [PROJECT_FILE]:
      '{\n  // ours\n  "mcpServers": {\n    "everywhere": { "command": "p" },\n    "project": { "command": "p" } // keep\n  }\n}\n',
    [USER_FILE]: { mcpServers: { everywhere: { command: 'u' }, user: { command: 'u' } } },
  });
  await sandbox.run(['add', 'everywhere', '--', 'l']);
  await sandbox.run(['add', 'local', '--', 'l']);
  return sandbox;
}

async function check(
  args: readonly string[],
  expected: { code?: number; stdout?: string; stderr?: string },
): Promise<void> {
  const sandbox = await fill();
  const before = sandbox.files();
  const { code, stdout, stderr } = await sandbox.run(['remove', ...args]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '', ...expected });
  expect(JSON.stringify(before) === JSON.stringify(sandbox.files())).toBe(code !== 0);
}

test.each<[readonly string[], string]>([
  [['local'], 'Removed MCP server "local" from local config\nFile modified: LOCAL [project: PROJECT]\n'],
  [['local', '-s', 'local'], 'Removed MCP server local from local config\nFile modified: LOCAL [project: PROJECT]\n'],
  [['project'], 'Removed MCP server "project" from project config\nFile modified: PROJECT/.mcp.json\n'],
  [['user'], 'Removed MCP server "user" from user config\nFile modified: HOME/.config/plugboard/config.json\n'],
  [
    ['-s', 'user', 'everywhere'],
    'Removed MCP server everywhere from user config\nFile modified: HOME/.config/plugboard/config.json\n',
  ],
  [['--', 'user'], 'Removed MCP server "user" from user config\nFile modified: HOME/.config/plugboard/config.json\n'],
])('remove %j says what is gone and from where', (args, stdout) => check(args, { stdout }));

test.each<[readonly string[], number, string]>([
  [
    ['everywhere'],
    1,
    `error: MCP server "everywhere" exists in multiple scopes:
  - Local config (private to you in this project) (LOCAL)
  - Project config (shared via .mcp.json) (PROJECT/.mcp.json)
  - User config (available in all your projects) (HOME/.config/plugboard/config.json)

To remove from a specific scope, use:
  plugboard remove everywhere -s local
  plugboard remove everywhere -s project
  plugboard remove everywhere -s user
`,
  ],
  [
    ['nobody'],
    1,
    'error: No MCP server named "nobody". Configured servers: everywhere, local, project, user\n  → plugboard list\n',
  ],
  [
    ['usr'],
    1,
    'error: No MCP server named "usr". Configured servers: everywhere, local, project, user\n  → Did you mean "user"?\n',
  ],
  [
    ['user', '-s', 'local'],
    1,
    'error: MCP server "user" is not in local config; it comes from user (HOME/.config/plugboard/config.json)\n  → plugboard remove user -s user\n',
  ],
  [[], 2, 'error: remove takes one server name, got 0\n  → plugboard remove NAME [-s local|project|user]\n'],
  [
    ['user', 'local'],
    2,
    'error: remove takes one server name, got 2\n  → plugboard remove NAME [-s local|project|user]\n',
  ],
])('remove %j changes nothing and says what to type instead', (args, code, stderr) => check(args, { code, stderr }));

test('nothing configured at all is said, with the way to begin', async () => {
  const { run } = makeSandbox();
  const { code, stderr } = await run(['remove', 'x']);
  expect([code, stderr]).toEqual([
    1,
    'error: No MCP server named "x". No MCP servers configured.\n  → plugboard add x -- COMMAND\n',
  ]);
});

test('rm is remove, and what else is in the file stays as it was written', async () => {
  const sandbox = await fill();
  const { code, json } = await sandbox.run(['rm', 'everywhere', '-s', 'project', '--json']);
  expect([code, json]).toEqual([
    0,
    { ok: true, data: { file: 'PROJECT/.mcp.json', server: 'everywhere', scope: 'project', changed: true } },
  ]);
  expect(sandbox.read(PROJECT_FILE)).toBe(
    '{\n  // ours\n  "mcpServers": {\n    "project": { "command": "p" } // keep\n  }\n}\n',
  );
});

test('a dry run shows the lines that would go, and they stay', async () => {
  const sandbox = await fill();
  const before = sandbox.files();
  const { code, stdout } = await sandbox.run(['remove', 'everywhere', '-s', 'project', '--dry-run']);
  expect([code, stdout]).toEqual([
    0,
    `--- PROJECT/.mcp.json
+++ PROJECT/.mcp.json
@@ line 1 @@
 {
   // ours
   "mcpServers": {
-    "everywhere": { "command": "p" },
     "project": { "command": "p" } // keep
   }
 }
`,
  ]);
  expect(sandbox.files()).toEqual(before);
});

test('the secrets of the neighbours stay masked in the difference', async () => {
  const sandbox = makeSandbox({
    [USER_FILE]: { mcpServers: { a: { command: 'x' }, b: { command: 'y', env: { KEY: 'hunter2' } } } },
  });
  const { stdout } = await sandbox.run(['remove', 'a', '--dry-run']);
  expect(stdout).not.toContain('hunter2');
});

test('a server of a parent folder is removed from the file it is in', async () => {
  const sandbox = makeSandbox({ 'home/code/.mcp.json': one('up') });
  const { stdout } = await sandbox.run(['remove', 'up']);
  expect(stdout).toBe('Removed MCP server "up" from project config\nFile modified: HOME/code/.mcp.json\n');
  expect(JSON.parse(sandbox.read('home/code/.mcp.json'))).toEqual({ mcpServers: {} });
});

test('a server that has no file of its own is refused with the place it comes from', async () => {
  const { run } = makeSandbox();
  const { code, stderr } = await run(['remove', 'd', '--mcp-server', 'd={"command":"x"}']);
  expect(code).toBe(1);
  expect(stderr).toContain(
    'MCP server "d" is not in a config that can be edited; it comes from dynamic (--mcp-server)\n',
  );
});
