// One client in one case, in a fresh process. Argument: wire.mjs's plan, as JSON. Writes one line of JSON to fd 3.
import { writeSync } from 'node:fs';
import { cpuSince, middle, peakMegabytes, sizeOfText } from '../lib/own-usage.mjs';
import { makeText } from './text.mjs';

const FIRST_CALLS = 20; // then the client is connected and loaded, and its memory is measured from here
const ENOUGH_MS = 500; // of CPU: a client that has used more makes no further calls, so that slow ones count fewer
const LOOK_EVERY_MS = 50; // reading the CPU time costs as much as some calls do
const SLOW_MS = 4000; // after a single call that takes longer, no more are made

const { client: file, options, one } = JSON.parse(process.argv[2]);
const { open } = await import(file);
const { call, sizeOf = sizeOfText } = await open(options);

const small = makeText(100);
for (let turn = 0; turn < FIRST_CALLS; turn++) {
  const { content } = await call('echo', { text: small });
  if (content[0].text !== small) throw new Error('the echo is not what was said');
}
const before = peakMegabytes();
const figures = await measure();
writeSync(3, JSON.stringify({ ...figures, growth: peakMegabytes() - before }));
process.exit(0);

async function measure() {
  const { tool, bytes, flight, warm, count } = one;
  const input = tool === 'echo' ? { text: makeText(bytes) } : { bytes };
  const warmed = await take(warm, Infinity);
  return warmed.slow ? warmed : take(count, ENOUGH_MS);

  async function take(calls, enough) {
    const took = new Float64Array(calls);
    const used = process.cpuUsage();
    const started = performance.now();
    let next = 0;
    let end = calls;
    let slow = false;
    let looked = started;
    const lane = async () => {
      while (next < end) {
        const index = next++;
        const start = performance.now();
        const result = await call(tool, input);
        const now = performance.now();
        took[index] = now - start;
        if (sizeOf(result) !== bytes) throw new Error(`${sizeOf(result)} bytes came instead of ${bytes}`);
        if (took[index] > SLOW_MS) slow = true;
        if (slow) end = next;
        if (now - looked > LOOK_EVERY_MS) {
          looked = now;
          if (cpuSince(used) > enough) end = next;
        }
      }
    };
    await Promise.all(Array.from({ length: flight }, lane));
    const wall = performance.now() - started;
    return { cpu: cpuSince(used) / next, p50: middle(took.subarray(0, next)), wall: wall / next, calls: next, slow };
  }
}
