// Measures a search among 10,000 tools: making the index, its memory, and a query. `node bench/registry/search.mjs
// [--inside FOLDER] [--quick]` runs this part alone; FOLDER has the modules as single files. Each case is measured in
// fresh processes that take turns: a program pays the price of the first index in a process.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from '../lib/statistics.mjs';
import { showProgress } from '../lib/progress.mjs';
import { ms } from '../lib/table.mjs';
import { printAlone } from './alone.mjs';

const TOOLS = 10_000;
const BUILD_AIM_MS = 900;
const SIZE_AIM_MB = 15;
const QUERY_AIM_MS = 0.15;
const child = fileURLToPath(new URL('search-child.mjs', import.meta.url));

/** `text`: the characters of a tool's description; with its schema the tool has 2 KB. */
const cases = [
  { name: '1 server', servers: 1, text: 600 },
  { name: '10 servers', servers: 10, text: 600 },
  { name: '100 servers', servers: 100, text: 600 },
  { name: '500 servers', servers: 500, text: 600 },
  { name: '1 server, 2 KB descriptions', servers: 1, text: 2_048 },
];

export async function run({ inside, quick }) {
  const rounds = quick ? 3 : 7;
  const samples = new Map(cases.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < cases.length; place++) {
      const one = cases[(place + round) % cases.length];
      samples.get(one.name).push(runChild(inside, one));
    }
    showProgress('search', round + 1, rounds);
  }
  const figures = Object.fromEntries(cases.map(({ name }) => [name, toFigures(samples.get(name))]));
  return {
    title: `Search over ${TOOLS.toLocaleString('en')} tools: medians of ${rounds} fresh processes`,
    tables: [indexTable(figures), queryTable(figures)],
    notes: [
      'finish is the first search, which puts together what was added tool by tool; change is one server anew and a search.',
      'heap and buffers after garbage was collected, of the index alone: the tools themselves are not in it.',
    ],
    aims: Object.entries(figures).flatMap(([name, { build, heap, buffers, words }]) => [
      { what: `search, ${name}, build CPU`, limit: BUILD_AIM_MS, value: build, unit: ' ms' },
      { what: `search, ${name}, memory`, limit: SIZE_AIM_MB, value: heap + buffers, unit: ' MB' },
      { what: `search, ${name}, query p50`, limit: QUERY_AIM_MS, value: words.p50, unit: ' ms' },
    ]),
    figures: { rounds, cases: figures },
  };
}

function indexTable(figures) {
  const rows = Object.entries(figures).map(([name, one]) => [
    name,
    ms(one.build),
    ms(one.finish),
    one.heap.toFixed(2),
    one.buffers.toFixed(2),
    ms(one.change),
  ]);
  const head = ['index', 'build CPU ms', 'finish ms', 'heap MB', 'buffers MB', 'change ms'];
  return { head, rows };
}

function queryTable(figures) {
  const kinds = ['words', 'required', 'prefix', 'typo', 'select', 'hostile'];
  const rows = Object.entries(figures).map(([name, one]) => [
    name,
    ...kinds.map((kind) => `${one[kind].p50.toFixed(3)} / ${one[kind].p99.toFixed(3)}`),
  ]);
  return { title: 'A query, ms: p50 / p99', head: ['query', ...kinds], rows };
}

function toFigures(samples) {
  return Object.fromEntries(
    Object.keys(samples[0]).map((key) => {
      const values = samples.map((sample) => sample[key]);
      if (typeof values[0] === 'number') return [key, median(values)];
      return [key, { p50: median(values.map(({ p50 }) => p50)), p99: median(values.map(({ p99 }) => p99)) }];
    }),
  );
}

function runChild(inside, { name, servers, text }) {
  const order = JSON.stringify({ inside, servers, text, tools: TOOLS });
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', child, order], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`search-child.mjs of "${name}" ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

await printAlone(import.meta.url, run);
