// One fresh process of export.mjs. Argument: a JSON of { inside, profile, servers, tools, isPrepared }. Writes one line of JSON to fd 3.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { quantile } from '../lib/statistics.mjs';
import { makeAnswerer, makeTools } from './servers/tools.mjs';
import { threadTime } from './thread-time.mjs';

const TURNS = 21;
const SEARCHES = 50;
const QUERIES = ['create issues', 'search files by owner', 'watch alerts', '+export reports', 'branchs', 'delete'];
const { inside, profile, servers, tools, isPrepared = false } = JSON.parse(process.argv[2]);
const { Host } = await import(pathToFileURL(join(inside, 'index.js')).href);
const { inside: key } = await import(pathToFileURL(join(inside, 'host/inside.js')).href);

const fleet = Array.from({ length: servers }, (_, index) => makeServer(`server-${index}`, index * tools));
const host = await Host.open({
  cwd: process.cwd(),
  env: process.env,
  mcpConfig: [
    JSON.stringify({ mcpServers: Object.fromEntries(fleet.map(({ name }) => [name, { type: 'in-process', name }])) }),
  ],
  strict: true,
  watch: false,
  permissions: { deny: ['mcp__server-1__delete_events_104'] },
  embedded: new Map(fleet.map((server) => [server.name, server])),
});
await host.settled();
if (host.tools().length !== servers * tools)
  throw new Error(`${host.tools().length} tools: ${JSON.stringify(host.servers()[0])}`);
await Promise.all(fleet.map(({ name }) => host[key].server(name).catalog.flush()));

const preparing = isPrepared ? await prepare() : { prepared: 0, stall: 0 };
let shown;
const first = time(() => (shown = host.forModel(profile).tools));
const second = time(() => host.forModel(profile, { session: 'another' }));
const unchanged = Array.from({ length: TURNS }, () => time(() => host.forModel(profile)));
setInterval(() => {}, 60_000); // a host reads a list twice a second at most, on a timer that keeps no process alive
const changed = [];
// Of a prepared host only the first turn is of interest.
for (let turn = 0; turn < (isPrepared ? 0 : TURNS); turn++) {
  const server = fleet[(7 * turn + 3) % servers];
  const told = new Promise((done) => host.on('catalog', ({ server: name }) => name === server.name && done()));
  server.change();
  await told;
  let news;
  changed.push(time(() => ({ news } = host.forModel(profile))));
  if (news === undefined) throw new Error('the change is no news');
}
const index = isPrepared ? 0 : await timeSearches(1);
const searches = [];
for (let turn = 0; turn < (isPrepared ? 0 : SEARCHES); turn++) searches.push(await timeSearches(QUERIES.length));
writeSync(
  3,
  JSON.stringify({
    ...preparing,
    first,
    second,
    unchanged: quantile(unchanged, 0.5),
    firstChange: changed[0] ?? 0,
    changed: isPrepared ? 0 : quantile(changed.slice(1), 0.5),
    slowest: Math.max(0, ...changed.slice(1)),
    index,
    search: isPrepared ? 0 : quantile(searches, 0.5),
    request: JSON.stringify(shown).length / 1000,
  }),
);
process.exit(0);

function time(work) {
  const start = threadTime();
  work();
  return threadTime() - start;
}

/** `stall`: the most that this thread computed between two turns of the event loop. */
async function prepare() {
  let isOver = false;
  let stall = 0;
  const start = threadTime();
  let last = start;
  const look = () => {
    const now = threadTime();
    stall = Math.max(stall, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await host.prepared(profile);
  isOver = true;
  return { prepared: threadTime() - start, stall };
}

async function timeSearches(count) {
  const start = threadTime();
  for (const query of QUERIES.slice(0, count)) {
    const found = await host.search(query);
    if (found.length === 0) throw new Error('nothing is found');
  }
  return (threadTime() - start) / count;
}

/** A server in this process. `change` adds one tool to it and sends list_changed. */
function makeServer(name, from) {
  let count = tools;
  let list = makeTools(count, { from });
  const answer = makeAnswerer(name, () => list);
  const ends = new Set();
  return {
    name,
    connect(end) {
      ends.add(end);
      Object.assign(end, {
        onmessage: (message) => {
          const said = answer(message);
          if (said !== undefined) void end.send(JSON.parse(said));
        },
      });
    },
    change() {
      list = makeTools(++count, { from });
      for (const end of ends) void end.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    },
  };
}
