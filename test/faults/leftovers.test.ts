import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  firstLine,
  killQuietly,
  openWorkshop,
  reapersOf,
  type Workshop,
} from '../../src/edge/processes/process-fixtures.js';
import { DIAGNOSED } from '../wait-limits.js';

// Faults F03 and F04: however a host ends, nothing that it started outlives it.

/**
 * A server that ignores the end of stdin and every signal, with `$1` children, a grandchild in its own session, and
 * another one that has been reparented to init.
 */
const HOSTILE = `
  trap '' HUP INT TERM QUIT
  count=0
  while [ $count -lt $1 ]; do sleep 60 & count=$((count + 1)); done
  setsid sleep 60 </dev/null >/dev/null 2>&1 &
  (setsid sleep 60 </dev/null >/dev/null 2>&1 &)
  echo ready
  exec sleep 60`;
const OFFSPRING = 3; // the server itself and the two processes that left its session
/** The long versions, for an otherwise idle machine. */
const IS_FULL = Boolean(process.env['PLUGBOARD_FULL']);
const SIZES = IS_FULL ? [20, 20, 9] : [9, 0];
const PROCESSES = SIZES.reduce((sum, children) => sum + children + OFFSPRING, 0);

const HOST = `
  import { systemClock as clock } from '../clock.js';
  import { ProcessRegistry } from './process-registry.js';
  import { startProcess } from './process-tree.js';
  const { journal, sizes, inner } = JSON.parse(process.argv[2]);
  const registry = new ProcessRegistry({ journal });
  const standard = { name: 'db', cwd: '/', env: process.env, clock, registry };
  const start = async (command, args) => {
    const server = await startProcess({ ...standard, command, args });
    await new Promise((done) => server.stdout.once('data', done));
    return server;
  };
  const shells = sizes.map((size) => start('/bin/sh', ['-c', ${JSON.stringify(HOSTILE)}, 'sh', String(size)]));
  const hosts = inner ? [start(process.execPath, [process.argv[1], JSON.stringify(inner)])] : [];
  const servers = await Promise.all([...shells, ...hosts]);
  console.log(servers.map(({ pid }) => pid).join());
  const ends = {
    exit: () => process.exit(5),
    throw: () => { throw new Error('nobody catches this'); },
    close: async () => { await Promise.all(servers.map((server) => server[Symbol.asyncDispose]())); await registry[Symbol.asyncDispose](); process.stdin.destroy(); },
  };
  process.stdin.on('data', (word) => ends[String(word)]());
`;

let builder: Workshop;
let program: string;
beforeAll(async () => {
  builder = openWorkshop();
  program = await builder.bundle(HOST);
});
afterAll(() => builder[Symbol.dispose]());

interface HostOptions {
  readonly journal?: string;
  readonly sizes: readonly number[];
  /** Options of a host that runs as a server of this host. */
  readonly inner?: HostOptions;
}

interface RunningHost {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly servers: readonly number[];
}

/** Resolves when all servers of the host run. */
async function startHost(workshop: Workshop, options: HostOptions): Promise<RunningHost> {
  const { env } = workshop;
  const child = spawn(process.execPath, [program, JSON.stringify(options)], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const servers = (await firstLine(child.stdout)).split(',').map(Number);
  return { child, pid: child.pid!, servers };
}

/** Milliseconds until no process of the workshop is left. Also waits for the host's exit and its reaper's. */
async function timeUntilNothing(workshop: Workshop, { child, pid }: RunningHost): Promise<number> {
  const before = performance.now();
  await vi.waitFor(() => expect(workshop.survivors()).toEqual([]), DIAGNOSED);
  const took = performance.now() - before;
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  await vi.waitFor(() => expect(reapersOf(pid)).toEqual([]), DIAGNOSED);
  return took;
}

test(`F03: kill -9 of a host with ${PROCESSES} hostile processes leaves none of them`, async () => {
  using workshop = openWorkshop();
  const journal = join(workshop.folder, 'processes');
  const host = await startHost(workshop, { journal, sizes: SIZES });
  await vi.waitFor(() => expect(workshop.survivors()).toHaveLength(1 + PROCESSES), DIAGNOSED);
  process.kill(host.pid, 'SIGKILL');
  const took = await timeUntilNothing(workshop, host);
  expect(took).toBeLessThan(IS_FULL ? 2000 : Infinity);
  expect(readdirSync(journal)).toEqual([]);
  console.log(`F03: ${PROCESSES} hostile processes, host killed: 0 survivors after ${took.toFixed(0)} ms`);
});

test('F04: any other end of a host leaves nothing either', async () => {
  const took = await Promise.all(
    ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit', 'throw'].map(async (end) => {
      using workshop = openWorkshop();
      const host = await startHost(workshop, { journal: join(workshop.folder, 'processes'), sizes: [2] });
      await vi.waitFor(() => expect(workshop.survivors()).toHaveLength(6), DIAGNOSED);
      if (end.startsWith('SIG')) process.kill(host.pid, end);
      else host.child.stdin!.write(end);
      const ms = await timeUntilNothing(workshop, host);
      expect(readdirSync(join(workshop.folder, 'processes'))).toEqual([]);
      return `${end} ${ms.toFixed(0)} ms`;
    }),
  );
  expect(took).toHaveLength(5);
  console.log(`F04: 0 survivors after ${took.join(', ')}`);
});

test('F03: a host that is killed together with its reaper is cleaned up after at the next start, and no living one suffers', async () => {
  using workshop = openWorkshop();
  using neighbours = openWorkshop();
  const journal = join(builder.folder, 'shared');
  const [host, neighbour] = await Promise.all([
    startHost(workshop, { journal, sizes: SIZES }),
    startHost(neighbours, { journal, sizes: [1] }),
  ]);
  await vi.waitFor(() => expect(workshop.survivors()).toHaveLength(1 + PROCESSES), DIAGNOSED);
  for (const reaper of reapersOf(host.pid)) process.kill(reaper, 'SIGKILL');
  await vi.waitFor(() => expect(reapersOf(host.pid)).toEqual([]), DIAGNOSED);
  process.kill(host.pid, 'SIGKILL');
  await once(host.child, 'exit');
  await vi.waitFor(() => expect(workshop.survivors()).toHaveLength(PROCESSES), DIAGNOSED);
  expect(readdirSync(journal)).toHaveLength(2);

  using nextWorkshop = openWorkshop();
  const before = performance.now();
  const next = await startHost(nextWorkshop, { journal, sizes: [0] });
  const took = performance.now() - before;
  await vi.waitFor(() => expect(workshop.survivors()).toEqual([]), DIAGNOSED);
  await vi.waitFor(() => expect(neighbours.survivors()).toHaveLength(1 + 1 + OFFSPRING), DIAGNOSED);
  await vi.waitFor(() => expect(readdirSync(journal)).toHaveLength(2), DIAGNOSED); // the neighbour's and the next host's
  console.log(
    `F03: ${PROCESSES} left by a host and its reaper: 0 survivors when the next one is up, ${took.toFixed(0)} ms after its start`,
  );

  process.kill(neighbour.pid, 'SIGKILL');
  next.child.stdin!.write('exit');
  await timeUntilNothing(neighbours, neighbour);
  await timeUntilNothing(nextWorkshop, next);
  expect(readdirSync(journal)).toEqual([]);
});

test('a host within a host goes with it, and so does all that it started, its own reaper dead or not', async () => {
  using workshop = openWorkshop();
  const host = await startHost(workshop, { sizes: [], inner: { sizes: [1] } });
  await vi.waitFor(() => expect(workshop.survivors()).toHaveLength(2 + 1 + OFFSPRING), DIAGNOSED);
  for (const reaper of reapersOf(host.servers[0]!)) killQuietly(reaper);
  process.kill(host.pid, 'SIGKILL');
  await timeUntilNothing(workshop, host);
  expect(reapersOf(host.servers[0]!)).toEqual([]);
});

test('a host within a host that is only closed leaves nothing of its own, its own reaper dead', async () => {
  using workshop = openWorkshop();
  const host = await startHost(workshop, { sizes: [], inner: { sizes: [1] } });
  await vi.waitFor(() => expect(workshop.survivors()).toHaveLength(2 + 1 + OFFSPRING), DIAGNOSED);
  for (const reaper of reapersOf(host.servers[0]!)) killQuietly(reaper);
  host.child.stdin!.write('close');
  await once(host.child, 'exit');
  expect(workshop.survivors()).toEqual([]);
  expect(host.child.exitCode).toBe(0);
});

test('a host that exits takes everything along by itself, its reaper dead', async () => {
  using workshop = openWorkshop();
  const host = await startHost(workshop, { sizes: [2] });
  await vi.waitFor(() => expect(workshop.survivors()).toHaveLength(1 + 2 + OFFSPRING), DIAGNOSED);
  for (const reaper of reapersOf(host.pid)) killQuietly(reaper);
  host.child.stdin!.write('exit');
  await timeUntilNothing(workshop, host);
  expect(host.child.exitCode).toBe(5);
});
