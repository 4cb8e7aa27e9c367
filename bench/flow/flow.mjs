// Measures the flow guard: which scenarios of plugboard/testing it asks about, what a session of 200 calls is asked, and
// what it costs a call through `host.call`. `node bench/flow/flow.mjs [--inside FOLDER] [--quick]` runs this alone.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { showProgress } from '../lib/progress.mjs';
import { runChild } from '../lib/run-child.mjs';
import { median } from '../lib/statistics.mjs';
import { printAlone } from '../registry/alone.mjs';

const COST_AIM_US = 200;
const MEMORY_AIM_MB = 20;
const QUESTIONS_AIM = 2;
const LIMIT_MS = 120_000;
const MARKED = [0, 100_000, 1_000_000];
const SIZES = [200, 2_000, 20_000];
const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));

export async function run({ world, inside = world.inside, quick }) {
  const rounds = Number(process.env.BENCH_ROUNDS ?? (quick ? 1 : 5));
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-bench-flow-')));
  const runs = MARKED.flatMap((marked) => SIZES.map((size) => ({ marked, size, samples: [] })));
  const runOne = async (script, plan) => {
    const home = join(folder, 'home');
    mkdirSync(home, { recursive: true });
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home };
    const { figures, why } = await runChild({ env, cwd: home, script: pathOf(script), plan, limitMs: LIMIT_MS });
    rmSync(home, { recursive: true, force: true });
    if (figures === undefined) throw new Error(`flow, ${script}: ${why}`);
    return figures;
  };
  try {
    const recording = pathOf('../../test/flow/recorded-session.jsonl');
    const rates = await runOne('rates-child.mjs', { inside, recording });
    const total = rounds * runs.length;
    for (let turn = 0; turn < total; turn++) {
      const one = runs[(turn + Math.floor(turn / runs.length)) % runs.length];
      const { marked, size } = one;
      const calls = size > 10_000 ? 20 : 50;
      const plan = { inside, marked, size, warm: size > 10_000 ? 300 : 2_000, blocks: 21, calls };
      one.samples.push(await runOne('cost-child.mjs', plan));
      showProgress('flow', turn + 1, total);
    }
    return report(runs, { rounds, rates });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(runs, { rounds, rates: { scenarios, session } }) {
  const rateOf = (asks) => {
    const all = scenarios.filter((one) => one.asks === asks);
    return { all: all.length, right: all.filter(({ isAsWritten }) => isAsWritten).length };
  };
  const [attacks, everyday] = [rateOf(true), rateOf(false)];
  const wrong = scenarios.filter(({ isAsWritten }) => !isAsWritten).map(({ name }) => name);
  const figures = runs.map(({ marked, size, samples }) => {
    const of = (read) => median(samples.map(read));
    return {
      marked,
      size,
      young: of(({ young }) => young.on - young.off),
      warm: of(({ warm }) => warm.on - warm.off),
      off: of(({ warm }) => warm.off),
      reading: of(({ reading }) => reading.on - reading.off),
      memory: of(({ memory }) => memory),
    };
  });
  return {
    title: `The flow guard: its scenarios, and its cost through host.call in ${rounds} fresh processes each`,
    tables: [
      {
        title: 'what is asked about',
        head: ['', 'as written', 'of'],
        rows: [
          ['the model sends out what it has read', `${attacks.right}`, `${attacks.all}`],
          ['ordinary work', `${everyday.right}`, `${everyday.all}`],
        ],
      },
      {
        title: 'cost of a call, and of a result, in us of CPU more than with mode off',
        head: ['marked, input', 'young', 'warm', 'a call without', 'a KB of a result', 'memory MB'],
        rows: figures.map(({ marked, size, young, warm, off, reading, memory }) => [
          `${marked / 1000} KB, ${size} B`,
          ...[young, warm, off, reading].map((value) => value.toFixed(1)),
          memory.toFixed(2),
        ]),
      },
    ],
    notes: [
      `The recorded session of ${session.calls} calls asks ${session.questions} questions, answered "session".`,
      ...(wrong.length > 0 ? [`Not as written: ${wrong.join(', ')}`] : []),
      'young: 420 calls of a new process. warm: after hundreds of calls. Both hosts take turns within the process.',
    ],
    aims: [
      { what: 'flow, injected scenarios not asked about', limit: 0, value: attacks.all - attacks.right, unit: '' },
      { what: 'flow, everyday scenarios asked about', limit: 0, value: everyday.all - everyday.right, unit: '' },
      { what: 'flow, questions of the recorded session', limit: QUESTIONS_AIM, value: session.questions, unit: '' },
      ...figures
        .filter(({ marked }) => marked === 1_000_000)
        .flatMap(({ size, warm, memory }) => [
          { what: `flow, 1 MB marked, input of ${size} B, a call`, limit: COST_AIM_US, value: warm, unit: ' us' },
          { what: `flow, 1 MB marked, input of ${size} B, memory`, limit: MEMORY_AIM_MB, value: memory, unit: ' MB' },
        ]),
    ],
    figures: { rounds, scenarios, session, runs: figures },
  };
}

await printAlone(import.meta.url, run);
