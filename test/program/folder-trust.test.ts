import { chmodSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { noSandbox } from '../../src/edge/sandbox/sandbox-fixtures.js';
import { GUARD_MS, LOCK_FILE, type Sandbox, TRUST_FILE, USER_FILE } from './sandbox.js';
import { BIN, makeExecutable, MARK, NODE, PROJECT, ran, scene, tool, TOOL_SERVER } from './trust-scene.js';
import { onDisk } from '../on-disk.js';

/** `name: status` of every server, with its error code. */
async function statuses(sandbox: Sandbox, args: readonly string[] = []): Promise<readonly string[]> {
  const { json } = await sandbox.run(['list', '--no-connect', '--json', ...args]);
  return (json!.data!['servers'] as { name: string; status: string; error?: { code: string } }[]).map(
    ({ name, status, error }) => `${name}: ${status}${error ? ` ${error.code}` : ''}`,
  );
}

test.each<[string, object, string]>([
  ['a command by a relative path', { command: './server' }, 'its command is "./server"'],
  ['a relative cwd', { command: NODE, cwd: 'sub' }, 'its cwd is "sub"'],
  ['.', { command: NODE, args: [TOOL_SERVER, '.'] }, 'its argument "." means the working directory, or a file in it'],
  [
    './x',
    { command: NODE, args: ['./nowhere.mjs'] },
    'its argument "./nowhere.mjs" means the working directory, or a file in it',
  ],
  [
    '--from=./x',
    { command: 'uvx', args: ['--from=./x', 'y'] },
    'its argument "--from=./x" means the working directory, or a file in it',
  ],
  [
    'a file there',
    { command: NODE, args: ['server.mjs'] },
    'its argument "server.mjs" means the working directory, or a file in it',
  ],
  [
    'a variable that leads there',
    { command: NODE, args: ['${CLAUDE_PROJECT_DIR}/server.mjs'] },
    'a variable in its arguments leads to PROJECT/server.mjs',
  ],
  [
    'a headersHelper there',
    { type: 'http', url: 'http://127.0.0.1:59999/mcp', headersHelper: 'sh ./token.sh' },
    'its headersHelper names "./token.sh", which is in this folder',
  ],
  ['a folder to write to', { ...tool, sandbox: { write: ['data'] } }, 'its sandbox.write names "data"'],
])('an entry that needs the folder waits for trust: %s', async (_, entry, why) => {
  const sandbox = scene({ tool: entry }, { [`${PROJECT}/server.mjs`]: MARK });
  expect(await statuses(sandbox)).toEqual(['tool: unapproved folder-untrusted']);
  expect(await statuses(sandbox, ['--trust-folder'])).toEqual(['tool: configured']);
  const { code, json } = await sandbox.run(['call', 'tool.echo', '--json']);
  expect([code, json?.error]).toEqual([
    5,
    {
      code: 'folder-untrusted',
      message: `Server "tool" needs PROJECT, which is not trusted: ${why}`,
      hint: 'plugboard trust PROJECT',
      docs: 'docs/troubleshooting.md#folder-untrusted',
    },
  ]);
  expect((await sandbox.run(['trust'])).code).toBe(0);
  expect(await statuses(sandbox)).toEqual(['tool: configured']);
});

test.each<[string, readonly string[]]>([
  [
    'a server of the command line',
    ['list', '--json', '--strict-mcp-config', '--mcp-server', 'tool={"command":"./run"}'],
  ],
  ['a command behind --', ['tools', '--json', '--', './run']],
])('%s starts in the folder, unasked', async (_, args) => {
  const sandbox = scene({}, { [`${PROJECT}/run`]: BIN });
  makeExecutable(join(sandbox.project, 'run'));
  await sandbox.run([...args.slice(0, 2), '--timeout', GUARD_MS, ...args.slice(2)]);
  expect(ran(sandbox)).toBe(sandbox.project);
});

test.each<[string, readonly (readonly string[])[], readonly string[]]>([
  ['a local server', [['add', 'tool', '--', './run']], []],
  [
    'an approved server of the project',
    [
      ['add', '-s', 'project', 'tool', '--', './run'],
      ['approve', 'tool'],
    ],
    [],
  ],
  [
    'a server of the project with the flag',
    [['add', '-s', 'project', 'tool', '--', './run']],
    ['--approve-project-servers'],
  ],
])('%s starts in the folder, unasked', async (_, steps, flags) => {
  const sandbox = scene({}, { [`${PROJECT}/run`]: BIN });
  makeExecutable(join(sandbox.project, 'run'));
  for (const step of steps) expect((await sandbox.run(step)).code).toBe(0);
  await sandbox.run(['list', '--json', '--timeout', GUARD_MS, ...flags]);
  expect(ran(sandbox)).toBe(sandbox.project);
});

test('a server of the user works in a folder that is not trusted, in a private one that keeps what it writes', async () => {
  const writes = `require('node:fs').appendFileSync('kept', 'x');require('node:fs').appendFileSync(process.env.HOME+'/seen', process.cwd()+' '+require('node:fs').readdirSync('.').join()+'\\n');import(${JSON.stringify(TOOL_SERVER)})`;
  const sandbox = scene({ tool: { command: NODE, args: ['-e', writes] } });
  for (let run = 0; run < 2; run++) {
    const { json } = await sandbox.run(['list', '--json']);
    expect((json!.data!['servers'] as { status: string }[])[0]!.status).toBe('connected');
  }
  const { json } = await sandbox.run(['get', 'tool', '--json', '--no-connect']);
  const folder = String(json!.data!['startsIn']).replace('HOME', sandbox.home);
  expect(folder).toMatch(/\/\.local\/state\/plugboard\/folders\/app-[0-9a-f]{12}\/tool-[0-9a-f]{12}\/work$/u);
  expect(readFileSync(join(sandbox.home, 'seen'), 'utf8')).toBe(`${folder} kept\n${folder} kept\n`);
  expect(readFileSync(join(folder, 'kept'), 'utf8')).toBe('xx');
  const { stdout } = await sandbox.run(['get', 'tool', '--no-connect']);
  expect(stdout).toContain('Starts in: HOME/.local/state/plugboard/folders/app-');
  const doctor = await sandbox.run(['doctor', '--no-connect']);
  expect(doctor.stdout).toContain('because PROJECT is not trusted');
  const { stderr } = await sandbox.run(['list']);
  expect(stderr).toContain(
    'note: "tool" starts in a private folder: PROJECT is not trusted. To start it here: plugboard trust PROJECT',
  );
});

const missing = await noSandbox();
onDisk();

test.skipIf(missing !== undefined)(
  `a server in a sandbox writes into its private folder, and sees nothing of the state folder (${missing ?? 'bubblewrap'})`,
  async () => {
    const script = `const fs=require('node:fs');fs.appendFileSync('kept','x');console.error('sees', fs.readdirSync(process.env.STATE).join());import(${JSON.stringify(TOOL_SERVER)})`;
    const sandbox = scene({});
    const env = { STATE: join(sandbox.home, '.local/state/plugboard') };
    sandbox.write(USER_FILE, {
      mcpServers: { tool: { command: NODE, args: ['-e', script], env, sandbox: { read: [dirname(TOOL_SERVER)] } } },
    });
    const { json } = await sandbox.run(['list', '--json']);
    expect((json!.data!['servers'] as { status: string }[])[0]).toMatchObject({ status: 'connected' });
    const files = Object.entries(sandbox.files());
    expect(files.find(([path]) => path.endsWith('/kept'))?.[1]).toBe('x');
    expect(files.find(([path]) => path.includes('/logs/'))?.[1]).toContain('sees folders\n');
  },
);

const where = { tool: { command: NODE, args: ['-e', MARK] } };

/** Where a server of the user starts: in the project (`here`), in a folder of Plugboard (`apart`), or elsewhere. */
async function startOf(sandbox: Sandbox, options: { cwd?: string; args?: readonly string[] } = {}): Promise<string> {
  const { cwd = sandbox.project, args = [] } = options;
  await sandbox.run(['list', '--json', '--timeout', GUARD_MS, ...args], { cwd });
  const found = ran(sandbox);
  return found === cwd ? 'here' : found?.includes('/plugboard/folders/') === true ? 'apart' : String(found);
}

const everywhere = { mcpServers: where };

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['an administrator', { [LOCK_FILE]: everywhere }],
  ['a plugin', { 'home/.config/plugboard/plugins/extra/.mcp.json': everywhere }],
  [
    'a linked file of another host',
    { [USER_FILE]: { settings: { links: [{ host: 'cursor' }] } }, 'home/.cursor/mcp.json': everywhere },
  ],
])('a server of %s starts apart, and with trust in the folder', async (_, files) => {
  const sandbox = scene({}, files);
  expect(await startOf(sandbox)).toBe('apart');
  await sandbox.run(['trust']);
  expect(await startOf(sandbox)).toBe('here');
});

test('trust covers a folder and all below it, until it is removed', async () => {
  const sandbox = scene(where);
  const below = join(sandbox.project, 'packages/one');
  mkdirSync(below, { recursive: true });
  expect(await startOf(sandbox)).toBe('apart');
  expect(await startOf(sandbox, { args: ['--trust-folder'] })).toBe('here');
  expect(await startOf(sandbox)).toBe('apart');
  await sandbox.run(['trust', join(sandbox.home, 'code')]);
  expect(await startOf(sandbox)).toBe('here');
  expect(await startOf(sandbox, { cwd: below })).toBe('here');
  const { json } = await sandbox.run(['trust', '--list', '--json']);
  expect(json!.data).toEqual({
    folders: [{ folder: 'HOME/code', decision: 'trusted', at: '2026-11-15T12:00:00.000Z' }],
  });
  expect((await sandbox.run(['trust', '--remove', join(sandbox.home, 'code')])).code).toBe(0);
  expect(await startOf(sandbox)).toBe('apart');
  expect((await sandbox.run(['trust', '--remove', join(sandbox.home, 'code')])).code).toBe(2);
});

test('a part of a repository can be trusted by itself, and its rest is not', async () => {
  const sandbox = scene(where);
  const part = join(sandbox.project, 'packages/one');
  mkdirSync(part, { recursive: true });
  expect((await sandbox.run(['trust', '.'], { cwd: part })).code).toBe(0);
  expect(await startOf(sandbox, { cwd: part })).toBe('here');
  expect(await startOf(sandbox)).toBe('apart');
  const { json } = await sandbox.run(['trust', '--remove', '--json'], { cwd: part });
  expect(json!.error!.hint).toBe('plugboard trust --remove PROJECT/packages/one');
});

test.each<[string, readonly string[]]>([
  ['no folder at all', ['trust', '']],
  ['two folders', ['trust', '.', '..']],
  ['a file', ['trust', '.git/HEAD']],
  ['what is not there', ['trust', 'nowhere']],
])('%s cannot be trusted', async (_, args) => {
  const sandbox = scene(where, { [`${PROJECT}/.git/HEAD`]: '' });
  expect((await sandbox.run(args)).code).toBe(2);
  expect((await sandbox.run(['trust', '--list', '--json'])).json!.data).toEqual({ folders: [] });
});

test('a folder above that everybody may write to is no repository to trust', async () => {
  const sandbox = scene(where, { 'home/shared/.git/HEAD': '', 'home/shared/mine/x': '', 'home/shared/theirs/x': '' });
  chmodSync(join(sandbox.home, 'shared'), 0o1777);
  const [mine, theirs] = ['mine', 'theirs'].map((name) => join(sandbox.home, 'shared', name));
  await sandbox.run(['trust'], { cwd: mine! });
  expect(await startOf(sandbox, { cwd: mine! })).toBe('here');
  expect(await startOf(sandbox, { cwd: theirs! })).toBe('apart');
});

test('with the home folder under git, servers of another folder do not start here', async () => {
  const sandbox = scene({}, { 'home/.git/HEAD': '', 'home/notes/x': '', 'home/evil/x': '' });
  const [notes, evil] = ['notes', 'evil'].map((name) => join(sandbox.home, name));
  await sandbox.run(['add', 'tool', '--', NODE, '-e', MARK], { cwd: notes! });
  expect(await startOf(sandbox, { cwd: evil! })).toBe('apart');
  await sandbox.run(['trust'], { cwd: evil! });
  expect(await startOf(sandbox, { cwd: evil! })).toBe('here');
});

test('a repository that holds the state folder does not decide about itself', async () => {
  const sandbox = scene(where);
  const folders = { [sandbox.project]: { decision: 'trusted', at: '' } };
  sandbox.write(`${PROJECT}/.state/plugboard/trusted-folders.json`, { folders });
  const env = { XDG_STATE_HOME: join(sandbox.project, '.state') };
  const { stderr } = await sandbox.run(['list'], { env });
  expect(ran(sandbox)).not.toBe(sandbox.project);
  expect(stderr).toContain('no folder counts as trusted');
});

test('in the home folder servers know where home is', async () => {
  const sandbox = scene({
    tool: {
      command: NODE,
      args: [
        '-e',
        `require('node:fs').writeFileSync(require('node:path').join(process.env.HOME ?? '/', 'ran'), 'home')`,
      ],
    },
  });
  await sandbox.run(['list', '--json'], { cwd: sandbox.home });
  expect(ran(sandbox)).toBe('home');
});

test('a command asks only about what it starts', async () => {
  const sandbox = scene(where);
  await sandbox.run(['add', 'mine', '--', NODE, TOOL_SERVER]);
  const options = { answers: ['y'], isTerminal: true, columns: 120 };
  for (const args of [
    ['call', 'mine.echo', 'text=hi'],
    ['tools', 'mine'],
    ['get', 'mine'],
    ['permissions', 'Read'],
  ]) {
    const { stderr } = await sandbox.run(args, options);
    expect([args, stderr.includes('for all folders')]).toEqual([args, false]);
  }
  expect((await sandbox.run(['tools', 'tool'], options)).stderr).toContain('for all folders');
});

test('doctor says of a server that fails apart how to try it here, and names no package of a stranger', async () => {
  const sandbox = scene({ tool: { command: 'python3', args: ['-m', 'mything'] } }, { [`${PROJECT}/mything.py`]: '' });
  const { json } = await sandbox.run(['doctor', '--json']);
  const finding = (json!.data!['findings'] as { severity: string; hint: string }[])[0]!;
  expect(finding).toMatchObject({
    severity: 'error',
    hint: 'The server was started in a private folder, because PROJECT is not trusted. To try it here: plugboard doctor tool --trust-folder',
  });
});

test('trust in the home folder is about that folder itself', async () => {
  const sandbox = scene(where);
  expect((await sandbox.run(['trust', sandbox.home])).stdout).toContain('HOME itself, not what is below it');
  expect(await startOf(sandbox)).toBe('apart');
  expect(await startOf(sandbox, { cwd: sandbox.home })).toBe('here');
});

test('a project that is forgotten is not trusted any more', async () => {
  const sandbox = scene(where);
  await sandbox.run(['trust']);
  expect(await startOf(sandbox)).toBe('here');
  const { stdout } = await sandbox.run(['reset-project-choices']);
  expect(stdout).toContain('Forgot whether PROJECT is trusted');
  expect(await startOf(sandbox)).toBe('apart');
});

test('a work tree elsewhere is another folder, whatever its .git file points to', async () => {
  const sandbox = scene(where, { 'home/other/.git': 'gitdir: ../code/app/.git/worktrees/other\n' });
  await sandbox.run(['trust']);
  expect(await startOf(sandbox, { cwd: join(sandbox.home, 'other') })).toBe('apart');
});

test('a link to a trusted folder leads to the same folder, and one out of it does not bring trust along', async () => {
  const sandbox = scene(where, { 'home/evil/.git/HEAD': '' });
  await sandbox.run(['trust']);
  symlinkSync(sandbox.project, join(sandbox.home, 'link'));
  symlinkSync(join(sandbox.home, 'evil'), join(sandbox.project, 'out'));
  await sandbox.run(['list', '--json'], { cwd: join(sandbox.home, 'link') });
  expect(ran(sandbox)).toBe(sandbox.project);
  expect(await startOf(sandbox, { cwd: join(sandbox.project, 'out') })).toBe('apart');
});

test('a file of decisions that is broken trusts nothing, and says so', async () => {
  const sandbox = scene(where);
  await sandbox.run(['trust']);
  sandbox.write(TRUST_FILE, '{ broken');
  expect(await startOf(sandbox)).toBe('apart');
  const { stderr } = await sandbox.run(['list']);
  expect(stderr).toContain('No folder counts as trusted');
  expect((await sandbox.run(['trust'])).code).toBe(1);
});

test.each<[string, readonly string[], 'here' | 'apart', 'trusted' | 'untrusted' | undefined]>([
  ['yes', ['y'], 'here', 'trusted'],
  ['no', ['n'], 'apart', 'untrusted'],
  ['nothing', [''], 'apart', undefined],
  ['nonsense and then yes', ['maybe', 'YES'], 'here', 'trusted'],
])('at a terminal one is asked once, and says %s', async (_, answers, place, decision) => {
  const sandbox = scene(where, {
    [`${PROJECT}/.npmrc`]: '',
    [`${PROJECT}/a.py`]: '',
    [`${PROJECT}/b.py`]: '',
    [`${PROJECT}/.env.local`]: '',
  });
  const { stderr } = await sandbox.run(['list', '--timeout', GUARD_MS], { answers, isTerminal: true, columns: 120 });
  expect(stderr).toContain('would start in this folder for the first time:\n  PROJECT\n');
  expect(stderr).toContain(
    'Files in this folder can change what these commands run, above all: .env, .npmrc, Python files (2).',
  );
  expect(ran(sandbox) === sandbox.project ? 'here' : 'apart').toBe(place);
  const { json } = await sandbox.run(['trust', '--list', '--json']);
  expect((json!.data!['folders'] as { decision: string }[])[0]?.decision).toBe(decision);
  const again = await sandbox.run(['list', '--timeout', GUARD_MS], { answers: [''], isTerminal: true, columns: 120 });
  expect(again.stderr.includes('for all folders')).toBe(decision === undefined);
});

test.each<[string, readonly string[]]>([
  ['--json', ['list', '--json']],
  ['--no-connect', ['list', '--no-connect']],
  ['-p', ['-p', 'hello']],
  ['--trust-folder', ['list', '--trust-folder']],
  ['a server of the command line', ['tools', '--', NODE, TOOL_SERVER]],
])('nobody is asked with %s', async (_, args) => {
  const sandbox = scene(where);
  const { stderr } = await sandbox.run(args, { answers: ['y'], isTerminal: true, columns: 120 });
  expect(stderr).not.toContain('for all folders');
  expect((await sandbox.run(['trust', '--list', '--json'])).json!.data).toEqual({ folders: [] });
});

test('trust approves no server of the repository, and lets its settings loosen nothing', async () => {
  const sandbox = scene(
    {},
    {
      [`${PROJECT}/.mcp.json`]: { mcpServers: { theirs: { command: './run' } } },
      [`${PROJECT}/.plugboard/settings.json`]: { permissions: { allow: ['mcp__*'], mode: 'bypass' } },
    },
  );
  await sandbox.run(['trust']);
  expect(await statuses(sandbox)).toEqual(['theirs: unapproved']);
  const { json } = await sandbox.run(['permissions', 'Read', '--json']);
  expect(JSON.stringify(json)).not.toContain('bypass');
});
