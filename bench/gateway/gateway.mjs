// Measures the gateway: `npm run bench -- gateway`. README.md says how to read it.
import { ms, times } from '../lib/table.mjs';
import { measureCalls } from './calls.mjs';
import { measureList, measureStart } from './lists.mjs';
import { measureIdle, measureStreams } from './sockets.mjs';
import { measureWatches } from './watches.mjs';

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
    if (!isWanted(part)) continue;
    await measure(result, { world, quick, peers, rounds }).catch((error) =>
      result.notes.push(`${part}: ${error.message}`),
    );
  }
  return result;
}

async function calls(result, options) {
  const { runs, missing } = await measureCalls(options);
  result.figures.calls = runs;
  if (missing !== undefined) result.notes.push(`Other gateways: ${missing}`);
  for (const { name, upstream, why } of runs) if (why !== undefined) result.notes.push(`${name}, ${upstream}: ${why}`);
  const direct = runs.find(({ name }) => name === 'no gateway');
  for (const upstream of ['http', 'stdio']) {
    const own = runs.filter((one) => one.upstream === upstream && one.cpuUs !== undefined);
    const floor = own.find(({ name }) => name === 'bytes through node');
    const rows = own.map((one) => toRow(one, { direct, floor }));
    if (rows.length > 0) result.tables.push({ title: `One call, ${upstream} server, 64 clients`, head, rows });
    const ours = own.filter(({ name }) => name.startsWith('plugboard'));
    if (ours.length === 0) continue;
    const value = Math.max(...ours.map(({ cpuUs }) => cpuUs));
    result.aims.push({
      what: `CPU of a call, ${upstream} server, the worst pair of eras`,
      limit: AIMS[upstream],
      value,
      unit: ' us',
    });
    if (upstream !== 'http' || direct === undefined) continue;
    const added = Math.max(...ours.map(({ p50Ms }) => p50Ms - direct.p50Ms)) * 1_000;
    result.aims.push({ what: 'added p50 of one client, http server', limit: AIMS.added, value: added, unit: ' us' });
  }
  result.notes.push(
    'CPU: of the gateway alone, user + system of all threads, for a call. p50: one client alone; added: more than without a gateway.',
  );
}

async function list(result, options) {
  const { pages, bytes, cpuMs, samples } = await measureList(options);
  result.figures.list = { pages, bytes, cpuMs, samples };
  result.notes.push(`10,000 tools: ${pages} pages, ${bytes} bytes, ${cpuMs.toFixed(2)} ms of CPU for all of them`);
  result.aims.push({ what: 'all pages of 10,000 tools, CPU', limit: AIMS.list, value: cpuMs, unit: ' ms' });
}

async function start(result, options) {
  const found = await measureStart(options);
  result.figures.start = found;
  result.notes.push(`100 servers known: all ${found.tools} tools ${found.ms.toFixed(0)} ms after exec`);
  result.aims.push({ what: 'start to first list, 100 servers known', limit: AIMS.start, value: found.ms, unit: ' ms' });
}

async function streams(result, options) {
  const { own, floor } = await measureStreams(options);
  result.figures.streams = { own, floor };
  result.notes.push(
    `A client with an open stream: ${(own / 1_024).toFixed(1)} KB, node:http alone ${(floor / 1_024).toFixed(1)} KB`,
  );
  result.aims.push({
    what: 'memory of a client with an open stream',
    limit: AIMS.stream,
    value: own / floor,
    unit: 'x',
  });
}

async function idle(result, options) {
  const { sockets, open, alone, beside } = await measureIdle(options);
  result.figures.idle = { sockets, open, alone, beside };
  const told = `p99 of a client: ${ms(alone)} ms alone, ${ms(beside)} ms beside ${sockets} idle and dripping sockets`;
  result.notes.push(`${told} (${open} still open)`);
  result.aims.push({
    what: 'p99 beside idle and dripping sockets',
    limit: AIMS.idle,
    value: beside / alone,
    unit: 'x',
  });
}

async function watches(result, options) {
  const found = await measureWatches(options);
  result.figures.watches = found;
  result.tables.push({
    title: 'A client that calls, while others begin to watch 900 resources each',
    head: ['clients', 'CPU us a watch', 'p50 ms alone', 'p50 ms', 'p99 ms alone', 'p99 ms'],
    rows: found.map(({ era, clients, cpuUs, alone, beside }) => [
      `${clients} ${era}`,
      cpuUs.toFixed(1),
      ms(alone.p50),
      ms(beside.p50),
      ms(alone.p99),
      ms(beside.p99),
    ]),
  });
}

const AIMS = { stdio: 55, http: 120, added: 250, list: 3, start: 150, stream: 1.5, idle: 2 };
const measures = { calls, list, start, streams, idle, watches };

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
