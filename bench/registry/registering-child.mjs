// One fresh process of registering.mjs. Argument: a JSON of { client, inside, servers, config, expected }. Writes one line of JSON to fd 3.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pathToFileURL } from 'node:url';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const { client, inside, servers, config, expected } = JSON.parse(process.argv[2]);
const open = await (client === 'floor' ? loadFloor() : loadHost());
const before = await memory();
const started = process.cpuUsage();
const began = performance.now();
const opened = await open();
const cpu = cpuSince(started);
const wall = performance.now() - began;
if (opened.tools !== expected) throw new Error(`${opened.tools} tools instead of ${expected}`);
const resident = process.memoryUsage.rss() / 1024 / 1024;
const unsaved = await memory();
const saving = process.cpuUsage();
await opened.keep?.();
const keepCpu = cpuSince(saving);
const after = await memory();
writeSync(
  3,
  JSON.stringify({
    cpu,
    wall,
    keepCpu,
    resident,
    compiled: opened.compiled?.() ?? 0,
    unsaved: unsaved.heap - before.heap,
    heap: after.heap - before.heap,
    buffers: after.buffers - before.buffers,
    held: opened.held.length,
  }),
);
process.exit(0); // this ends the stdin of the servers

/** Fetches and parses all lists, and keeps them. */
async function loadFloor() {
  const { openMany } = await import('../fleet/clients/floor-stdio.mjs');
  return async () => {
    const { tools, lists } = await openMany({ servers });
    return { tools, held: lists };
  };
}

/** Plugboard, as a program that embeds it uses it. */
async function loadHost() {
  const compiled = countCompiled();
  const { Host } = await import(pathToFileURL(join(inside, 'index.js')).href);
  const { inside: key } = await import(pathToFileURL(join(inside, 'host/inside.js')).href);
  return async () => {
    const host = await Host.open({
      cwd: process.cwd(),
      env: process.env,
      mcpConfig: [config],
      strict: true,
      watch: false,
      permissions: { mode: 'bypass' },
    });
    await host.settled();
    const held = host.tools();
    const keep = () => Promise.all(host.servers().map(({ name }) => host[key].server(name)?.catalog.flush()));
    return { tools: held.length, held, keep, compiled };
  };
}

/** Counts compiled schemas: a WeakMap holds each by its object. Must be called before any module is loaded. */
function countCompiled() {
  let count = 0;
  globalThis.WeakMap = class extends WeakMap {
    set(key, value) {
      if (typeof value?.exhausted === 'number') count++;
      return super.set(key, value);
    }
  };
  return () => count;
}

async function memory() {
  for (let turn = 0; turn < 4; turn++) {
    collect();
    await new Promise((next) => setImmediate(next));
  }
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, buffers: external };
}

function cpuSince(used) {
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1000;
}
