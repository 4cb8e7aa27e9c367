// Measures what it costs to make a result fit for a model: one of 100 bytes, which every call pays, and texts and
// tables of megabytes, which go to a file. `node bench/registry/results.mjs [--inside FOLDER] [--quick]` runs this part
// alone; FOLDER has the modules as single files. Each case is a fresh process: programs pay the first run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from '../lib/statistics.mjs';
import { showProgress } from '../lib/progress.mjs';
import { ms, times, toTable } from '../lib/table.mjs';

const GROWTH_AIM_MB = 64;
const STALL_AIM_MS = 50;
const child = fileURLToPath(new URL('results-child.mjs', import.meta.url));

const cases = [
  ...[1, 10, 50].map((megabytes) => ({ name: `text, ${megabytes} MB, in memory`, kind: 'text', megabytes })),
  ...[1, 10, 50].map((megabytes) => ({ name: `text, ${megabytes} MB, over stdio`, kind: 'stdio', megabytes })),
  ...[1, 10].map((megabytes) => ({ name: `rows, ${megabytes} MB, structured`, kind: 'rows', megabytes })),
  ...[1, 10].map((megabytes) => ({ name: `rows, ${megabytes} MB, and as text`, kind: 'twice', megabytes })),
];
const smalls = [
  '100 B of text',
  '100 B, structured as well',
  '20 KB of text',
  '25,000 characters of text',
  '60,000 characters of text',
];

export async function run({ inside, quick }) {
  const rounds = quick ? 3 : 7;
  const samples = new Map(cases.map(({ name }) => [name, []]));
  const small = [];
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < cases.length; place++) {
      const one = cases[(place + round) % cases.length];
      samples.get(one.name).push(runChild(inside, one));
    }
    small.push(runChild(inside, { kind: 'small' }));
    showProgress('results', round + 1, rounds);
  }
  const figures = Object.fromEntries(cases.map(({ name }) => [name, toFigures(samples.get(name))]));
  const perCall = Object.fromEntries(smalls.map((name) => [name, median(small.map((sample) => sample[name]))]));
  return {
    title: `Results made fit for a model: medians of ${rounds} fresh processes`,
    tables: [largeTable(figures), smallTable(perCall)],
    notes: [
      'floor = writeFile of the same text, for the tables of JSON.stringify; over stdio the call is part of the figures, and there is none.',
      'stall = the longest that a timer of 5 ms came late; growth = of the peak of the resident set. The text itself, where it is in memory, was there before.',
    ],
    aims: Object.entries(figures).flatMap(([name, { growth, stall }]) => [
      { what: `results, ${name}, memory`, limit: GROWTH_AIM_MB, value: growth, unit: ' MB' },
      { what: `results, ${name}, stall`, limit: STALL_AIM_MS, value: stall, unit: ' ms' },
    ]),
    figures: { rounds, cases: figures, perCall },
  };
}

function largeTable(figures) {
  const rows = Object.entries(figures).map(([name, { wall, cpu, floor, growth, stall }]) => [
    name,
    ms(wall),
    ms(cpu),
    floor > 0 ? ms(floor) : '',
    floor > 0 ? times(cpu / floor) : '',
    growth.toFixed(1),
    ms(stall),
  ]);
  return { head: ['result', 'wall ms', 'CPU ms', 'floor CPU', 'to floor', 'growth MB', 'stall ms'], rows };
}

function smallTable(perCall) {
  return { head: ['result', 'ns'], rows: Object.entries(perCall).map(([name, ns]) => [name, ns.toFixed(0)]) };
}

function toFigures(samples) {
  const figures = Object.keys(samples[0]).map((key) => [key, median(samples.map((sample) => sample[key]))]);
  return Object.fromEntries(figures);
}

function runChild(inside, one) {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-bench-results-'));
  try {
    const order = JSON.stringify({ ...one, inside, folder });
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', child, order], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`results-child.mjs of "${one.name}" ended with ${status}: ${stderr}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function print(text) {
  process.stdout.write(`${text}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const inside = fileURLToPath(new URL('../../dist/inside', import.meta.url));
  const options = { inside: { type: 'string', default: inside }, quick: { type: 'boolean', default: false } };
  const { title, tables, notes, aims } = await run(parseArgs({ options }).values);
  print(title);
  for (const table of tables) print(`\n${toTable(table.head, table.rows)}`);
  for (const note of notes) print(note);
  for (const { what, limit, value, unit } of aims) {
    if (value > limit) print(`NO: ${what} is ${value.toFixed(2)}${unit}, the aim ${limit}${unit}`);
  }
}
