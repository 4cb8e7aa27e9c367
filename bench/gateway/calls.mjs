// One call through each gateway: what the gateway computes for it, and how long it takes.
import { showProgress } from '../lib/progress.mjs';
import { median } from '../lib/statistics.mjs';
import { startServer } from '../wire/process.mjs';
import { Driver } from './driver.mjs';
import { installGateways, stacksFor, versionOf } from './stacks.mjs';
import { cpuOf } from './usage.mjs';

const CLIENTS = 64;
const WARM_CALLS = 20_000; // V8 has compiled by then; a young process costs twice as much
const WARM_LIMIT_MS = 20_000; // for those that are slow even so
const QUICK_WARM_MS = 3_000;
const ROUND_MS = 3_000;
const QUICK_ROUND_MS = 1_000;
const SINGLE_CALLS = 300;
const TEXT = 'x'.repeat(100);

export async function measureCalls({ world, quick, peers, rounds }) {
  const home = world.home('gateway-calls');
  const options = { env: world.env(home), cwd: home, transport: 'http' };
  const servers = {
    legacy: await startServer({ ...options, era: 'legacy' }),
    modern: await startServer({ ...options, era: 'modern' }),
  };
  const http = { legacy: servers.legacy.url, modern: servers.modern.url };
  const missing = peers ? installGateways() : 'left out (--no-peers)';
  const wanted = process.env.BENCH_CASES?.split(';').map((name) => name.trim());
  const stacks = stacksFor({ world, http })
    .filter(({ isPeer }) => missing === undefined || !isPeer)
    .filter(({ name, upstream }) => wanted === undefined || wanted.some((one) => `${name} ${upstream}`.includes(one)));
  const runs = [];
  try {
    for (const stack of stacks) {
      runs.push(await open(stack, { world, limitMs: quick ? QUICK_WARM_MS : WARM_LIMIT_MS }));
      showProgress('gateways', runs.length, stacks.length);
    }
    for (let turn = 0; turn < rounds * runs.length; turn++) {
      const run = runs[(turn + Math.floor(turn / runs.length)) % runs.length];
      if (run.why === undefined)
        await playRound(run, quick ? QUICK_ROUND_MS : ROUND_MS).catch((error) => (run.why = error.message));
      showProgress('rounds', turn + 1, rounds * runs.length);
    }
  } finally {
    for (const run of runs) await closeRun(run);
    servers.legacy.close();
    servers.modern.close();
  }
  return { runs: runs.map(toFigures), missing };
}

/** Starts a stack, connects all clients and warms it up; `why` where that fails, which ends nothing else. */
async function open(stack, { world, limitMs }) {
  const run = { stack, drivers: [], samples: [] };
  try {
    run.started = await stack.start(world.home(`gateway-${stack.name.replaceAll(/\W+/gu, '-')}-${stack.upstream}`));
    run.drivers = Array.from({ length: CLIENTS }, () => new Driver({ url: run.started.url, era: stack.era }));
    // One first: the server behind may have to be started.
    await run.drivers[0].open();
    await run.drivers[0].call('echo', TEXT);
    await Promise.all(run.drivers.slice(1).map((driver) => driver.open()));
    await callAll(run.drivers, { calls: WARM_CALLS, limitMs });
  } catch (error) {
    run.why = error.message.slice(0, 300);
  }
  return run;
}

async function playRound(run, ms) {
  const before = cpuOf(run.started.pids);
  const began = performance.now();
  const calls = await callAll(run.drivers, { calls: Number.POSITIVE_INFINITY, limitMs: ms });
  const wall = performance.now() - began;
  const cpu = cpuOf(run.started.pids) - before;
  const times = [];
  for (let index = 0; index < SINGLE_CALLS; index++) {
    const start = performance.now();
    await run.drivers[0].call('echo', TEXT);
    times.push(performance.now() - start);
  }
  run.samples.push({ cpuUs: (cpu / calls) * 1_000, rate: (calls / wall) * 1_000, p50Ms: median(times) });
}

/** All clients call, each one thing at a time. Returns how many calls were made. */
async function callAll(drivers, { calls, limitMs }) {
  const limit = performance.now() + limitMs;
  let made = 0;
  await Promise.all(
    drivers.map(async (driver) => {
      while (made < calls && performance.now() < limit) {
        made++;
        await driver.call('echo', TEXT);
      }
    }),
  );
  return made;
}

async function closeRun({ drivers, started }) {
  for (const driver of drivers) driver.close();
  await started?.close();
}

function toFigures({ stack, samples, why }) {
  const { name, upstream, era } = stack;
  const version = name === 'mcp-proxy' || name === 'supergateway' ? ` ${versionOf(name)}` : '';
  const told = { name: `${name}${version}`, upstream, era };
  if (samples.length === 0) return { ...told, why: why ?? 'no round' };
  const of = (figure) => median(samples.map((sample) => sample[figure]));
  return { ...told, samples, why, cpuUs: of('cpuUs'), rate: of('rate'), p50Ms: of('p50Ms') };
}
