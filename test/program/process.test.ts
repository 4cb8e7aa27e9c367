import { type ChildProcess, spawn, spawnSync, type SpawnOptions } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, expect, test, type TestContext } from 'vitest';
import { VERSION } from '../../src/base/version.js';
import { copyProgram } from './sandbox.js';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const ADDS = FULL ? 300 : 6; // by each of two processes
const STARTS = FULL ? 100 : 3; // a start takes 100 ms
const source = resolve(import.meta.dirname, '../..');

let root: string;
let program: string;
let home: string;
let project: string;

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-process-')));
  chmodSync(root, 0o755); // a test also runs the program as another user
  program = await copyProgram(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeEach(() => {
  home = mkdtempSync(join(root, 'home-'));
  project = join(home, 'app');
  mkdirSync(join(project, '.git'), { recursive: true });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: home,
  ...more,
});

function start(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, [program, ...args], { cwd: project, env: environment(), ...options });
}

function end(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  return new Promise((done) => child.on('close', (code) => done({ code, stdout, stderr })));
}

const run = (args: readonly string[], options?: SpawnOptions): Promise<Ended> => end(start(args, options));

/** A line of shell in which $PLUGBOARD is the program. */
function shell(script: string, options: SpawnOptions = {}): Promise<Ended> {
  const env = environment({ PLUGBOARD: `${process.execPath} ${program}` });
  return end(spawn('bash', ['-c', script], { cwd: project, env, ...options }));
}

function writeUser(servers: object): void {
  mkdirSync(join(home, '.config/plugboard'), { recursive: true });
  writeFileSync(join(home, '.config/plugboard/config.json'), JSON.stringify({ mcpServers: servers }));
}

const many = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`server-${index}`, { command: 'x' }]));

test('--help and --version answer', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  const help = await run(['--help']);
  expect([help.code, help.stderr, help.stdout.startsWith(`plugboard ${VERSION}`)]).toEqual([0, '', true]);
});

test('a reader that has seen enough does not make it fail', async () => {
  writeUser(many(2000));
  const script = '$PLUGBOARD list --no-connect --json | head -c 10; echo " ${PIPESTATUS[0]}"';
  expect(await shell(script)).toEqual({ code: 0, stdout: '{"ok":true 0\n', stderr: '' });
});

test('a slow reader gets every byte', async () => {
  writeUser(many(2000));
  const { stdout, code } = await shell(
    '$PLUGBOARD list --no-connect --json | (read -r -n 1 first; printf %s "$first"; exec cat)',
  );
  const servers = (JSON.parse(stdout) as { data: { servers: unknown[] } }).data.servers;
  expect([code, servers.length]).toEqual([0, 2000]);
});

const firstLine = (text: string): string => (text === '' ? '' : `${text.split('\n')[0]}\n`);

test.each<[string, string, Ended]>([
  ['an entry', '{"command":"x"}', { code: 0, stdout: 'Added stdio MCP server s to user config\n', stderr: '' }],
  ['nothing', '', { code: 1, stdout: '', stderr: 'error: Invalid configuration for "s": is empty\n' }],
  [
    'more than a file may hold',
    ' '.repeat(1_100_000),
    { code: 1, stdout: '', stderr: 'error: stdin holds more than 1000000 bytes\n' },
  ],
])('add-json reads %s from stdin', async (_, input, expected) => {
  const child = start(['add-json', 's', '-', '-s', 'user']);
  child.stdin!.on('error', () => {}); // the program may close stdin before it has read everything
  child.stdin!.end(input);
  const { code, stdout, stderr } = await end(child);
  expect({ code, stdout: firstLine(stdout), stderr: firstLine(stderr) }).toEqual(expected);
});

test('a question is never asked when stdin is no terminal', async () => {
  writeFileSync(join(project, '.mcp.json'), '{ "mcpServers": { "db": { "command": "x" } } }');
  const child = start(['approve']);
  child.stdin!.end('y\n');
  const { code, stderr } = await end(child);
  expect([code, stderr.split('\n')[0]]).toEqual([5, 'error: Cannot ask you about "db": no terminal']);
});

test('without HOME it still lists, and a user without any home is told what to set', async (context) => {
  const strict = ['--strict-mcp-config', '--mcp-server', 'a={"command":"x"}'];
  const bare = await run(['list', '--no-connect', ...strict], { env: { PATH: process.env['PATH'] } });
  expect([bare.code, bare.stdout.split('\n')[1]]).toEqual([0, expect.stringMatching(/^• a +configured /u)]);
  if (process.getuid?.() !== 0) context.skip('only root can run as a user without a home');
  chmodSync(home, 0o755);
  const nobody = { uid: 65_432, gid: 65_432, env: { PATH: process.env['PATH'] } };
  expect((await run(['list', '--no-connect'], nobody)).code).toBe(0);
  const { code, stdout, stderr } = await run(['add', 's', '--', 'x'], nobody);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: There is no config folder to write to: no home folder is known\n  → Set HOME or XDG_CONFIG_HOME to an absolute path\n',
  });
  expect((await run(['doctor', '--json'], nobody)).code).toBe(3);
  expect(await run(['value', '--json'], nobody)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('There is no ledger of turns and calls: no home folder is known'),
  });
});

test('a read-only home can be listed, and a change says that it was not kept', async (context) => {
  writeUser({ a: { command: 'node' } });
  const mount = `mount --bind "$HOME" "$HOME" && mount -o remount,ro,bind "$HOME" && cd "$HOME/app"`;
  skipUnless(context, 'unshare', ['-m', 'sh', '-c', mount]);
  const inside = (args: string): Promise<Ended> => shell(`unshare -m sh -c '${mount} && exec $PLUGBOARD ${args}'`);
  const listed = await inside('list --no-connect');
  expect([listed.code, listed.stdout.split('\n')[1], listed.stderr]).toEqual([
    0,
    expect.stringMatching(/^• a +configured /u),
    '',
  ]);
  const before = readFileSync(join(home, '.config/plugboard/config.json'), 'utf8');
  for (const args of ['add s -- x', 'add s -s user -- x', 'remove a', 'disable a']) {
    const { code, stdout, stderr } = await inside(args);
    expect([args, code, stdout]).toEqual([args, 1, '']);
    expect(stderr).toMatch(/read-only/iu);
    expect(stderr).not.toContain('Plugboard itself failed');
  }
  expect(readFileSync(join(home, '.config/plugboard/config.json'), 'utf8')).toBe(before);
  expect((await inside('doctor --no-connect')).stdout).toContain('is not writable');
});

test('in a folder that was removed the user’s own servers are still there, and why the project’s are not', async () => {
  writeUser({ a: { command: 'x' } });
  const gone = 'mkdir gone && cd gone && rmdir ../gone &&';
  const { code, stdout, stderr } = await shell(`${gone} $PLUGBOARD list --no-connect`);
  expect([code, stdout.split('\n')[1]]).toEqual([0, expect.stringMatching(/^• a +configured /u)]);
  expect(stderr).toContain('as the working folder: it does not exist');
  expect((await shell(`${gone} $PLUGBOARD --help`)).code).toBe(0);
});

test.each<[string, string, number, string]>([
  ['a closed stdout', '$PLUGBOARD list --no-connect >&-', 0, ''],
  ['a closed stdout and stderr', '$PLUGBOARD get nobody >&- 2>&-', 1, ''],
  ['a full disk', '$PLUGBOARD list --no-connect > /dev/full', 1, 'Plugboard could not write its output: ENOSPC\n'],
  [
    'a full disk, in JSON',
    '$PLUGBOARD list --no-connect --json > /dev/full',
    1,
    'Plugboard could not write its output: ENOSPC\n',
  ],
  ['a closed stdin', '$PLUGBOARD list --no-connect <&-', 0, ''],
  ['no columns', 'COLUMNS=0 $PLUGBOARD list --no-connect', 0, ''],
])('%s is no reason to crash', async (_, script, code, stderr) => {
  const ended = await shell(script);
  expect([ended.code, ended.stderr.includes('    at ')]).toEqual([code, false]);
  expect(ended.stderr).toContain(stderr);
});

/** A program that adds servers in a tight loop: more contention than any shell produces. */
async function buildCrowd(): Promise<string> {
  const outfile = join(root, 'crowd.mjs');
  const contents = `
    import { run } from './src/cli/run.js';
    const output = (stream) => ({ isTerminal: false, columns: 80, write: (text) => void stream.write(text) });
    const io = { env: process.env, stdout: output({ write() {} }), stderr: output(process.stderr), now: () => new Date() };
    for (let index = 1; index <= ${ADDS}; index++) {
      process.exitCode ||= await run(['add', process.argv[2] + index, '-s', 'user', '--', 'x'], io);
    }`;
  await build({
    stdin: { contents, resolveDir: source },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
  });
  return outfile;
}

test.each<[string, number, () => Promise<(letter: string) => string>]>([
  [
    'a shell starts again and again',
    STARTS,
    async () => (letter) =>
      `for i in $(seq ${STARTS}); do $PLUGBOARD add ${letter}$i -s user -- x >/dev/null || exit 1; done`,
  ],
  [
    'never pause',
    ADDS,
    async () => {
      const crowd = await buildCrowd();
      return (letter) => `${process.execPath} ${crowd} ${letter}`;
    },
  ],
])('two processes that %s and add %i servers each lose none', async (_, count, prepare) => {
  const command = await prepare();
  const ended = await Promise.all([shell(command('a')), shell(command('b'))]);
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  const text = readFileSync(join(home, '.config/plugboard/config.json'), 'utf8');
  const { mcpServers } = JSON.parse(text) as { mcpServers: object };
  const expected = ['a', 'b'].flatMap((letter) =>
    Array.from({ length: count }, (__, index) => `${letter}${index + 1}`),
  );
  expect(Object.keys(mcpServers).toSorted()).toEqual(expected.toSorted());
});

/** The bundled dependencies that a run has loaded. */
async function vendorsOf(args: readonly string[]): Promise<string[]> {
  const hook = join(home, 'hook.cjs');
  const report = join(home, 'loaded.json');
  const loaded = `Object.keys(require.cache).filter((file) => file.includes('/dist/vendor/'))`;
  writeFileSync(
    hook,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(report)}, JSON.stringify(${loaded})));`,
  );
  const { code, stderr } = await run(args, { env: environment({ NODE_OPTIONS: `--require=${hook}` }) });
  expect([code, stderr]).toEqual([0, '']);
  return (JSON.parse(readFileSync(report, 'utf8')) as string[]).map((file) => file.replace(/^.*\//u, ''));
}

test.each<[string, string, readonly string[], readonly string[]]>([
  ['--help', '{}', ['--help'], []],
  ['--version', '{}', ['--version'], []],
  ['the help of a verb', '{}', ['add', '--help'], []],
  ['a list of plain JSON', '{ "mcpServers": { "a": { "command": "x" } } }', ['list', '--no-connect'], []],
  [
    'a list in JSON',
    '{ "mcpServers": { "a": { "url": "https://a.example" } } }',
    ['list', '--no-connect', '--json'],
    [],
  ],
  ['a list of JSON with comments', '{ /* mine */ "mcpServers": {} }', ['list', '--no-connect'], []],
  ['a list of JSON with a mistake', '{ "mcpServers": ', ['list', '--quiet'], ['jsonc-parser.js']],
])('%s reads no dependency that it does not need', async (_, text, args, expected) => {
  mkdirSync(join(home, '.config/plugboard'), { recursive: true });
  writeFileSync(join(home, '.config/plugboard/config.json'), text);
  expect(await vendorsOf(args)).toEqual(expected);
});

function skipUnless(context: TestContext, command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { env: environment(), encoding: 'utf8' });
  if (status !== 0) context.skip(`${command} does not work here: ${stderr}`);
}

test('a server that fails at once is an answer every time, never silence', async () => {
  const scripts = ['echo boom >&2; exit 3', 'read x; echo boom >&2; exit 3', 'exit 3', 'read x; exit 3'];
  for (const script of FULL ? [...scripts, ...scripts, ...scripts] : scripts) {
    const { code, stdout } = await run(['tools', '--json', '--', 'sh', '-c', script]);
    expect([script, code]).toEqual([script, 1]);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      error: { code: 'connection-closed', message: /exited with code 3/u },
    });
    expect(stdout.includes('boom')).toBe(script.includes('boom'));
  }
});

test('a server that still talks on stderr while it is closed takes no answer away', async () => {
  const server = join(source, 'demo/servers/notes.mjs');
  const script = `process.stdin.on('end', () => console.error('bye')); await import(${JSON.stringify(server)});`;
  for (let turn = 0; turn < (FULL ? 8 : 3); turn++) {
    const words = ['call', 'list_notes', '--', process.execPath, '--input-type=module', '-e', script];
    expect(await run(words)).toMatchObject({ code: 0, stdout: 'bread\ncoffee\n' });
  }
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s during a call cancels it and leaves no server behind', async (signal) => {
  const stubborn = `for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => {}); setInterval(() => {}, 1000);`;
  const child = start(['tools', '--', process.execPath, '-e', `console.error(process.pid); ${stubborn}`]);
  const ended = end(child);
  const log = join(home, '.local/state/plugboard/logs/node.log');
  let pid = 0;
  while (pid === 0) {
    await new Promise((done) => setTimeout(done, 20));
    pid = existsSync(log) ? Number(readFileSync(log, 'utf8')) : 0;
  }
  child.kill(signal);
  expect((await ended).code).toBe(130);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('of two servers that a name may mean, one that fails does not stand in the way', async () => {
  const server = { command: process.execPath, args: [join(source, 'demo/servers/notes.mjs')] };
  const config = JSON.stringify({ mcpServers: { git: { command: '/nonexistent' }, git__hub: server } });
  const { code, stdout } = await run(['call', 'mcp__git__hub__list_notes', '--mcp-config', config]);
  expect([code, stdout]).toEqual([0, 'bread\ncoffee\n']);
});
