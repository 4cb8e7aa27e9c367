// One fresh process of export.mjs. Argument: a JSON of { inside, profile, servers, tools }. Writes one line of JSON to fd 3.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { quantile } from '../lib/statistics.mjs';
import { makeAnswerer, makeTools } from './servers/tools.mjs';
import { threadTime } from './thread-time.mjs';

const TURNS = 21;
const SEARCHES = 50;
const QUERIES = ['create issues', 'search files by owner', 'watch alerts', '+export reports', 'branchs', 'delete'];
const { inside, profile, servers, tools } = JSON.parse(process.argv[2]);
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

const first = time(() => host.forModel(profile));
const second = time(() => host.forModel(profile, { session: 'another' }));
const unchanged = Array.from({ length: TURNS }, () => time(() => host.forModel(profile)));
const changed = [];
for (let turn = 0; turn < TURNS; turn++) {
  const server = fleet[(7 * turn + 3) % servers];
  const told = new Promise((done) => host.on('catalog', ({ server: name }) => name === server.name && done()));
  server.change();
  await told;
  let news;
  changed.push(time(() => ({ news } = host.forModel(profile))));
  if (news === undefined) throw new Error('the change is no news');
}
const index = await timeSearches(1);
const searches = [];
for (let turn = 0; turn < SEARCHES; turn++) searches.push(await timeSearches(QUERIES.length));
writeSync(
  3,
  JSON.stringify({
    first,
    second,
    unchanged: quantile(unchanged, 0.5),
    firstChange: changed[0],
    changed: quantile(changed.slice(1), 0.5),
    slowest: Math.max(...changed.slice(1)),
    index,
    search: quantile(searches, 0.5),
  }),
);
process.exit(0);

function time(work) {
  const start = threadTime();
  work();
  return threadTime() - start;
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
