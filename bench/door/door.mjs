// Measures calls as the users of the library make them, through `Host.open` and `host.call`, compared with clients
// written by hand and with other clients. README.md says how to read it.
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installPeers, peerVersions } from '../lib/peers.mjs';
import { showProgress } from '../lib/progress.mjs';
import { runChild } from '../lib/run-child.mjs';
import { commandOf, startServer } from '../wire/process.mjs';
import { cases } from './cases.mjs';
import { clients, takesPart } from './clients.mjs';
import { toAims, toTables } from './report.mjs';

const ROUNDS = 5;
const QUICK_ROUNDS = 2;
const CONNECTIONS = 64; // one for each call in flight; every client here opens as many
const LIMIT_MS = 60_000;
const script = fileOf('child.mjs');

export async function run({ world, quick, peers }) {
  const rounds = Number(process.env.BENCH_ROUNDS ?? (quick ? QUICK_ROUNDS : ROUNDS));
  const chosen = chooseCases();
  const missing = peers ? installPeers() : 'left out (--no-peers)';
  const list = chooseClients(missing);
  const runs = chosen.flatMap((one) =>
    list.filter((client) => takesPart(client, one)).map((client) => ({ one, client, samples: [] })),
  );
  const home = world.home('door');
  const env = world.env(home);
  const server = await serverOf(chosen, { env, cwd: home });
  try {
    for (let turn = 0; turn < rounds * runs.length; turn++) {
      const each = runs[(turn + Math.floor(turn / runs.length)) % runs.length];
      if (each.why === undefined) await runOnce(each, { world, server });
      showProgress('calls', turn + 1, rounds * runs.length);
    }
  } finally {
    server?.close();
  }
  return {
    title: `The public door: one call, median of ${rounds} interleaved rounds, a fresh process each`,
    tables: toTables(runs),
    notes: [
      ...(missing === undefined ? [] : [`Other clients: ${missing}`]),
      ...runs
        .filter(({ why }) => why !== undefined)
        .map((each) => `${each.client.name}, ${each.one.name}: ${each.why}`),
      'young: the first 2,000 calls of the process; warm: the calls after many. CPU = user + system of all threads.',
      'plugboard: a rule that allows, the ledger on, results shaped; hooks: a function before and one after each call.',
    ],
    aims: toAims(runs),
    figures: {
      rounds,
      runs: runs.map(({ one, client, samples, why }) => ({ case: one.name, client: client.name, samples, why })),
    },
  };
}

/** Adds a sample, or `why` there is none: a peer that fails runs only once. */
async function runOnce(each, { world, server }) {
  const { one, client } = each;
  const home = world.home('door-run');
  const cwd = `${home}/project/run`;
  mkdirSync(cwd);
  const { transport, bytes, tool } = one;
  const own = commandOf({ transport, era: 'legacy', sizes: tool === 'big' ? [bytes] : [] });
  const servers = Array.from({ length: one.servers }, () => (transport === 'http' ? server : own));
  const options = { transport, era: 'legacy', servers, variant: client.variant, lib: world.lib };
  const plan = { client: fileOf(client.file), options, one };
  const { figures, why } = await runChild({ env: world.env(home), cwd, script, plan, limitMs: LIMIT_MS });
  rmSync(home, { recursive: true, force: true });
  if (figures !== undefined) each.samples.push(figures);
  else if (client.package === undefined) throw new Error(`"${one.name}" fails with "${client.name}": ${why}`);
  else each.why = why;
}

/** The HTTP server of all cases; undefined where no case needs one. */
async function serverOf(chosen, { env, cwd }) {
  const over = chosen.filter(({ transport }) => transport === 'http');
  if (over.length === 0) return undefined;
  const sizes = over.filter(({ tool }) => tool === 'big').map(({ bytes }) => bytes);
  const server = await startServer({ env, cwd, transport: 'http', era: 'legacy', sizes });
  return { ...server, connections: CONNECTIONS };
}

/** All cases, or those that BENCH_CASES names, separated by semicolons; the start of a name is enough. */
function chooseCases() {
  const wanted = process.env.BENCH_CASES?.split(';').map((name) => name.trim());
  if (wanted === undefined) return cases;
  const unknown = wanted.find((name) => !cases.some((one) => one.name.startsWith(name)));
  if (unknown === undefined) return cases.filter((one) => wanted.some((name) => one.name.startsWith(name)));
  throw new Error(`BENCH_CASES: no "${unknown}" among ${cases.map(({ name }) => name).join('; ')}`);
}

function chooseClients(missing) {
  if (missing !== undefined) return clients.filter((client) => client.package === undefined);
  const versions = peerVersions();
  return clients.map((client) =>
    client.package === undefined ? client : { ...client, name: `${client.name} ${versions[client.package]}` },
  );
}

function fileOf(name) {
  return fileURLToPath(new URL(name, import.meta.url));
}
