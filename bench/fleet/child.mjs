// One client on one fleet, in a fresh process. Argument: fleet.mjs's plan, as JSON. Writes one line of JSON to fd 3.
import { readFileSync, writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { findMarked } from './marked.mjs';

const { client, options, mark } = JSON.parse(process.argv[2]);
const { expected, servers, transport } = options;
const module = await import(client);
const { tools, known, close, explain } = await (module.openMany ?? openEach)(options);
const done = process.hrtime.bigint();
const { user, system } = process.cpuUsage();
const rss = toMegabytes(process.memoryUsage.rss());
if (tools !== expected) throw new Error(`${tools} tools instead of ${expected}; ${JSON.stringify(explain?.())}`);

const kept = await measureKept();
const running = transport === 'stdio' ? findMarked(mark) : [];
writeSync(
  3,
  JSON.stringify({
    connected: String(done),
    known: String(known ?? done),
    cpu: (user + system) / 1000,
    rss,
    kept,
    processes: running.length,
    serverCpu: running.reduce((sum, pid) => sum + cpuOf(pid), 0),
  }),
);
await close?.();
process.exit(0); // also ends the servers of a client without `close`: their stdin ends

/** Opens one client for each server, all at once. */
async function openEach() {
  const { open } = module;
  const counts = await Promise.all(
    servers.map(async (server) => {
      const { count } = await open({ transport, era: 'legacy', server });
      return count();
    }),
  );
  return { tools: counts.reduce((sum, count) => sum + count, 0) };
}

/** Resident MB after garbage collection. The flag comes late: at the start it would cost Node its own code cache. */
async function measureKept() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await new Promise((next) => setImmediate(next));
  }
  return toMegabytes(process.memoryUsage.rss());
}

/** User and system CPU in ms, in the kernel's ticks of 10 ms: the sum over fifty servers is precise enough. */
function cpuOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function toMegabytes(bytes) {
  return bytes / 1024 / 1024;
}
