// One client in one case, in a fresh process. Argument: door.mjs's plan, as JSON. Writes one line of JSON to fd 3.
import { writeSync } from 'node:fs';
import { cpuSince, middle, peakMegabytes, sizeOfText } from '../lib/own-usage.mjs';
import { makeText } from '../wire/text.mjs';

const ENOUGH_MS = 1500; // of CPU: a client that has used more makes no further calls, so that slow ones count fewer
const LOOK_EVERY_MS = 50; // reading the CPU time costs as much as some calls do

const { client: file, options, one } = JSON.parse(process.argv[2]);
const { calls, written, sizeOf = sizeOfText, explain } = await openAll(await import(file));
const { tool, bytes, flight, young, warm, count } = one;
const input = tool === 'echo' ? { text: makeText(bytes) } : { bytes };

const first = young > 0 ? await take(young, Infinity) : undefined;
await take(warm, ENOUGH_MS);
const later = await take(count, ENOUGH_MS);
writeSync(3, JSON.stringify({ young: first, warm: later, peak: peakMegabytes() }));
process.exit(0);

async function openAll(module) {
  if (module.openDoor !== undefined) return module.openDoor(options);
  const all = await Promise.all(options.servers.map((server) => module.open({ ...options, server })));
  return { calls: all.map(({ call }) => call) };
}

async function take(most, enough) {
  const took = new Float64Array(most);
  const used = process.cpuUsage();
  const started = performance.now();
  let next = 0;
  let end = most;
  let looked = started;
  const lane = async () => {
    while (next < end) {
      const index = next++;
      const start = performance.now();
      const result = await calls[index % calls.length](tool, input);
      const now = performance.now();
      took[index] = now - start;
      if (sizeOf(result) !== bytes) {
        throw new Error(`not ${bytes} bytes: ${JSON.stringify(result).slice(0, 300)} ${JSON.stringify(explain?.())}`);
      }
      if (now - looked > LOOK_EVERY_MS) {
        looked = now;
        if (cpuSince(used) > enough) end = next;
      }
    }
  };
  await Promise.all(Array.from({ length: flight }, lane));
  const wall = performance.now() - started;
  await written?.();
  return { cpu: cpuSince(used) / next, p50: middle(took.subarray(0, next)), wall: wall / next, calls: next };
}
