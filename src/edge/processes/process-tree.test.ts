import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { nextTurn } from '../clock.js';
import { childEnvironment } from './child-environment.js';
import { MARK_VARIABLE } from './process-mark.js';
import { firstLine, openWorkshop, readAll, type Workshop } from './process-fixtures.js';
import type { ServerProcess } from './process-tree.js';
import { StderrRedactor } from '../logs/stderr-redactor.js';
import { turn } from '../../../test/fake-clock.js';
import { HeldClock } from '../../../test/held-clock.js';
import { DIAGNOSED } from '../../../test/wait-limits.js';

const ALIVE = 'setInterval(() => {}, 1000);';
const READY = 'console.log("ready");';
const STUBBORN = `for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {}); process.stdin.resume(); ${ALIVE}`;
/** A child in the same group that only SIGKILL ends, and that holds stdout open. */
const GRANDCHILD = `import { spawn } from 'node:child_process';
  const code = "for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {}); setInterval(() => {}, 1000); console.log('ready')";
  spawn(process.execPath, ['-e', code], { stdio: 'inherit' });`;
/** Silence after which the output of an exited server counts as complete. */
const QUIET_MS = 200;
const LAST_WORDS = `import { writeSync } from 'node:fs'; writeSync(1, 'x'.repeat(60_000)); process.exit(1)`;

interface Ending {
  readonly code?: number;
  readonly signal?: string;
  /** The timeouts that pass before it ends, in milliseconds. */
  readonly waits?: readonly number[];
}

/**
 * Starts a server, waits until it is ready and closes it: checks how it ends, the timeouts, and that nothing is left.
 */
async function check(source: string, { code = 0, signal, waits = [] }: Ending): Promise<void> {
  using workshop = openWorkshop();
  const clock = new HeldClock(500);
  const server = await workshop.serve(source, { clock });
  await firstLine(server.stdout);
  const closed = server[Symbol.asyncDispose]();
  for (const ms of waits) await clock.lapse(ms);
  await closed;
  expect(workshop.survivors()).toEqual([]);
  expect(await server.exited).toEqual(signal === undefined ? { code, signal: null } : { code: null, signal });
}

test('a flood of stderr leaves the event loop a turn between any two chunks of it', async () => {
  const push = vi.spyOn(StderrRedactor.prototype, 'push');
  using workshop = openWorkshop();
  const server = await workshop.serve(`process.stderr.write('x'.repeat(2_000_000))`);
  const over = new AbortController();
  void server.drained.then(() => over.abort());
  const counts = [0];
  while (!over.signal.aborted) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // so that much arrives meanwhile
    await nextTurn();
    counts.push(push.mock.calls.length);
  }
  push.mockRestore();
  expect(counts.at(-1)).toBeGreaterThan(10);
  expect(counts.filter((count, at) => count - (counts[at - 1] ?? 0) > 2)).toEqual([]);
});

test('a server reads what is written to it and answers', async () => {
  using workshop = openWorkshop();
  const server = await workshop.serve('process.stdin.pipe(process.stdout)');
  server.stdin.write('hello\n');
  expect(await firstLine(server.stdout)).toBe('hello');
  await server[Symbol.asyncDispose]();
  expect(await server.exited).toEqual({ code: 0, signal: null });
  expect(server.lastStderr()).toBe('');
});

test.concurrent.each<[title: string, source: string, ending: Ending]>([
  [
    'that ends with its stdin is not signalled',
    `process.on('SIGINT', () => process.exit(9)); process.stdin.resume(); ${READY}`,
    { code: 0 },
  ],
  ['that does not look at its stdin gets SIGINT', `${READY} ${ALIVE}`, { signal: 'SIGINT', waits: [500] }],
  [
    'that cleans up at SIGINT has time for it',
    `process.on('SIGINT', () => setTimeout(() => process.exit(7), 500)); ${ALIVE} ${READY}`,
    { code: 7, waits: [500] },
  ],
  [
    'that ignores SIGINT gets SIGTERM',
    `process.on('SIGINT', () => {}); ${ALIVE} ${READY}`,
    { signal: 'SIGTERM', waits: [500, 1000] },
  ],
  ['that ignores everything is killed', `${STUBBORN} ${READY}`, { signal: 'SIGKILL', waits: [500, 1000, 1500] }],
  [
    'that is stopped is killed as well',
    `process.stdout.write('ready\\n', () => process.kill(process.pid, 'SIGSTOP')); ${ALIVE}`,
    { signal: 'SIGKILL', waits: [500, 1000, 1500] },
  ],
  [
    'takes a stubborn grandchild that holds stdout along',
    `${GRANDCHILD} ${STUBBORN}`,
    { signal: 'SIGKILL', waits: [500, 1000, 1500] },
  ],
  [
    'that ends politely takes a stubborn grandchild along',
    `${GRANDCHILD} process.stdin.resume(); process.stdin.on('end', () => process.exit(0))`,
    { code: 0 },
  ],
])('closed, a server %s', (_title, source, ending) => check(source, ending));

test.concurrent('a server that exits by itself takes its grandchild along, and its exit is told before', async () => {
  using workshop = openWorkshop();
  const clock = new HeldClock(0);
  const server = await workshop.serve(`${GRANDCHILD} process.stdin.once('data', () => process.exit(3))`, { clock });
  await firstLine(server.stdout);
  server.stdin.write('go\n');
  expect(await server.exited).toEqual({ code: 3, signal: null });
  await clock.lapse(QUIET_MS);
  await server.drained;
  expect(workshop.survivors()).toHaveLength(1); // the child still holds stdout, but `drained` did not wait for it
  clock.release();
  await vi.waitFor(() => expect(workshop.survivors()).toEqual([]), DIAGNOSED);
  await server[Symbol.asyncDispose]();
});

test.concurrent('a server that exits at once leaves its code and its reason', async () => {
  using workshop = openWorkshop();
  const server = await workshop.serve(
    `process.stderr.write('\\u001b[31mno database\\u001b[0m\\n'); process.exitCode = 3`,
  );
  expect(await server.exited).toEqual({ code: 3, signal: null });
  await server.drained;
  expect(server.lastStderr()).toBe('no database');
  await server[Symbol.asyncDispose]();
});

test.concurrent('an answer written just before the exit arrives, however late it is read', async () => {
  using workshop = openWorkshop();
  const server = await workshop.serve(LAST_WORDS);
  expect(await server.exited).toEqual({ code: 1, signal: null });
  await pause(50); // by now Node would have dropped the output
  expect(await readAll(server.stdout)).toHaveLength(60_000);
  await server.drained;
  await server[Symbol.asyncDispose]();
});

test.concurrent('who reads slowly is waited for', async () => {
  using workshop = openWorkshop();
  const clock = new HeldClock(QUIET_MS);
  const server = await workshop.serve(LAST_WORDS, { clock });
  let read = 0;
  server.stdout.on('data', (chunk: Buffer) => (read += chunk.length));
  server.stdout.pause();
  await server.exited;
  // The exit event may come before the output.
  await vi.waitFor(() => expect(server.stdout.readableLength).toBeGreaterThan(0), DIAGNOSED);
  for (let pauses = 0; pauses < 3; pauses++) await clock.lapse(QUIET_MS);
  server.stdout.resume();
  await server.drained;
  expect(read).toBe(60_000);
  await server[Symbol.asyncDispose]();
});

test.concurrent('what a child of an ended server still says is waited for, as long as it comes without a pause', async () => {
  using workshop = openWorkshop();
  // The loop outlives the shell that started it, prints a line when its file appears, and then holds stdout silently.
  const script = '(for i in 1 2 3; do until [ -e $i ]; do sleep 0.01; done; echo $i; done; sleep 60) & exit 0';
  const clock = new HeldClock(0); // so that the child is not killed meanwhile
  const server = await workshop.start({ command: '/bin/bash', args: ['-c', script], clock });
  let said = '';
  server.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  let isDrained = false;
  void server.drained.then(() => (isDrained = true));
  await server.exited;
  for (const line of ['1', '2', '3']) {
    writeFileSync(join(workshop.folder, line), '');
    await vi.waitFor(() => expect(said).toContain(line), DIAGNOSED);
    await clock.lapse(QUIET_MS);
    await turn();
    expect(isDrained).toBe(false);
  }
  await clock.lapse(QUIET_MS);
  await server.drained;
  expect(said).toBe('1\n2\n3\n');
  clock.release();
  await server[Symbol.asyncDispose]();
  expect(workshop.survivors()).toEqual([]);
});

test.concurrent('who reads nothing is not waited for once the server is closed', async () => {
  using workshop = openWorkshop();
  const server = await workshop.serve(LAST_WORDS);
  await server.exited;
  await server[Symbol.asyncDispose]();
  await server.drained;
  expect(server.stdout.destroyed).toBe(true);
});

test.concurrent('a server that closes its stdin and runs on makes writes fail and nothing else', async () => {
  using workshop = openWorkshop();
  const server = await workshop.serve(`import { closeSync } from 'node:fs'; closeSync(0); ${READY} ${ALIVE}`);
  await firstLine(server.stdout);
  const failure = await new Promise((done) => {
    server.stdin.write('hello\n', done);
  });
  expect(failure).toMatchObject({ code: 'EPIPE' });
  server.stdin.write('again\n');
  await server[Symbol.asyncDispose]();
  expect(workshop.survivors()).toEqual([]);
});

test.concurrent('a server that reads nothing is closed in spite of what waits for it', async () => {
  using workshop = openWorkshop();
  const clock = new HeldClock(500);
  const server = await workshop.serve(`${READY} ${ALIVE}`, { clock });
  await firstLine(server.stdout);
  server.stdin.write('x'.repeat(1_000_000));
  const closed = server[Symbol.asyncDispose]();
  await clock.lapse(500);
  await closed;
  expect(await server.exited).toEqual({ code: null, signal: 'SIGINT' });
});

test.concurrent('closing twice, or right after the start, is closing', async () => {
  using workshop = openWorkshop();
  const clock = new HeldClock(500);
  const server = await workshop.serve(STUBBORN, { clock });
  const closed = [server[Symbol.asyncDispose](), server[Symbol.asyncDispose]()];
  clock.release();
  await Promise.all(closed);
  await server[Symbol.asyncDispose]();
  expect(workshop.survivors()).toEqual([]);
});

test('a server sees its environment and none of the secrets of the host', async () => {
  using workshop = openWorkshop();
  const host = { ...process.env, AWS_SECRET_ACCESS_KEY: 'leak', GITHUB_TOKEN: 'leak', OPENAI_API_KEY: 'leak' };
  const env = { ...childEnvironment(host, { env: {}, platform: process.platform }), ...workshop.env };
  const server = await workshop.serve('console.log(JSON.stringify(process.env))', { env });
  const dump = await readAll(server.stdout);
  expect(JSON.parse(dump)).toEqual({ ...env, [MARK_VARIABLE]: expect.stringMatching(/^\S+;$/) });
  expect(dump).not.toContain('leak');
  await server[Symbol.asyncDispose]();
});

test('a server leads a group and a session of its own', async () => {
  using workshop = openWorkshop();
  const server = await workshop.serve(
    `import { readFileSync } from 'node:fs'; console.log(readFileSync('/proc/self/stat', 'utf8').replace(/.*\\) /s, ''))`,
  );
  const [, , group, session] = (await readAll(server.stdout)).split(' ').map(Number);
  expect([group, session]).toEqual([server.pid, server.pid]);
  await server[Symbol.asyncDispose]();
});

test('a hundred starts and closes leave no process, no descriptor and no listener', async () => {
  using workshop = openWorkshop();
  const listeners = process.listenerCount('exit');
  await cycle(workshop); // opens what Node opens only once
  const before = inventory(workshop);
  for (let round = 0; round < 25; round++) await Promise.all([1, 2, 3, 4].map(() => cycle(workshop)));
  expect(inventory(workshop)).toEqual({ ...before, listeners, processes: [] });
});

function inventory(workshop: Workshop): object {
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    listeners: process.listenerCount('exit'),
    processes: workshop.survivors(),
  };
}

async function cycle(workshop: Workshop): Promise<void> {
  const server = await workshop.start({ command: '/bin/cat', stderrFile: `${workshop.folder}/log` });
  server.stdin.write('hello\n');
  await firstLine(server.stdout);
  await server[Symbol.asyncDispose]();
}

// The system decides whether exit or output comes first: mostly, one run of three has the intended order.
test.runIf(process.platform === 'linux').each([1, 2, 3])(
  'a host that stands still when a server ends reads what it said last (%i)',
  async () => {
    using workshop = openWorkshop();
    const sayWhen = (file: string, text: string): Promise<ServerProcess> =>
      workshop.serve(
        `import { existsSync, writeSync } from 'node:fs'; while (!existsSync('${file}')); writeSync(1, '${text}');`,
      );
    const [first, second] = await Promise.all([sayWhen('one', 'x'), sayWhen('two', 'last words')]);
    let said = '';
    second.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    // One SIGCHLD reports both exits. The second is handled before its output, which came after the loop's poll.
    first.stdout.once('data', () => {
      writeFileSync(join(workshop.folder, 'two'), '');
      standStill(() => isDead(second.pid));
    });
    await turn();
    writeFileSync(join(workshop.folder, 'one'), '');
    standStill(() => isDead(first.pid));
    standStill(passed(30)); // until SIGCHLD has come as well
    await second.exited;
    standStill(passed(300));
    await second.drained;
    expect(said).toBe('last words');
    await Promise.all([first, second].map((server) => server[Symbol.asyncDispose]()));
  },
);

function standStill(until: () => boolean): void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (!until()) Atomics.wait(never, 0, 0, 1);
}

function passed(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() > until;
}

/** Whether the process is a zombie. */
function isDead(pid: number): boolean {
  return / Z /u.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
}
