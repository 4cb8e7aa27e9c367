// Measures a model's turn with 1,000 to 50,000 tools of 2 KB: the first, prepared or not, one without changes, one after
// a server has changed its list; and a search for a tool. `node bench/registry/export.mjs [--inside FOLDER] [--quick]`
// runs this part alone.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { showProgress } from '../lib/progress.mjs';
import { runChild } from '../lib/run-child.mjs';
import { median } from '../lib/statistics.mjs';
import { ms } from '../lib/table.mjs';
import { printAlone } from './alone.mjs';

const CHANGED_AIM_MS = 20;
const STALL_AIM_MS = 25;
const REQUEST_AIM_KB = 1000;
const LIMIT_MS = 60_000;
const script = fileURLToPath(new URL('export-child.mjs', import.meta.url));

const cases = [
  { name: 'anthropic, 100 x 100', profile: 'anthropic', servers: 100, tools: 100 },
  { name: 'openai, 100 x 100', profile: 'openai', servers: 100, tools: 100 },
  { name: 'gemini, 100 x 100', profile: 'gemini', servers: 100, tools: 100 },
  { name: 'anthropic, 10 x 1,000', profile: 'anthropic', servers: 10, tools: 1000 },
  { name: 'anthropic, 10 x 100', profile: 'anthropic', servers: 10, tools: 100 },
  { name: 'anthropic, 10 x 100, prepared', profile: 'anthropic', servers: 10, tools: 100, isPrepared: true },
  { name: 'anthropic, 100 x 100, prepared', profile: 'anthropic', servers: 100, tools: 100, isPrepared: true },
  { name: 'openai, 100 x 100, prepared', profile: 'openai', servers: 100, tools: 100, isPrepared: true },
  { name: 'anthropic, 500 x 100, prepared', profile: 'anthropic', servers: 500, tools: 100, isPrepared: true },
];

export async function run({ inside, quick }) {
  const rounds = Number(process.env.BENCH_ROUNDS ?? (quick ? 3 : 7));
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-bench-export-')));
  const samples = new Map(cases.map(({ name }) => [name, []]));
  try {
    for (let turn = 0; turn < rounds * cases.length; turn++) {
      const one = cases[(turn + Math.floor(turn / cases.length)) % cases.length];
      samples.get(one.name).push(await runOnce(one, { inside, folder }));
      showProgress('export', turn + 1, rounds * cases.length);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const figures = cases.map(({ name }) => {
    const own = samples.get(name);
    return [name, Object.fromEntries(Object.keys(own[0]).map((key) => [key, median(own.map((one) => one[key]))]))];
  });
  const head = [
    'profile, servers x tools',
    'prepared',
    'stall',
    'first turn',
    'other session',
    'unchanged',
    'changed, first',
    'changed',
    'slowest',
    'index',
    'search p50',
    'KB a request',
  ];
  return {
    title: `A turn for a model with many tools of 2 KB: ms of the main thread, median of ${rounds} fresh processes`,
    tables: [{ head, rows: figures.map(([name, one]) => [name, ...Object.values(one).map(ms)]) }],
    notes: [
      'prepared = host.prepared, and the longest stall of the event loop meanwhile; 0 where the first turn comes without it. Only the first turns of prepared hosts are measured.',
      'changed = one server has one more tool; the median and the slowest of 20 such turns, and the first one by itself. The definitions are on disk.',
      'index = the first search, which makes what is looked through; search = all of host.search, the definitions of what was found included.',
    ],
    aims: figures.flatMap(([name, { changed, prepared, stall, first, request }]) => [
      {
        what: `export, ${/** @type {string} */ (name)}, definitions of a request`,
        limit: REQUEST_AIM_KB,
        value: request,
        unit: ' KB',
      },
      ...(prepared > 0
        ? [
            { what: `export, ${/** @type {string} */ (name)}, stall`, limit: STALL_AIM_MS, value: stall, unit: ' ms' },
            {
              what: `export, ${/** @type {string} */ (name)}, first turn`,
              limit: STALL_AIM_MS,
              value: first,
              unit: ' ms',
            },
          ]
        : [
            {
              what: `export, ${/** @type {string} */ (name)}, turn after a change`,
              limit: CHANGED_AIM_MS,
              value: changed,
              unit: ' ms',
            },
          ]),
    ]),
    figures: { rounds, cases: Object.fromEntries(figures) },
  };
}

async function runOnce({ name, ...plan }, { inside, folder }) {
  const home = join(folder, 'home');
  const cwd = join(home, 'project');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home };
  const { figures, why } = await runChild({ env, cwd, script, plan: { ...plan, inside }, limitMs: LIMIT_MS });
  rmSync(home, { recursive: true, force: true });
  if (figures === undefined) throw new Error(`export, ${name}: ${why}`);
  return figures;
}

await printAlone(import.meta.url, run);
