// One fresh process of pipeline.mjs. Argument: a JSON of { client, inside, command, args, flight, warm, count }. Writes one
// line of JSON to fd 3.
import { readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeText } from '../wire/text.mjs';

const LEDGER_MS = 400; // longer than the ledger buffers lines
const { client, inside, command, args, flight, warm, count } = JSON.parse(process.argv[2]);
const text = makeText(100);
const input = { text };
let hooked = 0;
const { call, end } = await (client === 'floor' ? openFloor() : openHost());
await take(warm);
hooked = 0;
const used = process.cpuUsage();
const started = performance.now();
const took = await take(count);
const wall = (performance.now() - started) / count;
await end?.();
const { user, system } = process.cpuUsage(used);
if (client === 'plugboard' && hooked !== 2 * count) throw new Error(`${hooked} hooks were asked for ${count} calls`);
const cpu = (user + system) / 1000 / count;
const lost = client === 'floor' ? 0 : warm + count - countLines();
writeSync(3, JSON.stringify({ cpu, wall, p50: took.toSorted()[Math.floor(count / 2)], lost }));
process.exit(0);

async function take(calls) {
  const times = new Float64Array(calls);
  let next = 0;
  const lane = async () => {
    while (next < calls) {
      const index = next++;
      const start = performance.now();
      const { content } = await call();
      times[index] = performance.now() - start;
      if (content[0].text !== text) throw new Error(`the echo is not what was said: ${JSON.stringify(content)}`);
    }
  };
  await Promise.all(Array.from({ length: flight }, lane));
  return times;
}

async function openFloor() {
  const { open } = await import('../wire/clients/floor-stdio.mjs');
  const { call: ask } = await open({ era: 'legacy', server: { command, args } });
  return { call: () => ask('echo', input) };
}

/** `plugboard` has every step that a call can pass through; `plugboard, bare` has no rules and no hooks. */
async function openHost() {
  const { Host } = await import(pathToFileURL(join(inside, 'index.js')).href);
  const isBare = client === 'plugboard, bare';
  const hook = { run: () => void hooked++ };
  const host = await Host.open({
    cwd: process.cwd(),
    env: process.env,
    mcpConfig: [JSON.stringify({ mcpServers: { echo: { command, args } } })],
    strict: true,
    watch: false,
    permissions: isBare ? { mode: 'bypass' } : { allow: ['mcp__echo'] },
    ...(!isBare && { hooks: { preToolUse: [hook], postToolUse: [hook] } }),
  });
  await host.settled();
  const name = 'mcp__echo__echo';
  return { call: () => host.call({ name, input }), end: untilWritten };
}

/** Waits until the ledger is on disk, so that the CPU for writing it is counted. */
function untilWritten() {
  return new Promise((done) => setTimeout(done, LEDGER_MS));
}

/** The number of calls in the ledger. */
function countLines() {
  const folder = join(process.env.HOME, '.local/state/plugboard/ledger');
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'));
  return texts.reduce((sum, one) => sum + (one.match(/"tool":/gu)?.length ?? 0), 0);
}
