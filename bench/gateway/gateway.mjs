// Measures the gateway: `npm run bench -- gateway`. README.md says how to read it.
import { ms, times } from '../lib/table.mjs';
import { measureCalls } from './calls.mjs';

const ROUNDS = 5;
const QUICK_ROUNDS = 2;

export async function run({ world, quick, peers }) {
  const rounds = Number(process.env.BENCH_ROUNDS ?? (quick ? QUICK_ROUNDS : ROUNDS));
  const parts = process.env.BENCH_PARTS?.split(',').map((part) => part.trim());
  const isWanted = (part) => parts === undefined || parts.includes(part);
  const result = {
    title: `The gateway, median of ${rounds} interleaved rounds`,
    tables: [],
    notes: [],
    aims: [],
    figures: {},
  };
  for (const [part, measure] of Object.entries(measures)) {
    if (isWanted(part)) await measure(result, { world, quick, peers, rounds });
  }
  return result;
}

const measures = {
  async calls(result, options) {
    const { runs, missing } = await measureCalls(options);
    result.figures.calls = runs;
    if (missing !== undefined) result.notes.push(`Other gateways: ${missing}`);
    for (const { name, upstream, why } of runs)
      if (why !== undefined) result.notes.push(`${name}, ${upstream}: ${why}`);
    const direct = runs.find(({ name }) => name === 'no gateway');
    for (const upstream of ['http', 'stdio']) {
      const own = runs.filter((one) => one.upstream === upstream && one.cpuUs !== undefined);
      const rows = own.map((one) =>
        toRow(one, { direct, floor: own.find(({ name }) => name === 'bytes through node') }),
      );
      if (rows.length > 0) result.tables.push({ title: `One call, ${upstream} server, 64 clients`, head, rows });
    }
    result.notes.push(
      'CPU: of the gateway alone, user + system of all threads, for a call. p50: one client alone; added: more than without a gateway.',
    );
  },
};

const head = ['gateway', 'CPU us', 'to bytes', 'calls/s', 'p50 ms', 'added us'];

function toRow({ name, upstream, cpuUs, rate, p50Ms }, { direct, floor }) {
  const isDirect = name === 'no gateway';
  return [
    name,
    isDirect ? '' : cpuUs.toFixed(1),
    isDirect || floor === undefined ? '' : times(cpuUs / floor.cpuUs),
    rate.toFixed(0),
    ms(p50Ms),
    isDirect || direct === undefined || upstream !== 'http' ? '' : ((p50Ms - direct.p50Ms) * 1_000).toFixed(0),
  ];
}
