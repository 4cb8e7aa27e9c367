import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HostError } from '../../base/errors.js';
import { firstLine, openWorkshop, readAll, type Workshop } from '../processes/process-fixtures.js';
import type { StartProcessOptions } from '../processes/process-tree.js';
import { SandboxHost, type SandboxedProcess, type SandboxSettings } from './sandbox.js';
import { toSandboxArguments } from './sandbox-arguments.js';
import { noSandbox } from './sandbox-fixtures.js';
import { plainSandbox } from './sandbox-plan.js';
import { HeldClock } from '../../../test/held-clock.js';
import { DIAGNOSED } from '../../../test/wait-limits.js';
import { systemClock } from '../clock.js';
import { onDisk } from '../../../test/on-disk.js';

const missing = await noSandbox();
onDisk();

interface Scene {
  readonly workshop: Workshop;
  /** The server's working directory, in the temporary folder. */
  readonly project: string;
  /** A folder of Plugboard's secrets. */
  readonly secret: string;
  readonly start: (
    source: string,
    settings?: SandboxSettings,
    options?: Partial<StartProcessOptions>,
  ) => Promise<SandboxedProcess>;
  /** Runs a script; returns the value of `answer`. In it, `tried(f)` is the result of f, or the error's code. */
  readonly ask: (
    source: string,
    settings?: SandboxSettings,
    options?: Partial<StartProcessOptions>,
  ) => Promise<unknown>;
}

const PRELUDE = `
  const fs = require('node:fs'); const net = require('node:net');
  const tried = (f) => { try { return f() ?? 'done'; } catch (error) { return error.code; } };
  const reach = (where) => new Promise((done) => net.connect(where).once('connect', () => done('connected'))
    .once('error', (error) => done(error.code)));`;

function openScene(): Scene {
  const workshop = openWorkshop();
  onTestFinished(() => workshop[Symbol.dispose]());
  const project = join(workshop.folder, 'project');
  const home = join(workshop.folder, 'home');
  mkdirSync(project);
  const secret = join(home, '.local/state/plugboard');
  mkdirSync(secret, { recursive: true });
  writeFileSync(join(secret, 'tokens.json'), 'hunter2');
  const host = new SandboxHost({ env: { PATH: process.env['PATH'], HOME: home }, platform: process.platform });
  const standard = { name: 'db', command: process.execPath, cwd: project, env: workshop.env, clock: systemClock };
  const start: Scene['start'] = (source, settings = {}, options = {}) => {
    const args = ['-e', `${PRELUDE}\n${source}`];
    return host.start({ ...standard, args, registry: workshop.registry, ...options }, settings);
  };
  return {
    workshop,
    project,
    secret,
    start,
    async ask(source, settings, options) {
      const script = `(async () => console.log(JSON.stringify(await (${source}))))()`;
      await using server = await start(script, settings, options);
      const text = await readAll(server.stdout);
      if (text === '') throw new Error(`it said nothing but: ${server.lastStderr()}`);
      return JSON.parse(text) as unknown;
    },
  };
}

const write = (path: string): string => `tried(() => fs.writeFileSync(${JSON.stringify(path)}, 'x'))`;

async function failure(promise: Promise<unknown>): Promise<HostError> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  if (error instanceof HostError) return error;
  throw new Error(`expected a HostError, got ${String(error)}`);
}

async function listen(where: string | number): Promise<Server> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((done) => void server.listen(where, ...(where === 0 ? ['127.0.0.1' as never] : []), done));
  onTestFinished(() => void server.close());
  return server;
}

describe.skipIf(missing !== undefined)(`a server in a sandbox${missing === undefined ? '' : ` (${missing})`}`, () => {
  test('writes nowhere but in a /tmp of its own, which nobody else sees', async () => {
    const { ask, project } = openScene();
    const mark = `plugboard-mark-${process.pid}`;
    const places = [`/etc/${mark}`, `/usr/${mark}`, join(project, mark), '/proc/sys/vm/drop_caches', `/tmp/${mark}`];
    const [tmp, ...others] = ((await ask(`[${places.map(write).join(',')}]`)) as string[]).toReversed();
    expect(tmp).toBe('done');
    expect(others.every((code) => ['EROFS', 'EACCES'].includes(code))).toBe(true);
    expect(places.filter((path) => !path.startsWith('/proc') && existsSync(path))).toEqual([]);
  });

  test('writes where its entry says so, beside what it may only read', async () => {
    const { ask, project } = openScene();
    mkdirSync(join(project, 'out'));
    const source = `[tried(() => fs.writeFileSync('out/a', 'x')), tried(() => fs.writeFileSync('b', 'x')), process.cwd()]`;
    expect(await ask(source, { write: ['out'] })).toEqual(['done', 'EROFS', project]);
    expect(readFileSync(join(project, 'out/a'), 'utf8')).toBe('x');
    expect(await ask(`tried(() => fs.writeFileSync('b', 'x'))`, { write: ['.'] })).toBe('done');
    expect(existsSync(join(project, 'b'))).toBe(true);
  });

  test('does not see what Plugboard keeps, not even where it may write all around it', async () => {
    const { ask, secret } = openScene();
    const source = `fs.readdirSync(${JSON.stringify(secret)})`;
    expect(await ask(source)).toEqual([]);
    expect(await ask(source, { write: [join(secret, '../..')] })).toEqual([]);
  });

  test('has no network unless it asks for one', async () => {
    const { ask } = openScene();
    const server = await listen(0);
    const { port } = server.address() as { port: number };
    const source = `reach({ host: '127.0.0.1', port: ${port} })`;
    expect(await ask(source)).toBe('ECONNREFUSED');
    expect(await ask(source, { network: true })).toBe('connected');
  });

  test('cannot talk to programs of the machine through a socket in the file system', async () => {
    const { ask, project } = openScene();
    const path = join(project, 'docker.sock');
    await listen(path);
    const source = `reach(${JSON.stringify(path)})`;
    const outcomes = await Promise.all(
      [{}, { network: true }, { write: ['.'] }].map((settings) => ask(source, settings)),
    );
    expect(outcomes).toEqual(['EAFNOSUPPORT', 'EAFNOSUPPORT', 'EAFNOSUPPORT']);
    expect(await ask(source, { sockets: true })).toBe('ECONNREFUSED');
    expect(await ask(source, { write: ['docker.sock'] })).toBe('connected');
    expect(await ask(`fs.readdirSync('/run').filter((name) => fs.lstatSync('/run/' + name).isDirectory())`)).toEqual(
      [],
    );
  });

  test('has the environment that it was given, and sees no process but its own', async () => {
    const { ask, workshop } = openScene();
    const env = { ...workshop.env, TOKEN: 'hunter2', LD_LIBRARY_PATH: '/nowhere', ODD: ' a=b\n$(x) ' };
    const given = (await ask('process.env', {}, { env })) as Record<string, string>;
    expect(given).toMatchObject(env);
    const added = Object.keys(given).filter((name) => !Object.hasOwn(env, name));
    expect(added.toSorted()).toEqual(['PLUGBOARD_HOST', 'PWD']);
    expect(await ask(`fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length`)).toBeLessThanOrEqual(2);
  });

  test.each([
    ['process.exit(3)', { code: 3, signal: null }],
    ['process.exit(0)', { code: 0, signal: null }],
    ['process.kill(process.pid, "SIGKILL")', { code: null, signal: 'SIGKILL' }],
    ['process.kill(process.pid, "SIGTERM")', { code: null, signal: 'SIGTERM' }],
  ])('ends as it does outside: %s', async (source, exit) => {
    const server = await openScene().start(source);
    expect(await server.exited).toEqual(exit);
    expect(server.verdict()).toBeUndefined();
    await server[Symbol.asyncDispose]();
  });

  test('that fails for want of Unix sockets says what to write', async () => {
    const server = await openScene().start(`net.createServer().listen('/tmp/own.sock')`);
    expect(await server.exited).toEqual({ code: 1, signal: null });
    await server.drained;
    expect(server.verdict()).toEqual({
      reason: 'it may have needed a Unix socket, and its sandbox allows none',
      hint: expect.stringContaining('"sandbox": { "sockets": true }'),
    });
    await server[Symbol.asyncDispose]();
  });

  test('is asked to end before it is made to, and puts its things away', async () => {
    const { start, project, workshop } = openScene();
    const clock = new HeldClock(500);
    const server = await start(
      `process.on('SIGINT', () => { fs.writeFileSync('bye', 'bye'); process.exit(7); });
       setInterval(() => {}, 1000); console.log('up');`,
      { write: ['.'] },
      { clock },
    );
    await firstLine(server.stdout);
    const closed = server[Symbol.asyncDispose]();
    await clock.lapse(500); // for the end of stdin, which the server ignores
    await closed;
    expect(await server.exited).toEqual({ code: 7, signal: null });
    expect(readFileSync(join(project, 'bye'), 'utf8')).toBe('bye');
    expect(workshop.survivors()).toEqual([]);
  });

  test('takes everything with it that it started, sessions of their own included', async () => {
    const { start, workshop } = openScene();
    const deaf = `for (const s of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(s, () => {}); console.log('up'); setInterval(() => {}, 1000)`;
    const server = await start(`
      const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(deaf)}],
        { detached: true, stdio: ['ignore', 'inherit', 'ignore'] });
      process.stdin.resume().once('end', () => process.exit(0));`);
    await firstLine(server.stdout);
    expect(workshop.survivors().length).toBeGreaterThan(2);
    await server[Symbol.asyncDispose]();
    expect(workshop.survivors()).toEqual([]);
  });

  test('is gone when its host is killed, without anybody’s help', async () => {
    const { workshop } = openScene();
    const words = [...toSandboxArguments(plainSandbox({ network: false })), '--', process.execPath, '-e', DEAF];
    const script = `
      const child = require('node:child_process').spawn('bwrap', ${JSON.stringify(words)}, { detached: true });
      child.stdout.pipe(process.stdout);`;
    const host: ChildProcess = spawn(process.execPath, ['-e', script], { env: workshop.env });
    await firstLine(host.stdout!);
    expect(workshop.survivors().length).toBeGreaterThan(3);
    host.kill('SIGKILL');
    await expect.poll(() => workshop.survivors(), DIAGNOSED).toEqual([]);
  });

  test('is started by its path, whatever is in it', async () => {
    const { start, workshop } = openScene();
    const folder = join(workshop.folder, 'a=b $(c)');
    mkdirSync(folder);
    const command = workshop.script('#!/bin/sh\nprintf %s "$1"', 'a=b $(c)/it');
    const server = await start('', {}, { command, args: ['--x "$HOME" `y`'], cwd: workshop.folder });
    expect(await readAll(server.stdout)).toBe('--x "$HOME" `y`');
    await server[Symbol.asyncDispose]();
  });

  test.each<[what: string, write: string, message: RegExp, hint: RegExp]>([
    [
      'is not there',
      'no/such',
      /sandbox\.write "no\/such" leads to \S+\/project\/no\/such, which does not exist$/u,
      /mkdir -p/u,
    ],
    ['is not at home', '~/x', /"~\/x" leads to \S+\/home\/x, which does not exist$/u, /mkdir -p \S+\/home\/x/u],
    ['is everything', '/', /"\/" is the whole file system$/u, /Name the folders in it/u],
    ['is the home folder', '~', /"~" is your home folder$/u, /Name the folders in it/u],
    ['holds the home folder', '..', /"\.\." holds your home folder \S+\/home$/u, /Name the folders in it/u],
    ['holds the home that the system knows', dirname(userInfo().homedir), /is the whole|holds your home/u, /Name/u],
    [
      'is a link out of the project',
      'link',
      /"link" is a link that leads out of \S+\/project, to \/etc$/u,
      /full path/u,
    ],
    ['is the system’s', '/proc/sys', /"\/proc\/sys" lies in \/proc, which belongs to the system$/u, /Take it out/u],
    ['is Plugboard’s own', '../home/.local/state/plugboard', /lies in \S+, Plugboard's own folder$/u, /Take it out/u],
  ])('does not start with a writable path that %s', async (_, path, message, hint) => {
    const { start, project } = openScene();
    symlinkSync('/etc', join(project, 'link'));
    const error = await failure(start('', { write: [path] }));
    expect([error.code, error.message, error.hint]).toEqual([
      'start-failed',
      expect.stringMatching(message),
      expect.stringMatching(hint),
    ]);
  });

  test('does not start in a folder that it would not see, or that is not there', async () => {
    const { start, secret } = openScene();
    expect((await failure(start('', {}, { cwd: secret }))).message).toMatch(
      /its working directory \S+ lies in \S+, which a sandbox hides$/u,
    );
    expect((await failure(start('', {}, { cwd: '/no/such' }))).message).toContain(
      'its working directory /no/such does not exist',
    );
  });
});

const DEAF = `
  for (const s of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(s, () => {});
  require('node:child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  console.log('up'); setInterval(() => {}, 1000);`;
