import { readFileSync, readdirSync, statSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSandbox, PROJECT_FILE, USER_FILE } from './sandbox.js';

const CURSOR = 'home/.cursor/mcp.json';
const SECRET = 'hunter2-and-more';
const servers = {
  notes: { command: 'npx', args: ['-y', 'notes'], env: { NOTES_TOKEN: '${NOTES_TOKEN}', MODE: SECRET } },
  web: { type: 'http', url: 'https://w.example/mcp', headers: { Authorization: 'Bearer ${WEB}' }, startTimeout: 9000 },
};
const files = { [USER_FILE]: { mcpServers: servers } };

const read = (root: string, file: string): string => readFileSync(join(root, file), 'utf8');

test('servers are added to the file of the host, whose rest stays as it is, and what is lost is named', async () => {
  const before = '{\n  // mine\n  "mcpServers": { "old": { "command": "o" } },\n  "other": true\n}\n';
  const sandbox = makeSandbox({ ...files, [CURSOR]: before });
  const { code, stdout, stderr } = await sandbox.run(['export', 'cursor']);
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout:
      'notes ✔ added\nweb ✔ added\n    lost: "startTimeout" is left out: Cursor has no such field\nExported 2 servers to Cursor\nFile modified: HOME/.cursor/mcp.json\n',
    stderr: '',
  });
  const after = read(sandbox.root, CURSOR);
  expect(after).toContain('  // mine\n  "mcpServers": { "old": { "command": "o" }, "notes":');
  expect(after).toContain('  "other": true\n}\n');
  expect(after).toContain('"NOTES_TOKEN":"${env:NOTES_TOKEN}"');
  expect(after).toContain('"Authorization":"Bearer ${env:WEB}"');
  const [kept] = readdirSync(join(sandbox.root, 'home/.local/state/plugboard/previous'));
  expect(read(sandbox.root, `home/.local/state/plugboard/previous/${kept}`)).toBe(before);
  const again = await sandbox.run(['export', 'cursor']);
  expect(again.stdout).toBe('notes ○ already there\nweb ○ already there\nExported 0 servers to Cursor\n');
  expect(read(sandbox.root, CURSOR)).toBe(after);
});

test.each([
  ['cursor', '.cursor/mcp.json'],
  ['claude', '.claude.json'],
  ['claude-desktop', '.config/Claude/claude_desktop_config.json'],
  ['vscode', '.config/Code/User/mcp.json'],
  ['codex', '.codex/config.toml'],
  ['gemini', '.gemini/settings.json'],
  ['opencode', '.config/opencode/opencode.json'],
  ['zed', '.config/zed/settings.json'],
  ['windsurf', '.codeium/windsurf/mcp_config.json'],
  ['goose', '.config/goose/config.yaml'],
  ['cline', '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'],
  ['copilot', '.copilot/mcp-config.json'],
])('a new file of %s belongs to its owner alone, and can be imported', async (host, file) => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { notes: { command: 'npx', args: ['-y', 'notes'] } } } });
  const { json } = await sandbox.run(['export', host, '--json']);
  expect(json?.data).toMatchObject({
    host,
    file: `HOME/${file}`,
    changed: true,
    servers: [{ name: 'notes', result: 'added', lost: [], notes: [] }],
    leftOut: [],
  });
  expect(statSync(join(sandbox.root, 'home', file)).mode & 0o777).toBe(0o600);
  const imported = await sandbox.run(['import', host === 'claude' ? 'claude-code' : host, '--json']);
  expect(imported.json?.data?.['servers']).toMatchObject([{ name: 'notes', result: 'same' }]);
});

test('a dry run shows the difference without secrets, and writes nothing', async () => {
  for (const host of ['cursor', 'codex', 'goose', 'opencode', 'zed']) {
    const sandbox = makeSandbox({
      ...files,
      'home/.codex/config.toml': `[mcp_servers.notes]\ncommand = "o"\nenv = { A = "other-${SECRET}" }\n`,
      'home/.config/goose/config.yaml': `extensions:\n  notes:\n    type: stdio\n    cmd: o\n    envs:\n      A: other-${SECRET}\n`,
    });
    const before = sandbox.files();
    const { stdout, stderr, json } = await sandbox.run(['export', host, '--dry-run', '--replace']);
    expect([host, stdout]).toEqual([host, expect.stringContaining('Would export 2 servers')]);
    expect(stdout).toMatch(/^\+.*"?npx"?/mu);
    expect(stdout + stderr + JSON.stringify(json)).not.toContain(SECRET);
    expect(sandbox.files()).toEqual(before);
    expect((await sandbox.run(['export', host, '--dry-run', '--replace', '--reveal'])).stdout).toContain(SECRET);
  }
});

test('an entry of the same name that says something else is replaced only with --replace', async () => {
  const sandbox = makeSandbox({ ...files, [CURSOR]: { mcpServers: { web: { url: 'https://other.example' } } } });
  const { code, stdout, json } = await sandbox.run(['export', 'cursor', 'web']);
  expect([code, stdout]).toEqual([
    1,
    'web ✘ not exported: the file has another server of that name\nExported 0 servers to Cursor\nTo replace what Cursor has: plugboard export cursor --replace\n',
  ]);
  expect(json).toBeUndefined();
  expect(read(sandbox.root, CURSOR)).toContain('other.example');
  expect((await sandbox.run(['export', 'cursor', 'web', '--replace'])).stdout).toContain('web ✔ replaced');
  expect(read(sandbox.root, CURSOR)).not.toContain('other.example');
});

test('what may not run is exported only by its name, and never against a policy', async () => {
  const sandbox = makeSandbox({
    [USER_FILE]: {
      mcpServers: { off: { command: 'o', disabled: true }, bad: { command: 5 }, banned: { command: 'evil' } },
      settings: { deniedMcpServers: [{ serverName: 'banned' }] },
    },
    [PROJECT_FILE]: { mcpServers: { theirs: { command: 'curl', args: ['https://evil.example'] } } },
  });
  const all = await sandbox.run(['export', 'cursor', '--json']);
  expect(all.json?.data).toMatchObject({ servers: [], changed: false });
  const { leftOut } = all.json!.data as { leftOut: { name: string; reason: string }[] };
  expect(Object.fromEntries(leftOut.map(({ name, reason }) => [name, reason]))).toEqual({
    off: 'it is disabled; to export it anyway, name it: off',
    bad: 'its entry is invalid; see plugboard doctor',
    banned: expect.stringContaining('a policy forbids it') as string,
    theirs: expect.stringContaining('you have not approved it') as string,
  });
  const named = await sandbox.run(['export', 'cursor', 'theirs', 'banned', '--json']);
  expect(named.json?.data).toMatchObject({
    servers: [{ name: 'theirs', result: 'added' }],
    leftOut: [{ name: 'banned' }],
  });
});

test('the entries can be printed: secrets only on request', async () => {
  const sandbox = makeSandbox(files);
  const before = sandbox.files();
  const shown = await sandbox.run(['export', 'codex', 'notes', '--out', '-']);
  expect(shown.stdout).toBe(
    '[mcp_servers.notes]\ncommand = "npx"\nargs = [ "-y", "notes" ]\nenv_vars = [ "NOTES_TOKEN" ]\n\n[mcp_servers.notes.env]\nMODE = "••••"\n',
  );
  const web = await sandbox.run(['export', 'codex', 'web', '--out', '-']);
  expect(web.stdout).toContain('bearer_token_env_var = "WEB"');
  expect(shown.stderr).toContain('Secrets are masked; add --reveal to print them');
  expect((await sandbox.run(['export', 'codex', 'notes', '--out', '-', '--reveal'])).stdout).toContain(SECRET);
  expect(sandbox.files()).toEqual(before);
});

test('a project’s file is shared, so a secret in it is told', async () => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { s: { command: 'x', env: { API_KEY: SECRET } } } } });
  const { stdout, stderr } = await sandbox.run(['export', 'vscode', '--project']);
  expect(stdout).toContain('File modified: PROJECT/.vscode/mcp.json');
  expect(stderr).toContain('warning: "s" has a secret in PROJECT/.vscode/mcp.json, a file that is shared');
  const { stderr: none, code } = await sandbox.run(['export', 'windsurf', '--project']);
  expect([code, none]).toEqual([
    2,
    'error: Windsurf has no file for a project here\n  → plugboard export windsurf --out FILE\n',
  ]);
});

test('a project’s file that leads out of the project is not written', async () => {
  const sandbox = makeSandbox(files);
  const target = join(sandbox.root, 'home/precious.json');
  writeFileSync(target, '{}');
  mkdirSync(join(sandbox.root, 'home/code/app/.cursor'), { recursive: true });
  symlinkSync(target, join(sandbox.root, 'home/code/app/.cursor/mcp.json'));
  const { code, stderr } = await sandbox.run(['export', 'cursor', '--project']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('leads out of the project by a symbolic link')]);
  expect(readFileSync(target, 'utf8')).toBe('{}');
});

test('a project’s file that is not there yet is not written through a folder that leads out of the project', async () => {
  const sandbox = makeSandbox(files);
  const outside = join(sandbox.root, 'home/outside');
  mkdirSync(outside);
  symlinkSync(outside, join(sandbox.root, 'home/code/app/.vscode'));
  const { code, stderr } = await sandbox.run(['export', 'vscode', '--project']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('leads out of the project by a symbolic link')]);
  expect(readdirSync(outside)).toEqual([]);
});

test.each([
  ['a link to a link', 'inner.json', 'inner.json'],
  ['a link through a folder', 'inner/new.json', 'inner'],
])('a file that is not there yet is not written by %s out of the project', async (_, first, second) => {
  const sandbox = makeSandbox(files);
  const outside = join(sandbox.root, 'home/outside');
  mkdirSync(outside);
  symlinkSync(first, join(sandbox.project, '.mcp.json'));
  symlinkSync(second === 'inner' ? outside : join(outside, 'new.json'), join(sandbox.project, second));
  const ways = [
    ['add', '-s', 'project', 'x', '--', 'node'],
    ['export', 'cursor', '--out', '.mcp.json'],
    ['export', 'cursor', '--out', first],
  ];
  for (const words of ways) {
    const { code, stderr } = await sandbox.run(words);
    expect([code, stderr]).toEqual([1, expect.stringContaining('leads out of the project by a symbolic link')]);
  }
  expect(readdirSync(outside)).toEqual([]);
});

test('--out may name a file elsewhere, and a link that stays in the project', async () => {
  const sandbox = makeSandbox(files);
  symlinkSync(join(sandbox.root, 'home/real.json'), join(sandbox.root, 'home/link.json'));
  symlinkSync('inner.json', join(sandbox.project, 'stays.json'));
  for (const file of ['../../link.json', 'stays.json'])
    expect((await sandbox.run(['export', 'cursor', '--out', file])).code).toBe(0);
  expect(read(sandbox.root, 'home/real.json')).toBe(readFileSync(join(sandbox.project, 'inner.json'), 'utf8'));
});

test.each([
  ['codex', 'home/.codex/config.toml', 'a = 1\nb = = 2\n', 'config.toml:2:5: is not TOML'],
  ['goose', 'home/.config/goose/config.yaml', 'a: 1\nb: "x\n', 'config.yaml:3:1: is not YAML'],
  ['zed', 'home/.config/zed/settings.json', '{\n  "a": }\n', 'settings.json:2:8: is not JSON'],
])('a file of %s that is broken is left alone, with line and column', async (host, file, text, message) => {
  const sandbox = makeSandbox({ ...files, [file]: text });
  const { code, stderr } = await sandbox.run(['export', host]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  expect(read(sandbox.root, file)).toBe(text);
});

test.each<[readonly string[], number, string]>([
  [[], 2, 'error: export needs a host\n'],
  [['cursr'], 2, 'error: "cursr" is not a host that Plugboard knows\n  → Did you mean "cursor"?\n'],
  [['cursor', 'nots'], 1, 'No MCP server named "nots"'],
  [['cursor', '--project', '--out', 'x'], 2, 'error: --project and --out both name a file\n'],
])('export %j says what is wrong, and writes nothing', async (args, code, stderr) => {
  const sandbox = makeSandbox(files);
  const before = sandbox.files();
  const run = await sandbox.run(['export', ...args]);
  expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(stderr)]);
  expect(sandbox.files()).toEqual(before);
});

test('a server of this project alone is exported with absolute paths', async () => {
  const sandbox = makeSandbox({ 'home/code/app/tools/run.mjs': '' });
  await sandbox.run(['add', 'mine', '--', 'node', './tools/run.mjs']);
  await sandbox.run(['export', 'cursor', 'mine']);
  expect(read(sandbox.root, CURSOR)).toContain(`"${join(sandbox.root, 'home/code/app/tools/run.mjs')}"`);
});
