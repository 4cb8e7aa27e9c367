import { spawn } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { openWorkshop, readAll, type Workshop } from './process-fixtures.js';
import { DIAGNOSED } from '../../../test/wait-limits.js';

const STUBBORN = `for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {}); process.stdin.resume();
  setInterval(() => {}, 1000); console.log('ready');`;

/** The beginning of every host's source in these tests. */
const HOST = `
  import { systemClock as clock } from '../clock.js';
  import { ProcessRegistry } from './process-registry.js';
  import { startProcess } from './process-tree.js';
  const listenersBefore = process.listenerCount('exit');
  const listeners = () => process.listenerCount('exit') - listenersBefore;
  const registry = new ProcessRegistry();
  const standard = { name: 'db', command: process.execPath, args: process.argv.slice(2), cwd: '/', env: process.env, clock, registry };
  const start = (options) => startProcess({ ...standard, ...options });
  const ready = (server) => new Promise((done) => server.stdout.once('data', done));
  const text = async (stream) => { let all = ''; for await (const chunk of stream) all += chunk; return all; };
`;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a host in a process of its own; `shell` is run by its parent before. */
async function run(workshop: Workshop, source: string, shell = ':'): Promise<Ended> {
  const host = await workshop.bundle(HOST + source);
  const server = workshop.script(STUBBORN);
  const child = spawn('/bin/bash', ['-c', `${shell}; exec "$@"`, 'bash', process.execPath, host, server], {
    env: workshop.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((done) => {
    child.once('exit', done);
  });
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
  return { code: await code, stdout, stderr };
}

test.concurrent.each([
  ['that calls process.exit', 'process.exit(5)', 5],
  ['that fails by an error nobody caught', 'setTimeout(() => { throw new Error("mine"); }, 10)', 1],
  [
    'that exits in the middle of closing its servers',
    'void servers[0][Symbol.asyncDispose](); setTimeout(() => process.exit(5), 100)',
    5,
  ],
])('a host %s leaves no server', async (_title, end, code) => {
  using workshop = openWorkshop();
  const ended = await run(
    workshop,
    `const servers = await Promise.all([start(), start(), start()]);
     await Promise.all(servers.map(ready));
     console.log(listeners());
     ${end};`,
  );
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '1\n' });
  await vi.waitFor(() => expect(workshop.survivors()).toEqual([]), DIAGNOSED); // the kernel still has to end the killed processes
});

test.concurrent('a host that waits for nothing but its servers to be closed gets that far', async () => {
  using workshop = openWorkshop();
  const ended = await run(
    workshop,
    `const server = await start();
     await ready(server);
     await server[Symbol.asyncDispose]();
     console.log('closed', listeners());`,
  );
  expect(ended).toEqual({ code: 0, stdout: 'closed 0\n', stderr: '' });
  expect(workshop.survivors()).toEqual([]);
});

test.concurrent('it gets that far when only a grandchild without pipes is left, too', async () => {
  using workshop = openWorkshop();
  const stubborn = workshop.script(STUBBORN);
  const parent = workshop.script(`import { spawn } from 'node:child_process';
    spawn(process.execPath, [${JSON.stringify(stubborn)}], { stdio: ['pipe', 'pipe', 'ignore'] }).stdout.once('data', () => process.exit(0))`);
  const ended = await run(
    workshop,
    `const server = await start({ args: [${JSON.stringify(parent)}] });
     await server.exited;
     server.stdout.destroy();
     await server[Symbol.asyncDispose]();
     console.log('closed');`,
  );
  expect(ended).toEqual({ code: 0, stdout: 'closed\n', stderr: '' });
  expect(workshop.survivors()).toEqual([]);
});

test.concurrent('what the parent of the host left open leads nowhere for a server', async () => {
  using workshop = openWorkshop();
  const ended = await run(
    workshop,
    `const server = await start({ command: '/bin/ls', args: ['-l', '/proc/self/fd'] });
     const listing = await text(server.stdout);
     for (const [, number, target] of listing.matchAll(/ (\\d+) -> (.*)$/gm)) console.log(number, target.replace(/\\d+/g, 'N'));
     await server[Symbol.asyncDispose]();`,
    'exec 5</etc/passwd 77</etc/passwd',
  );
  const lines = ended.stdout.trim().split('\n');
  expect(lines.slice(0, 3)).toEqual(['0 socket:[N]', '1 socket:[N]', '2 socket:[N]']);
  expect(lines).toContain('77 /dev/null');
  expect(lines.slice(3).filter((line) => !/^\d+ (?:\/dev\/null|\/proc\/N\/fd)$/.test(line))).toEqual([]);
});

test.concurrent('a host without descriptors to spare says so, lives on and recovers', async () => {
  using workshop = openWorkshop();
  const ended = await run(
    workshop,
    `const servers = [];
     let failure;
     while (failure === undefined && servers.length < 100) {
       await start({ command: '/bin/cat', args: [] }).then((server) => servers.push(server), (error) => (failure = error));
     }
     console.log(failure.code, failure.message, '|', failure.hint);
     await servers.pop()[Symbol.asyncDispose]();
     await servers.pop()[Symbol.asyncDispose]();
     const again = await start({ command: '/bin/cat', args: [] });
     again.stdin.write('hello');
     console.log(String(await ready(again)));
     for (const server of [...servers, again]) await server[Symbol.asyncDispose]();`,
    'ulimit -n 60',
  );
  expect(ended).toEqual({
    code: 0,
    stdout:
      'start-failed Server "db" could not be started: too many open files (EMFILE) | ' +
      'Run fewer servers at once, or raise the limit: ulimit -n\nhello\n',
    stderr: '',
  });
  expect(workshop.survivors()).toEqual([]);
});
