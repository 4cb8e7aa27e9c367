// Measures what one call costs the host: CPU of the client's process and wall time, over every transport and in both
// eras, compared with a floor written by hand and with other clients. README.md says how to read it.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNewerNode, installPeers, peerVersions } from '../lib/peers.mjs';
import { showProgress } from '../lib/progress.mjs';
import { cases, ways } from './cases.mjs';
import { clients, takesPart } from './clients.mjs';
import { measureConnecting } from './connect.mjs';
import { commandOf, runClient, startServer } from './process.mjs';
import { toAims, toTables } from './report.mjs';

const ROUNDS = 5;
const QUICK_ROUNDS = 2;
const CONNECTIONS = 64; // one for each call in flight; every client here opens as many
const SERVED = new Set(['http', 'sse', 'ws']); // over these a server is a process that outlives its clients

export async function run({ world, quick, peers }) {
  const rounds = Number(process.env.BENCH_ROUNDS ?? (quick ? QUICK_ROUNDS : ROUNDS));
  const home = world.home('wire');
  const settings = { env: world.env(home), cwd: join(home, 'project') };
  const wanted = chooseWays();
  const chosen = cases.filter(({ way }) => wanted.some(({ name }) => name === way));
  const { list, absent } = chooseClients(world, peers);
  const runs = chosen.flatMap((one) =>
    list.filter((client) => takesPart(client, one)).map((client) => ({ one, client })),
  );
  const servers = await startServers(settings, wanted, chosen);
  const toServer = (one) => servers.get(one.way) ?? commandOf({ ...one, sizes: one.tool === 'big' ? [one.bytes] : [] });
  let connecting;
  try {
    await measure({ runs, rounds, settings, toServer, world });
    connecting = await measureConnecting({ ways: wanted, rounds, settings, toServer, world });
  } finally {
    for (const server of servers.values()) server.close();
  }
  const lost = runs.filter(({ why }) => why !== undefined);
  return {
    title: `The wire: one call, median of ${rounds} interleaved rounds, a fresh process each`,
    tables: [...toTables(runs), ...connecting.tables],
    notes: [
      ...absent,
      ...lost.map(({ one, client, why }) => `${client.name}, ${one.name}: ${why}`),
      'CPU = user + system of all threads of the client, its server not counted; in-process it is.',
    ],
    aims: toAims(runs),
    figures: {
      rounds,
      runs: runs.map(({ one, client, samples, why }) => ({ case: one.name, client: client.name, samples, why })),
      connecting: connecting.figures,
    },
  };
}

/** All ways, or those that BENCH_WAYS names. */
function chooseWays() {
  const names = process.env.BENCH_WAYS?.split(',').map((name) => name.trim());
  const unknown = names?.find((name) => !ways.some((way) => way.name === name));
  if (unknown === undefined) return ways.filter(({ name }) => names?.includes(name) ?? true);
  throw new Error(`BENCH_WAYS: no "${unknown}" among ${ways.map(({ name }) => name).join(', ')}`);
}

async function startServers(settings, wanted, chosen) {
  const servers = new Map();
  for (const { name, transport, era = 'legacy' } of wanted.filter((way) => SERVED.has(way.transport))) {
    const sizes = chosen.filter(({ way, tool }) => way === name && tool === 'big').map(({ bytes }) => bytes);
    const server = await startServer({ ...settings, transport, era, sizes });
    servers.set(name, { ...server, connections: CONNECTIONS });
  }
  return servers;
}

/** Every client that can run here, with its Node; the floor also on the newer Node if a client needs it. */
function chooseClients(world, wantsPeers) {
  const absent = [];
  const missing = wantsPeers ? installPeers() : 'left out (--no-peers)';
  if (missing !== undefined) absent.push(`Other clients: ${missing}`);
  const versions = peerVersions();
  const newer = missing === undefined ? findNewerNode() : undefined;
  const here = { path: process.execPath };
  const list = [];
  for (const client of clients) {
    const file = fileURLToPath(new URL(client.file, import.meta.url));
    if (client.own && !existsSync(join(world.inside, 'connection/connection-factory.js'))) {
      absent.push(`${client.name}: this build has no client`);
    } else if (client.package === undefined) {
      list.push({ ...client, file, node: here });
      if (client.floor && newer !== undefined && newer.path !== here.path) {
        list.push({ ...client, file, node: newer, name: `${client.name}, Node ${newer.major}` });
      }
    } else if (missing === undefined && client.newer && newer === undefined) {
      absent.push(`${client.name}: needs Node 24, and this is ${process.version}`);
    } else if (missing === undefined) {
      const node = client.newer ? newer : here;
      const on = node.path === here.path ? '' : `, Node ${node.major}`;
      list.push({ ...client, file, node, name: `${client.name} ${versions[client.package]}${on}` });
    }
  }
  return { list, absent };
}

/** Fills in `samples`, or `why` there are none: a peer that fails, or a client that takes seconds, runs only once. */
async function measure({ runs, rounds, settings, toServer, world }) {
  for (const each of runs) each.samples = [];
  let done = 0;
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < runs.length; place++) {
      const each = runs[(place + round) % runs.length];
      showProgress('calls', ++done, rounds * runs.length);
      if (each.why !== undefined || each.samples[0]?.slow) continue;
      const { one, client } = each;
      const { transport, era } = one;
      const folder = join(settings.cwd, 'run');
      mkdirSync(folder);
      const options = { transport, era, server: toServer(one), variant: client.variant, lib: world.inside, folder };
      const plan = { client: client.file, options, one };
      const { ok, why, ...sample } = await runClient({ ...settings, node: client.node.path, plan });
      rmSync(folder, { recursive: true, force: true });
      if (ok) each.samples.push(sample);
      else if (client.package === undefined) throw new Error(`"${one.name}" fails with "${client.name}": ${why}`);
      else each.why = why;
    }
  }
}
