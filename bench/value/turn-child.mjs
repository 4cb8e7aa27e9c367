// One fresh process of value.mjs. Argument: a JSON of { inside, servers, tools, persist }. Writes a line of JSON to fd 3.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeAnswerer, makeTools } from '../registry/servers/tools.mjs';
import { threadTime } from '../registry/thread-time.mjs';

const WARM = 2_000;
const TURNS = 2_000;
const { inside, servers, tools, persist } = JSON.parse(process.argv[2]);
const { Host } = await import(pathToFileURL(join(inside, 'index.js')).href);

const all = Array.from({ length: servers }, (_, index) => makeServer(`server-${index}`, index * tools));
const host = await Host.open({
  cwd: process.cwd(),
  env: process.env,
  mcpConfig: [
    JSON.stringify({ mcpServers: Object.fromEntries(all.map(({ name }) => [name, { type: 'in-process', name }])) }),
  ],
  strict: true,
  watch: false,
  persist,
  embedded: new Map(all.map((server) => [server.name, server])),
});
await host.settled();
if (host.tools().length !== servers * tools) throw new Error(`${host.tools().length} tools`);

const first = time(() => host.forModel('anthropic'));
await turns(WARM);
const turn = (await turns(TURNS)) / TURNS;
await host.close();
writeSync(3, JSON.stringify({ first, turn, turns: WARM + TURNS + 1 }));
process.exit(0);

/** In blocks, between which the ledger can write: what it writes is counted as well. */
async function turns(count) {
  const start = threadTime();
  for (let done = 0; done < count; done++) {
    host.forModel('anthropic');
    if (done % 100 === 99) await new Promise(setImmediate);
  }
  return threadTime() - start;
}

function time(work) {
  const start = threadTime();
  work();
  return threadTime() - start;
}

function makeServer(name, from) {
  const answer = makeAnswerer(name, () => makeTools(tools, { from }));
  return {
    name,
    connect(end) {
      Object.assign(end, {
        onmessage: (message) => {
          const said = answer(message);
          if (said !== undefined) void end.send(JSON.parse(said));
        },
      });
    },
  };
}
