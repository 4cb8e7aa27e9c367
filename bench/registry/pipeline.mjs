// Measures a call with all steps: an allowing rule, a hook before and one after it, the ledger; compared with a client
// by hand that only makes it. `node bench/registry/pipeline.mjs [--inside FOLDER] [--quick]` runs this part alone.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { showProgress } from '../lib/progress.mjs';
import { runChild } from '../lib/run-child.mjs';
import { median, summarize } from '../lib/statistics.mjs';
import { ms, times } from '../lib/table.mjs';
import { printAlone } from './alone.mjs';

const CPU_AIM = 1.6;
const LIMIT_MS = 60_000;
const script = fileURLToPath(new URL('pipeline-child.mjs', import.meta.url));
const server = fileURLToPath(new URL('../wire/servers/stdio.mjs', import.meta.url));

const clients = ['floor', 'plugboard', 'plugboard, bare'];
/** Many calls come before the counted ones: V8 takes a third of a second to compile all code that a call runs. */
const cases = [
  { name: '64 in flight', flight: 64, warm: 40_000, count: 40_000, aim: CPU_AIM },
  { name: 'one at a time', flight: 1, warm: 10_000, count: 5000 },
];

export async function run({ inside, quick }) {
  const rounds = Number(process.env.BENCH_ROUNDS ?? (quick ? 3 : 9));
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-bench-pipeline-')));
  const runs = cases.flatMap((one) => clients.map((client) => ({ one, client, samples: [] })));
  try {
    const total = rounds * runs.length;
    for (let turn = 0; turn < total; turn++) {
      const round = Math.floor(turn / runs.length);
      const each = runs[(turn + round) % runs.length];
      each.samples.push(await runOnce(each, { inside, folder }));
      showProgress('pipeline', turn + 1, total);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return report(runs, rounds);
}

async function runOnce({ one, client }, { inside, folder }) {
  const home = join(folder, 'home');
  const cwd = join(home, 'project');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home };
  const { flight, warm, count } = one;
  const plan = { client, inside, command: process.execPath, args: [server, 'legacy'], flight, warm, count };
  const { figures, why } = await runChild({ env, cwd, script, plan, limitMs: LIMIT_MS });
  rmSync(home, { recursive: true, force: true });
  if (figures === undefined) throw new Error(`pipeline, ${client}, ${one.name}: ${why}`);
  return figures;
}

function report(runs, rounds) {
  const figures = runs.map(({ one, client, samples }) => {
    const { median: cpu, low, high } = summarize(samples.map((sample) => sample.cpu * 1000));
    const of = (key) => median(samples.map((sample) => sample[key])) * 1000;
    return {
      case: one.name,
      client,
      aim: one.aim,
      cpu,
      low,
      high,
      p50: of('p50'),
      wall: of('wall'),
      lost: of('lost') / 1000,
    };
  });
  const floorOf = (figure) => figures.find((one) => one.case === figure.case && one.client === 'floor');
  return {
    title: `The pipeline: a call of 100 B over stdio, median of ${rounds} interleaved rounds, a fresh process each`,
    tables: cases.map(({ name }) => ({
      title: name,
      head: ['client', 'CPU us', 'middle half', 'to floor', 'p50 us', 'to floor', 'calls/s', 'not written down'],
      rows: figures
        .filter((one) => one.case === name)
        .map((one) => [
          one.client,
          ms(one.cpu),
          `${ms(one.low)}-${ms(one.high)}`,
          times(one.cpu / floorOf(one).cpu),
          ms(one.p50),
          times(one.p50 / floorOf(one).p50),
          Math.round(1e6 / one.wall).toLocaleString('en'),
          one.lost.toLocaleString('en'),
        ]),
    })),
    notes: [
      'plugboard: a rule that allows the server, a function before and one after each call, the ledger. bare: neither rules nor hooks.',
    ],
    aims: figures
      .filter(({ client, aim }) => client === 'plugboard' && aim !== undefined)
      .map((one) => {
        const value = one.cpu / floorOf(one).cpu;
        return { what: `pipeline, ${one.case}, CPU to floor`, limit: one.aim, value, unit: 'x' };
      }),
    figures: { rounds, runs: figures },
  };
}

await printAlone(import.meta.url, run);
