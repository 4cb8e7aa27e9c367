// Measures what 10,000 tools of 2 KB cost, compared with a client by hand that fetches and parses the same lists. `node
// bench/registry/registering.mjs [--inside FOLDER] [--quick]` runs this part alone; FOLDER has single modules.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { showProgress } from '../lib/progress.mjs';
import { runChild } from '../lib/run-child.mjs';
import { median } from '../lib/statistics.mjs';
import { ms, times } from '../lib/table.mjs';
import { printAlone } from './alone.mjs';

const SERVERS = 10;
const TOOLS = 10_000;
const CPU_AIM = 2.5;
const HEAP_AIM_KB = 1;
const LIMIT_MS = 60_000;
const script = fileURLToPath(new URL('registering-child.mjs', import.meta.url));
const server = fileURLToPath(new URL('servers/stdio.mjs', import.meta.url));

const kinds = [
  { name: 'plain', output: '' },
  { name: 'with outputSchema', output: 'output' },
];

export async function run({ inside, quick }) {
  const rounds = Number(process.env.BENCH_ROUNDS ?? (quick ? 3 : 9));
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-bench-registering-')));
  // Runs with one tool per server measure the memory of the host itself, which is no part of the memory of a tool.
  const runs = kinds.flatMap((kind) => [
    { kind, client: 'floor', tools: TOOLS },
    { kind, client: 'plugboard', tools: TOOLS },
    { kind, client: 'plugboard', tools: SERVERS },
    { kind, client: 'floor', tools: SERVERS },
  ]);
  for (const one of runs) one.samples = [];
  try {
    const total = rounds * runs.length;
    for (let turn = 0; turn < total; turn++) {
      const round = Math.floor(turn / runs.length);
      const one = runs[(turn + round) % runs.length];
      one.samples.push(await runOnce(one, { inside, folder }));
      showProgress('registering', turn + 1, total);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return report(runs, rounds);
}

async function runOnce({ kind, client, tools }, { inside, folder }) {
  const home = join(folder, 'home');
  const cwd = join(home, 'project');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  const entries = Array.from({ length: SERVERS }, (_, index) => {
    const args = [server, `server-${index}`, String(tools / SERVERS), kind.output];
    return [`server-${index}`, { command: process.execPath, args }];
  });
  const config = join(folder, 'servers.json');
  writeFileSync(config, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  const plan = { client, inside, servers: entries.map(([, entry]) => entry), config, expected: tools };
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: home };
  const { figures, why } = await runChild({ env, cwd, script, plan, limitMs: LIMIT_MS });
  rmSync(home, { recursive: true, force: true });
  if (figures === undefined) throw new Error(`registering, ${client}, ${kind.name}: ${why}`);
  return figures;
}

function report(runs, rounds) {
  const figures = kinds.map((kind) => {
    const of = (client, tools) => {
      const { samples } = runs.find((one) => one.kind === kind && one.client === client && one.tools === tools);
      return Object.fromEntries(Object.keys(samples[0]).map((key) => [key, median(samples.map((one) => one[key]))]));
    };
    return { name: kind.name, floor: toFigures(of, 'floor'), plugboard: toFigures(of, 'plugboard') };
  });
  const rows = figures.flatMap(({ name, floor, plugboard }) =>
    [
      ['floor', floor],
      ['plugboard', plugboard],
    ].map(([client, one]) => [
      `${client}, ${name}`,
      ms(one.cpu),
      times(one.cpu / floor.cpu),
      ms(one.wall),
      ms(one.keepCpu),
      one.unsaved.toFixed(2),
      one.heap.toFixed(2),
      one.buffers.toFixed(2),
      one.resident.toFixed(0),
    ]),
  );
  const head = [
    '10 x 1,000 tools',
    'CPU ms',
    'to floor',
    'wall ms',
    'saving CPU',
    'KB at first',
    'KB saved',
    'KB buffers',
  ];
  return {
    title: `Registering: 10,000 tools with schemas of 2 KB over stdio, median of ${rounds} interleaved rounds, a fresh process each`,
    tables: [{ head: [...head, 'RSS MB'], rows }],
    notes: [
      'CPU = user + system of all threads, from before the first server is started until all tools are known; modules are loaded before.',
      'KB = JavaScript heap for each tool, over that of the same servers with one tool each; "at first" before the definitions are on disk.',
      `${Math.max(...figures.map(({ plugboard }) => plugboard.compiled))} schemas were made ready for checking.`,
    ],
    aims: figures.flatMap(({ name, floor, plugboard }) => [
      { what: `registering, ${name}, CPU to floor`, limit: CPU_AIM, value: plugboard.cpu / floor.cpu, unit: 'x' },
      { what: `registering, ${name}, heap of a tool`, limit: HEAP_AIM_KB, value: plugboard.heap, unit: ' KB' },
      { what: `registering, ${name}, schemas compiled`, limit: 0, value: plugboard.compiled, unit: '' },
    ]),
    figures: { rounds, kinds: figures },
  };
}

/** Memory in KB for each tool. */
function toFigures(of, client) {
  const many = of(client, TOOLS);
  const few = of(client, SERVERS);
  const perTool = (key) => (many[key] - few[key]) / 1024 / (TOOLS - SERVERS);
  return { ...many, unsaved: perTool('unsaved'), heap: perTool('heap'), buffers: perTool('buffers') };
}

await printAlone(import.meta.url, run);
