// Measures the time from a process's start until every tool of many servers is known, compared with a floor that starts
// all servers by hand and with other clients; and the same from the cache. README.md says how to read it.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { showProgress } from '../lib/progress.mjs';
import { measureCached } from './cached.mjs';
import { cases, TOOLS } from './cases.mjs';
import { chooseClients } from './clients.mjs';
import { commandOf, runClient, startHttp } from './process.mjs';
import { toAims, toMemoryTables, toTables } from './report.mjs';

const ROUNDS = 9;
const QUICK_ROUNDS = 3;
const FROM_CACHE = 'cache'; // tools that are known before any server runs

export async function run({ world, quick, peers }) {
  const rounds = Number(process.env.BENCH_ROUNDS ?? (quick ? QUICK_ROUNDS : ROUNDS));
  const names = chooseNames();
  const chosen = cases.filter(({ name }) => names.has(name));
  const { list, absent } = chooseClients(world, peers);
  const runs = chosen.flatMap((one) =>
    list
      .filter(({ transports }) => transports.includes(one.transport))
      .map((client) => ({ one, client, samples: [], leftovers: 0 })),
  );
  await measureFleets({ runs, rounds, world });
  const cached = names.has(FROM_CACHE) ? await measureCached({ world, quick }) : { tables: [], aims: [] };
  const lost = runs.filter(({ why }) => why !== undefined);
  const dirty = runs.filter(({ leftovers }) => leftovers > 0);
  return {
    title: `Fleets: every tool of many servers, median of ${rounds} interleaved rounds (peers: ${countPeerRounds(list, rounds)}), a fresh process each`,
    tables: [...toTables(runs), ...toMemoryTables(runs), ...cached.tables],
    notes: [
      ...absent,
      ...lost.map(({ one, client, why }) => `${client.name}, ${one.name}: ${why}`),
      ...dirty.map(({ one, client, leftovers }) => `${client.name}, ${one.name}: ${leftovers} servers outlived it`),
      'CPU = user + system of all threads of the client, its servers not counted; theirs stands beside it.',
    ],
    aims: [...toAims(runs), ...cached.aims],
    figures: {
      rounds,
      runs: runs.map(({ one, client, samples, why }) => ({ case: one.name, client: client.name, samples, why })),
      cached: cached.figures,
    },
  };
}

/** All fleets, or those that BENCH_FLEETS names. */
function chooseNames() {
  const all = [...cases.map(({ name }) => name), FROM_CACHE];
  const names = process.env.BENCH_FLEETS?.split(',').map((name) => name.trim()) ?? all;
  const unknown = names.find((name) => !all.includes(name));
  if (unknown === undefined) return new Set(names);
  throw new Error(`BENCH_FLEETS: no "${unknown}" among ${all.join(', ')}`);
}

async function measureFleets({ runs, rounds, world }) {
  const home = world.home('fleet');
  const surroundings = { env: world.env(home), cwd: join(home, 'project') };
  const remote = runs.filter(({ one }) => one.transport === 'http').map(({ one }) => one.count);
  const http =
    remote.length > 0 ? await startHttp({ ...surroundings, count: Math.max(...remote), tools: TOOLS }) : undefined;
  const fleets = new Map(runs.map(({ one }) => [one, makeFleet({ one, world, urls: http?.urls })]));
  try {
    for (const each of runs.filter(({ client }) => client.cache)) await runOnce(each, { world, fleets });
    await takeTurns({ runs, rounds, world, fleets });
  } finally {
    http?.close();
  }
}

/** Fills in `samples`, or `why` there are none: a peer that fails does not run again. */
async function takeTurns({ runs, rounds, world, fleets }) {
  const total = rounds * runs.length;
  for (let turn = 0; turn < total; turn++) {
    showProgress('fleets', turn + 1, total);
    const round = Math.floor(turn / runs.length);
    const each = runs[(turn + round) % runs.length];
    if (each.why !== undefined || round % each.client.every !== 0) continue;
    const { ok, why, leftovers, ...sample } = await runOnce(each, { world, fleets });
    each.leftovers += leftovers;
    if (ok) each.samples.push({ round, ...sample });
    else each.why = why;
  }
}

async function runOnce({ one, client }, { world, fleets }) {
  const { mark, servers, config } = fleets.get(one);
  // Each client has a home of its own: its cache there is for its next run on the same fleet, or is deleted.
  const home = world.home(`fleet-${client.name}-${one.name}`.replaceAll(/[^\w-]+/gu, '-'));
  const { transport, count } = one;
  const options = { transport, servers, config, expected: count * TOOLS, lib: world.lib };
  const plan = { client: client.file, options, mark };
  const outcome = await runClient({ node: client.node.path, env: world.env(home), cwd: join(home, 'project'), plan });
  if (!client.cache) rmSync(home, { recursive: true, force: true });
  if (!outcome.ok && client.package === undefined)
    throw new Error(`"${one.name}" fails with "${client.name}": ${outcome.why}`);
  if (outcome.ok && transport === 'stdio' && process.platform === 'linux' && outcome.processes < count)
    throw new Error(`"${client.name}" has ${outcome.processes} of ${count} servers open`);
  return outcome;
}

/** The same servers for all clients, and a configuration file that has them. */
function makeFleet({ one: { name, transport, count, boot }, world, urls }) {
  const mark = `${process.pid}-${name.replaceAll(' ', '-')}`;
  const servers = Array.from({ length: count }, (_, index) =>
    transport === 'http' ? { url: urls[index] } : commandOf({ name: `server-${index}`, tools: TOOLS, boot, mark }),
  );
  const folder = join(world.folder, 'fleets');
  mkdirSync(folder, { recursive: true });
  const config = join(folder, `${name.replaceAll(' ', '-')}.json`);
  const entries = servers.map((server, index) => [
    `server-${index}`,
    transport === 'http' ? { type: 'http', ...server } : server,
  ]);
  world.write(config, { mcpServers: Object.fromEntries(entries) });
  return { mark, servers, config };
}

function countPeerRounds(list, rounds) {
  const every = Math.max(...list.map((client) => client.every));
  return Math.ceil(rounds / every);
}
