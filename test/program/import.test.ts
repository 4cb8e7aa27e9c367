import { expect, test } from 'vitest';
import { makeSandbox, PROJECT_FILE, serversIn, USER_FILE } from './sandbox.js';

const cursor = { mcpServers: { files: { command: 'npx', args: ['-y', 'files'] }, web: { url: 'https://w.example' } } };
const files = {
  'home/.cursor/mcp.json': cursor,
  'home/code/app/.vscode/mcp.json': '{ /* ours */ "servers": { "files": { "command": "v" } } }',
};

async function check(
  args: readonly string[],
  expected: { code?: number; stdout?: string; stderr?: string; user?: object },
): Promise<void> {
  const sandbox = makeSandbox(files);
  const before = sandbox.files();
  const { code, stdout, stderr } = await sandbox.run(['import', ...args]);
  const { user, ...told } = expected;
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '', ...told });
  expect(serversIn(`${sandbox.root}/${USER_FILE}`)).toEqual(user ?? {});
  expect(JSON.stringify(sandbox.files()) === JSON.stringify(before)).toBe(user === undefined);
}

test('import alone shows what is there, and changes nothing', () =>
  check([], {
    stdout: `Found 2 files with 3 servers, 1 of them twice:
  Cursor (cursor): HOME/.cursor/mcp.json
    files, web
  VS Code (vscode): PROJECT/.vscode/mcp.json
    files

To import them: plugboard import HOST, or --all; add --dry-run to see the changes first, --link to read the files live
`,
  }));

test('a dry run says what would be taken over, shows the difference, and writes nothing', async () => {
  const sandbox = makeSandbox(files);
  const before = sandbox.files();
  const { stdout } = await sandbox.run(['import', 'cursor', '--dry-run']);
  expect(stdout).toContain(
    'files (cursor) ✔ user config\n    npx -y files\nweb (cursor) ✔ user config\n    https://w.example\nWould import 2 of 2 servers\n--- (new file)\n',
  );
  expect(stdout).toContain('+    "files": {');
  expect(sandbox.files()).toEqual(before);
});

test('an import writes the servers of a host into the user’s file', () =>
  check(['cursor'], {
    stdout:
      'files (cursor) ✔ user config\n    npx -y files\nweb (cursor) ✔ user config\n    https://w.example\nImported 2 of 2 servers\nFile modified: HOME/.config/plugboard/config.json\n',
    user: cursor.mcpServers,
  }));

test('a file can be named instead of its host', async () => {
  const { stdout } = await makeSandbox(files).run(['import', '--file', 'nowhere/../.vscode/mcp.json', '--dry-run']);
  expect(stdout).toContain('files (vscode) ✔ local config\n    v\nWould import 1 of 1 servers\n');
});

test.each<[readonly string[], number, string]>([
  [['cursr'], 2, 'error: "cursr" is not a host that Plugboard knows\n  → Did you mean "cursor"?\n'],
  [['--link'], 2, 'error: --link needs a host\n  → plugboard import cursor --link\n'],
  [['cursor', '--file', 'gone.json'], 1, 'error: PROJECT/gone.json: does not exist\n  → Check the path\n'],
])('import %j says what is wrong', (args, code, stderr) => check(args, { code, stderr }));

test('a host without servers is said in so many words', () =>
  check(['codex'], { stdout: 'No servers of codex were found\n' }));

test('nobody’s entry is overwritten: the same is left, another one is a conflict', async () => {
  const sandbox = makeSandbox({
    ...files,
    [USER_FILE]: { mcpServers: { web: { url: 'https://w.example' }, files: { command: 'mine' } } },
  });
  const { json, code } = await sandbox.run(['import', 'cursor', '--json']);
  expect(code).toBe(0);
  expect(json?.data?.['servers']).toMatchObject([
    { name: 'files', result: 'conflict', reason: 'user config has another server of that name' },
    { name: 'web', result: 'same' },
  ]);
  expect(serversIn(`${sandbox.root}/${USER_FILE}`)['files']).toEqual({ command: 'mine' });
});

test('import --all takes every host, the first of a name first, and nothing of the repository', async () => {
  const gemini = { mcpServers: { files: { command: 'other' }, web: { url: 'https://w.example', type: 'http' } } };
  const sandbox = makeSandbox({ ...files, 'home/.gemini/settings.json': gemini });
  const { stdout } = await sandbox.run(['import', '--all', '-s', 'user']);
  expect(stdout).toContain(
    'files (vscode) ✘ not imported: it comes from this repository; review it, then: plugboard import vscode --file',
  );
  expect(stdout).toContain(
    'files (gemini) ✘ not imported: cursor has another server of that name\nweb (gemini) ○ already there\n',
  );
});

test('another host’s "trust" is not taken over, and that is said', async () => {
  const sandbox = makeSandbox({ 'home/.gemini/settings.json': { mcpServers: { a: { command: 'x', trust: true } } } });
  const { stdout } = await sandbox.run(['import', 'gemini']);
  expect(stdout).toContain('    lost: "trust" is left out');
  expect(serversIn(`${sandbox.root}/${USER_FILE}`)).toEqual({ a: { command: 'x' } });
});

test('a timeout that the other host counts in seconds lasts as long here, and only what is left out is called lost', async () => {
  const sandbox = makeSandbox({
    'home/.config/zed/settings.json': {
      context_servers: {
        minute: { command: 'm', timeout: 60 },
        half: { url: 'https://h.example/mcp', timeout: 1800, oauth: { client_id: 'zed' } },
        away: { command: 'a', args: ['${LEVEL}', '${AWAY_KEY}'], env: { LEVEL: '1' }, remote: true, colour: 'red' },
      },
    },
  });
  const { stdout } = await sandbox.run(['import', 'zed']);
  expect(stdout).toBe(`minute (zed) ✔ user config
    m
half (zed) ✔ user config
    https://h.example/mcp
away (zed) ✔ user config
    a \${LEVEL} \${AWAY_KEY}
    lost: "remote" is left out: Plugboard starts servers on this machine only
    note: "\${AWAY_KEY}" is read as the environment variable AWAY_KEY here
    note: "colour" is kept, but ignored
Imported 3 of 3 servers
File modified: HOME/.config/plugboard/config.json
`);
  const linked = await sandbox.run(['import', 'zed', '--link']);
  expect(linked.stderr).toContain('away: lost: "remote" is left out: Plugboard starts servers on this machine only\n');
  expect(serversIn(`${sandbox.root}/${USER_FILE}`)).toMatchObject({
    minute: { timeout: 60_000 },
    half: { timeout: 1_800_000, oauth: { clientId: 'zed' } },
  });
});

test('a linked file of any repository needs approval, wherever one stands', async () => {
  const sandbox = makeSandbox({
    'home/other/.git/HEAD': 'ref: x',
    'home/other/.cursor/mcp.json': { mcpServers: { foreign: { command: 'x' } } },
  });
  await sandbox.run(['import', 'cursor', '--link', '--file', '../../other/.cursor/mcp.json']);
  expect((await sandbox.run(['get', '--no-connect', 'foreign', '--json'])).json?.data).toMatchObject({
    scope: 'linked',
    status: 'unapproved',
  });
});

test('a link reads the other host’s files live, and a second one changes nothing', async () => {
  const sandbox = makeSandbox(files);
  const { stdout } = await sandbox.run(['import', 'cursor', '--link']);
  expect(stdout).toBe('Linked cursor: its servers are read live\nFile modified: HOME/.config/plugboard/config.json\n');
  expect((await sandbox.run(['get', '--no-connect', 'web'])).stdout).toContain('Status: • configured');
  expect((await sandbox.run(['import', 'cursor', '--link'])).stdout).toBe('cursor is linked already\n');
  const { json } = await sandbox.run(['import', 'vscode', '--link', '--dry-run', '--json']);
  expect(json?.data).toMatchObject({ server: 'vscode', scope: 'linked', changed: true, dryRun: true });
});

test('a repository’s file becomes a private copy, never a shared one', async () => {
  const sandbox = makeSandbox(files);
  await sandbox.run(['import', 'vscode', '--file', '.vscode/mcp.json']);
  expect(serversIn(`${sandbox.root}/${PROJECT_FILE}`)).toEqual({});
  expect((await sandbox.run(['get', '--no-connect', 'files', '--json'])).json?.data).toMatchObject({
    scope: 'local',
    status: 'configured',
  });
});

test('a broken file of a host is told, and the others are found', async () => {
  const sandbox = makeSandbox({ ...files, 'home/.cursor/mcp.json': '{ oops' });
  const { code, stdout, stderr } = await sandbox.run(['import']);
  expect([code, stdout.includes('VS Code (vscode)')]).toEqual([0, true]);
  expect(stderr).toContain('error: HOME/.cursor/mcp.json:1:3: is not JSON');
});

test('import --json lists files, hosts and names', async () => {
  const { json } = await makeSandbox(files).run(['import', '--json']);
  expect(json).toEqual({
    ok: true,
    data: {
      sources: [
        {
          host: 'cursor',
          title: 'Cursor',
          file: 'HOME/.cursor/mcp.json',
          level: 'user',
          servers: ['files', 'web'],
          problems: [],
        },
        {
          host: 'vscode',
          title: 'VS Code',
          file: 'PROJECT/.vscode/mcp.json',
          level: 'project',
          servers: ['files'],
          problems: [],
        },
      ],
    },
  });
});

test('a link can be taken back, and taking back none changes nothing', async () => {
  const sandbox = makeSandbox(files);
  await sandbox.run(['import', 'cursor', '--link']);
  expect((await sandbox.run(['import', 'cursor', '--unlink'])).stdout).toContain('Unlinked cursor\n');
  expect((await sandbox.run(['get', '--no-connect', 'web'])).code).toBe(1);
  expect((await sandbox.run(['import', 'cursor', '--unlink'])).stdout).toBe('cursor is not linked\n');
});

test('an entry of the wrong kind is there all the same, and a list of the wrong kind is left alone', async () => {
  const sandbox = makeSandbox({
    ...files,
    [USER_FILE]: '{ "mcpServers": { "files": null }, "settings": { "links": "codex" } }',
  });
  expect((await sandbox.run(['import', 'cursor'])).stdout).toContain('files (cursor) ✘ not imported');
  expect(sandbox.read(USER_FILE).match(/"files"/gu)).toHaveLength(1);
  expect(await sandbox.run(['import', 'vscode', '--link'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('settings.links is not an array'),
  });
});
