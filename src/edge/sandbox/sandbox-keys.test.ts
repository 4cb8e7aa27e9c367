import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HostError } from '../../base/errors.js';
import { systemClock } from '../clock.js';
import { openWorkshop } from '../processes/process-fixtures.js';
import { SandboxHost, type SandboxSettings } from './sandbox.js';
import { noSandbox } from './sandbox-fixtures.js';

const missing = await noSandbox();

/** A server that evaluates each line of its input and prints the result: a value, or an error's code. */
const EVALUATOR = `
  const fs = require('node:fs'); const net = require('node:net');
  const reach = (where) => new Promise((done) => net.connect(where).once('connect', () => done('connected'))
    .once('error', (error) => done(error.code)));
  const read = (path) => fs.statSync(path).isDirectory() ? fs.readdirSync(path).toSorted() : fs.readFileSync(path, 'utf8');
  require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
    let said; try { said = await eval(line); } catch (error) { said = error.code ?? String(error); }
    console.log(JSON.stringify(said ?? 'done'));
  });`;

interface House {
  readonly home: string;
  readonly project: string;
  readonly put: (path: string, text?: string) => string;
  readonly open: (
    settings?: SandboxSettings,
    env?: Record<string, string>,
  ) => Promise<(code: string) => Promise<unknown>>;
}

/** A home folder that a sandbox shows, so not below /tmp. */
function openHouse(): House {
  const workshop = openWorkshop();
  onTestFinished(() => workshop[Symbol.dispose]());
  const home = realpathSync(mkdtempSync('/var/tmp/plugboard-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, 'project');
  mkdirSync(project);
  return {
    home,
    project,
    put(path, text = 'hunter2') {
      const full = join(home, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
      return full;
    },
    async open(settings = {}, more = {}) {
      const env = { PATH: process.env['PATH'], HOME: home, ...more };
      const host = new SandboxHost({ env, platform: process.platform });
      const server = await host.start(
        {
          name: 'db',
          command: process.execPath,
          args: ['-e', EVALUATOR],
          cwd: project,
          env: workshop.env,
          clock: systemClock,
          registry: workshop.registry,
        },
        settings,
      );
      onTestFinished(() => server[Symbol.asyncDispose]());
      const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
      return async (code) => {
        server.stdin.write(`${code}\n`);
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`it ended: ${server.lastStderr()}`);
        return JSON.parse(value) as unknown;
      };
    },
  };
}

async function listen(path: string): Promise<void> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((done) => void server.listen(path, done));
  onTestFinished(() => void server.close());
}

/** Python source: connects one of a pair of datagram sockets to another socket. */
function turn(path: string): string {
  return [
    'import socket',
    'try:',
    '  pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)',
    `  pair[0].connect(${JSON.stringify(path)})`,
    "  print('connected', end='')",
    'except OSError as error:',
    "  print(error.errno, end='')",
  ].join('\n');
}

const look = (path: string): string => `read(${JSON.stringify(path)})`;

const KEYS = [
  '.ssh/id_ed25519',
  '.aws/credentials',
  '.gnupg/private-keys-v1.d/x.key',
  '.config/gcloud/credentials.db',
  '.kube/config',
  '.netrc',
  '.npmrc',
  '.local/share/keyrings/login.keyring',
  '.local/share/kwalletd/kdewallet.kwl',
  '.mozilla/firefox/x/logins.json',
  '.config/google-chrome/Default/Cookies',
  '.config/chromium/Default/Cookies',
  'snap/firefox/common/x',
  '.bash_history',
  '.zsh_history',
  '.local/share/fish/fish_history',
  '.python_history',
  '.claude.json',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.codex/config.toml',
  '.cursor/mcp.json',
  '.gemini/settings.json',
  '.copilot/mcp-config.json',
  '.codeium/windsurf/mcp_config.json',
  '.cargo/credentials.toml',
  '.config/rclone/rclone.conf',
  '.config/goose/config.yaml',
  '.config/zed/settings.json',
  '.config/Code/User/mcp.json',
  '.config/Code - Insiders/User/mcp.json',
  '.m2/settings.xml',
  '.s3cfg',
  '.boto',
  '.terraformrc',
  '.yarnrc.yml',
];

describe.skipIf(missing !== undefined)(`the keys of the user${missing === undefined ? '' : ` (${missing})`}`, () => {
  test.each<[string, SandboxSettings]>([
    ['without network', {}],
    ['with the network', { network: true }],
    ['where it may write beside them', { network: true, write: ['~/.config', '~/.local', '~/.claude'] }],
  ])('are not seen from a sandbox %s, while the rest of the home folder is', async (_, settings) => {
    const { open, put, home } = openHouse();
    for (const key of KEYS) put(key);
    put('notes.txt', 'milk');
    put('.config/app/settings', 'blue');
    symlinkSync('notes.txt', join(home, 'link.txt'));
    const ask = await open(settings);
    const hidden = settings.write ? ['ENOENT', 'EACCES'] : ['ENOENT'];
    const outcomes = await Promise.all(KEYS.map(async (key) => [key, await ask(look(join(home, key)))]));
    expect(outcomes.filter(([, outcome]) => !hidden.includes(String(outcome)))).toEqual([]);
    expect(await ask(look(join(home, 'notes.txt')))).toBe('milk');
    expect(await ask(look(join(home, 'link.txt')))).toBe('milk');
    expect(await ask(look(join(home, '.config/app/settings')))).toBe('blue');
    expect(await ask(`fs.writeFileSync(${JSON.stringify(join(home, 'x'))}, 'x')`)).toBe('EROFS');
  });

  test('are not seen either when they are made, or replaced, while the server runs', async () => {
    const { open, put, home } = openHouse();
    put('.npmrc');
    put('.claude/.credentials.json');
    put('.cargo/bin/tool');
    const ask = await open({ network: true });
    renameSync(put('.npmrc.new', 'changed'), join(home, '.npmrc'));
    put('.ssh/id_ed25519');
    put('.netrc');
    renameSync(put('.claude/new', 'changed'), join(home, '.claude/.credentials.json'));
    put('.cargo/credentials.toml');
    const later = ['.claude/.credentials.json', '.cargo/credentials.toml'];
    for (const key of ['.npmrc', '.ssh/id_ed25519', '.netrc', ...later])
      expect(await ask(look(join(home, key)))).toBe('ENOENT');
  });

  test('are hidden in a home folder that is too full to be made anew', async () => {
    const { open, put, home } = openHouse();
    for (let index = 0; index < 301; index++) put(`file-${index}`, 'x');
    for (const key of KEYS) put(key);
    const ask = await open({ network: true });
    const outcomes = await Promise.all(KEYS.map((key) => ask(look(join(home, key)))));
    expect(outcomes.filter((outcome) => outcome !== 'ENOENT' && outcome !== 'EACCES')).toEqual([]);
    expect(await ask(look(join(home, 'file-300')))).toBe('x');
  });

  test('are hidden alone: what programs need beside them is seen, and a key that an entry names', async () => {
    const { open, put, home } = openHouse();
    const beside = ['.cargo/bin/tool', '.claude/plugins/x/server.js', '.cursor/extensions/x', '.m2/repository/x.jar'];
    for (const path of beside) put(path, 'needed');
    for (const key of KEYS) put(key);
    const ask = await open({ read: ['~/.codex/auth.json', '~/.s3cfg'], write: ['~/.claude/plugins/x'] });
    for (const path of beside) expect(await ask(look(join(home, path)))).toBe('needed');
    for (const key of ['.codex/auth.json', '.s3cfg']) expect(await ask(look(join(home, key)))).toBe('hunter2');
    expect(await ask(look(join(home, '.codex/config.toml')))).toBe('ENOENT');
    expect(await ask(look(join(home, '.claude/.credentials.json')))).toBe('ENOENT');
    expect(await ask(`fs.writeFileSync(${JSON.stringify(join(home, '.claude/plugins/x/y'))}, 'x')`)).toBe('done');
    expect(await ask(`fs.writeFileSync(${JSON.stringify(join(home, '.cargo/x'))}, 'x')`)).toBe('EROFS');
  });

  test('are hidden where links and variables say that they are', async () => {
    const { open, put, home } = openHouse();
    put('dotfiles/ssh/id_ed25519');
    put('dotfiles/npmrc');
    put('secrets/history');
    symlinkSync('dotfiles/ssh', join(home, '.ssh'));
    symlinkSync('dotfiles/npmrc', join(home, '.npmrc'));
    symlinkSync('/dev/null', join(home, '.bash_history'));
    const ask = await open({}, { HISTFILE: join(home, 'secrets/history') });
    expect(await ask(look(join(home, '.ssh/id_ed25519')))).toBe('ENOENT');
    expect(await ask(look(join(home, 'dotfiles/ssh')))).toEqual([]);
    expect(await ask(look(join(home, 'dotfiles/npmrc')))).toBe('EACCES');
    expect(await ask(look(join(home, 'secrets/history')))).toBe('EACCES');
    expect(await ask(`fs.writeFileSync('/dev/null', 'x')`)).toBe('done');
  });

  test('are seen by a server whose entry names them, and no others', async () => {
    const { open, put, home } = openHouse();
    for (const key of KEYS) put(key);
    const known = put('.ssh/known_hosts', 'example.com');
    const ask = await open({ read: ['~/.npmrc', known, join(home, '.config/gcloud'), '~/.kube/none'] });
    expect(await ask(look(join(home, '.npmrc')))).toBe('hunter2');
    expect(await ask(look(known))).toBe('example.com');
    expect(await ask(look(join(home, '.ssh')))).toEqual(['known_hosts']);
    expect(await ask(look(join(home, '.config/gcloud/credentials.db')))).toBe('hunter2');
    expect(await ask(look(join(home, '.netrc')))).toBe('ENOENT');
    const around = await open({ read: ['~', '/', '~/.config'] });
    expect(await around(look(join(home, '.ssh')))).toBe('ENOENT');
    expect(await around(look(join(home, '.config/gcloud/credentials.db')))).toBe('ENOENT');
  });

  test.each<[string, SandboxSettings, RegExp]>([
    [
      'to a place of keys',
      { write: ['~/.ssh'] },
      /sandbox\.write "~\/\.ssh" lies in \S+\/\.ssh, which a sandbox hides$/u,
    ],
    [
      'to what Plugboard keeps',
      { read: ['~/.config/plugboard'] },
      /sandbox\.read \S+ lies in \S+, Plugboard's own folder$/u,
    ],
    ['beside what is given', { write: ['~/b'], writeWithin: ['~/a'] }, /where requireSandbox lets no server write$/u],
  ])('are not given away: a server does not start with a way %s', async (_, settings, message) => {
    const { open, put } = openHouse();
    for (const path of ['.ssh/id_ed25519', '.config/plugboard/config.json', 'a/x', 'b/x']) put(path, '{}');
    const error: unknown = await open(settings).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HostError);
    expect(error).toMatchObject({ code: 'start-failed', message: expect.stringMatching(message) });
  });

  test('can be written where an entry names them for reading and for writing', async () => {
    const { open, put, home } = openHouse();
    put('.aws/credentials');
    const ask = await open({ read: ['~/.aws'], write: ['~/.aws'] });
    expect(await ask(`fs.writeFileSync(${JSON.stringify(join(home, '.aws/config'))}, 'x')`)).toBe('done');
  });

  test('do not keep a server from its own folder, wherever in the home folder that is', async () => {
    const { open, put, project, home } = openHouse();
    put('project/package.json', '{}');
    put('data/x');
    const ask = await open({ write: ['.', '~/data'] });
    expect(await ask('process.cwd()')).toBe(project);
    expect(await ask(`fs.writeFileSync('out', 'x')`)).toBe('done');
    expect(await ask(`fs.writeFileSync(${JSON.stringify(join(home, 'data/y'))}, 'x')`)).toBe('done');
    expect(await ask(`read('package.json')`)).toBe('{}');
  });
});

describe.skipIf(missing !== undefined)(
  `sockets of other programs${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    test('are out of reach, also those that are made after the start, and abstract ones with the network on', async () => {
      const { open, project } = openHouse();
      const ask = await open({ network: true, write: ['.'] });
      const path = join(project, 'agent.sock');
      const abstract = `\0plugboard-test-${process.pid}`;
      await listen(path);
      await listen(abstract);
      expect(await ask(`reach(${JSON.stringify(path)})`)).toBe('EAFNOSUPPORT');
      expect(await ask(`reach(${JSON.stringify(abstract)})`)).toBe('EAFNOSUPPORT');
      const run = `require('node:child_process').spawnSync('python3', ['-c', ${JSON.stringify(turn(path))}], { encoding: 'utf8' })`;
      // 97 is EAFNOSUPPORT. Without Python the test passes.
      expect(await ask(`{ const { stdout, error } = ${run}; error ? '97' : stdout }`)).toBe('97');
    });

    test('that are open in a place of keys keep no server from starting', async () => {
      const { open, put, home } = openHouse();
      put('.gnupg/x');
      put('.config/gh/x');
      put('.config/plugboard/x');
      const paths = ['.gnupg/S.gpg-agent', '.config/gh/agent.sock', '.config/plugboard/host.sock', 'top.sock'];
      for (const path of paths) await listen(join(home, path));
      const ask = await open({ sockets: true });
      const outcomes = await Promise.all(paths.map((path) => ask(`reach(${JSON.stringify(join(home, path))})`)));
      expect(outcomes).toEqual(['ENOENT', 'ENOENT', 'ENOENT', 'ECONNREFUSED']);
    });

    test('are in reach of a server whose entry asks for sockets: that is what the word means', async () => {
      const { open, project } = openHouse();
      const ask = await open({ sockets: true });
      const path = join(project, 'agent.sock');
      await listen(path);
      expect(await ask(`reach(${JSON.stringify(path)})`)).toBe('connected');
    });

    test('are not needed for what programs do among themselves', async () => {
      const { open } = openHouse();
      const ask = await open({});
      const child = `const { spawn } = require('node:child_process');`;
      const run = `new Promise((done) => { ${child} spawn(process.execPath, ['-e', 'process.stdout.write("hi")']).stdout.on('data', (text) => done(String(text))); })`;
      expect(await ask(run)).toBe('hi');
      const ipc = `new Promise((done) => { ${child} const it = spawn(process.execPath, ['-e', 'process.send("hello")'], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }); it.on('message', done); })`;
      expect(await ask(ipc)).toBe('hello');
    });
  },
);
