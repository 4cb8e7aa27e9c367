// `npm run bench [-- NAME...] [--quick] [--json FILE] [--no-peers]`: measures and prints. Exits with 0 whether or not
// an aim is met: people weigh a missed aim; only a bench that breaks is a failure.
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { describeMachine } from './lib/machine.mjs';
import { toTable } from './lib/table.mjs';
import { openWorld } from './lib/world.mjs';

const benches = {
  start: './start.mjs',
  load: './load.mjs',
  door: './door/door.mjs',
  gateway: './gateway/gateway.mjs',
  wire: './wire/wire.mjs',
  fleet: './fleet/fleet.mjs',
  registry: './registry/registry.mjs',
  session: './session/session.mjs',
  day: './session/day.mjs',
  flow: './flow/flow.mjs',
  value: './value/value.mjs',
};
const usage = `Usage: npm run bench -- [${Object.keys(benches).join('] [')}] [--quick] [--json FILE] [--no-peers]\n`;

const { values: flags, positionals } = readArguments();
const names = positionals.length === 0 ? Object.keys(benches) : positionals;
const unknown = names.find((name) => !Object.hasOwn(benches, name));
if (unknown !== undefined) stop(`There is no bench "${unknown}".\n${usage}`);
if (flags.help) {
  process.stdout.write(usage);
  process.exit(0);
}

const machine = describeMachine();
print(`Plugboard benches, ${machine.date}${flags.quick ? ', quick' : ''}`);
print(`${machine.cpus} x ${machine.cpu}, ${machine.platform}, Node ${machine.node}, load average ${machine.load}`);

const results = [];
const world = openWorld();
try {
  for (const name of names) {
    const { run } = await import(benches[name]);
    const result = await run({ world, quick: flags.quick, peers: !flags['no-peers'] });
    print(`\n${result.title}`);
    for (const { title, head, rows } of result.tables) {
      if (title !== undefined) print(`\n${title}`);
      print(`\n${toTable(head, rows)}`);
    }
    for (const note of result.notes ?? []) print(note);
    results.push({ name, ...result });
  }
} finally {
  world.remove();
}

const aims = results.flatMap((result) => result.aims);
print('\nAims\n');
print(
  toTable(
    ['what', 'aim', 'measured', 'met'],
    aims.map(({ what, limit, value, unit }) => [
      what,
      `<= ${limit}${unit}`,
      `${value.toFixed(2)}${unit}`,
      value <= limit ? 'yes' : 'NO',
    ]),
  ),
);
print(`Load average at the end: ${loadavg()[0].toFixed(2)}`);
if (flags.json !== undefined) {
  const figures = Object.fromEntries(results.map(({ name, figures: found }) => [name, found]));
  writeFileSync(flags.json, `${JSON.stringify({ machine, quick: flags.quick, aims, figures }, null, 2)}\n`);
}

function readArguments() {
  const options = {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    'no-peers': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return stop(`${error.message}\n${usage}`);
  }
}

function print(text) {
  process.stdout.write(`${text}\n`);
}

function stop(message) {
  process.stderr.write(message);
  process.exit(2);
}
