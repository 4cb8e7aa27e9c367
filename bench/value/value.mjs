// Measures what the value ledger costs: reading a ledger of 30 days and 100,000 calls through the program, and the line
// that a turn writes. README.md says how to read it.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureProcesses, tryOnce } from '../lib/processes.mjs';
import { showProgress } from '../lib/progress.mjs';
import { runChild } from '../lib/run-child.mjs';
import { median, summarize } from '../lib/statistics.mjs';
import { ms, times } from '../lib/table.mjs';
import { CALLS, SERVERS, TURNS, writeLedger } from './ledger.mjs';

const READ_AIM_MS = 1_000; // wall time of the whole program
const TURN_AIM_US = 10; // what the line adds to a turn
const LIMIT_MS = 120_000;
const child = fileURLToPath(new URL('turn-child.mjs', import.meta.url));

const turnCases = [
  { name: '1 server, 10 tools', servers: 1, tools: 10 },
  { name: '100 servers, 10 tools each', servers: 100, tools: 10 },
  { name: '10 servers, 1,000 tools each', servers: 10, tools: 1_000 },
];

export async function run({ world, quick }) {
  const rounds = Number(process.env.BENCH_ROUNDS ?? (quick ? 5 : 21));
  const reading = await measureReading(world, rounds);
  const turns = await measureTurns(world, quick ? 3 : 7);
  const value = reading.cases['plugboard value --json'];
  return {
    title: 'The value ledger: reading it, and a line for each turn',
    tables: [readingTable(reading, rounds), turnTable(turns)],
    notes: [
      'floor = a Node that reads the same files and parses each line. us = microseconds of the main thread a turn.',
    ],
    aims: [
      { what: 'value, 100,000 calls, wall', limit: READ_AIM_MS, value: value.wall.median, unit: ' ms' },
      ...Object.entries(turns).map(([name, { turn, without }]) => ({
        what: `value, the line of a turn, ${name}`,
        limit: TURN_AIM_US,
        value: (turn - without) * 1000,
        unit: ' us',
      })),
    ],
    figures: { reading, turns },
  };
}

async function measureReading(world, rounds) {
  const home = world.home('value');
  const folder = join(home, '.local/state/plugboard/ledger');
  const bytes = writeLedger(folder);
  const cwd = join(home, 'project');
  const env = world.env(home);
  const floor = fileURLToPath(new URL('floor.mjs', import.meta.url));
  const cases = [
    { name: 'plugboard value --json', argv: [process.execPath, world.program, 'value', '--json'], env, cwd },
    { name: 'plugboard list --no-connect', argv: [process.execPath, world.program, 'list', '--no-connect'], env, cwd },
    { name: 'floor', argv: [process.execPath, floor, folder], env, cwd },
  ];
  for (const one of cases) check(one, tryOnce(one));
  const { samples } = await measureProcesses(cases, { rounds });
  const figures = [...samples].map(([name, found]) => [
    name,
    { wall: summarize(found.map(({ wall }) => wall)), cpu: summarize(found.map(({ cpu }) => cpu)) },
  ]);
  return { bytes, cases: Object.fromEntries(figures) };
}

/** A program that counts other lines than there are would be fast for nothing. */
function check({ name }, { ok, stdout, why }) {
  if (!ok) throw new Error(`"${name}": ${why}`);
  if (!name.startsWith('plugboard value')) return;
  const { turns, servers } = JSON.parse(stdout).data;
  const calls = servers.reduce((sum, one) => sum + one.calls, 0);
  if (turns !== TURNS || calls !== CALLS || servers.length !== SERVERS)
    throw new Error(`"${name}" counted ${turns} turns and ${calls} calls of ${servers.length} servers`);
}

function readingTable({ bytes, cases }, rounds) {
  const rows = Object.entries(cases).map(([name, { wall, cpu }]) => [
    name,
    ms(cpu.median),
    `${ms(cpu.low)}-${ms(cpu.high)}`,
    times(cpu.median / cases.floor.cpu.median),
    ms(wall.median),
  ]);
  const megabytes = (bytes / 1e6).toFixed(0);
  return {
    title: `Reading ${CALLS.toLocaleString('en')} calls and ${TURNS.toLocaleString('en')} turns of 30 days, ${megabytes} MB: whole processes, ms, median of ${rounds}`,
    head: ['reading', 'CPU', 'middle half', 'to floor', 'wall'],
    rows,
  };
}

/** Each case in fresh processes, with and without a ledger in turns. */
async function measureTurns({ inside }, rounds) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-bench-value-')));
  const samples = new Map(turnCases.map(({ name }) => [name, { with: [], without: [], first: [], firstWithout: [] }]));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const { name, ...plan } of turnCases) {
        for (const persist of round % 2 === 0 ? [true, false] : [false, true]) {
          const figures = await runTurns({ ...plan, persist, inside }, folder);
          const own = samples.get(name);
          own[persist ? 'with' : 'without'].push(figures.turn);
          own[persist ? 'first' : 'firstWithout'].push(figures.first);
          if (persist) own.bytes = figures.bytes;
        }
      }
      showProgress('value, turns', round + 1, rounds);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return Object.fromEntries(
    [...samples].map(([name, found]) => {
      const [turn, without] = [median(found.with), median(found.without)];
      const [first, firstWithout] = [median(found.first), median(found.firstWithout)];
      return [name, { turn, without, ratio: turn / without, first, firstWithout, bytes: found.bytes }];
    }),
  );
}

async function runTurns(plan, folder) {
  const home = join(folder, 'home');
  const cwd = join(home, 'project');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home };
  const { figures, why } = await runChild({ env, cwd, script: child, plan, limitMs: LIMIT_MS });
  const file = join(home, '.local/state/plugboard/ledger/calls.jsonl');
  const bytes = plan.persist ? readFileSync(file).length : 0;
  rmSync(home, { recursive: true, force: true });
  if (figures === undefined) throw new Error(`value, turns: ${why}`);
  return { ...figures, bytes: bytes / figures.turns };
}

function turnTable(turns) {
  return {
    title: 'A turn that changes nothing: us of the main thread, with its line in the ledger and without',
    head: ['tools', 'with', 'without', 'ratio', 'first turn, ms', 'without', 'bytes a turn'],
    rows: Object.entries(turns).map(([name, one]) => [
      name,
      (one.turn * 1000).toFixed(1),
      (one.without * 1000).toFixed(1),
      times(one.ratio),
      ms(one.first),
      ms(one.firstWithout),
      one.bytes.toFixed(0),
    ]),
  };
}
