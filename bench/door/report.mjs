import { median, summarize } from '../lib/statistics.mjs';
import { ms, times } from '../lib/table.mjs';

const NOTHING = '-';

/** One table per case, every client in it. */
export function toTables(runs) {
  return [...groupByCase(runs)].map(([one, group]) => {
    const unit = one.tool === 'big' ? 'ms' : 'us';
    const head = [
      'client',
      ...(one.young > 0 ? [`young CPU ${unit}`, 'to floor'] : []),
      `warm CPU ${unit}`,
      'middle half',
      'to floor',
      `p50 ${unit}`,
      'calls/s',
      'peak MB',
      'aim',
    ];
    return { title: one.name, head, rows: group.map((run) => toRow(run, group, head.length)) };
  });
}

function toRow(run, group, width) {
  const { one, client, samples, why } = run;
  if (why !== undefined) return [client.name, 'fails', ...Array.from({ length: width - 2 }, () => NOTHING)];
  const scale = one.tool === 'big' ? 1 : 1000;
  const { median: cpu, low, high } = summarize(samples.map(({ warm }) => warm.cpu * scale));
  const young = one.young > 0 ? [ms(figure(run, 'young', 'cpu') * scale), times(toFloor('young', run, group))] : [];
  return [
    client.name,
    ...young,
    ms(cpu),
    `${ms(low)}-${ms(high)}`,
    times(toFloor('warm', run, group)),
    ms(figure(run, 'warm', 'p50') * scale),
    Math.round(1000 / figure(run, 'warm', 'wall')).toLocaleString('en'),
    median(samples.map(({ peak }) => peak)).toFixed(0),
    client.isOwn ? describeAims(run, group) : '',
  ];
}

function describeAims(run, group) {
  return aimsOf(run, group)
    .map(({ of, limit, value, unit }) => `${of} ${limit}${unit} ${value <= limit ? 'yes' : 'NO'}`)
    .join(', ');
}

/** The aims for the summary at the end, for Plugboard's own rows. */
export function toAims(runs) {
  return [...groupByCase(runs)].flatMap(([one, group]) =>
    group
      .filter(({ client }) => client.isOwn)
      .flatMap((run) => aimsOf(run, group))
      .map(({ of, limit, value, unit }) => ({ what: `door: ${one.name}, ${wordsOf[of]}`, limit, value, unit })),
  );
}

const wordsOf = { young: 'young, CPU to floor', warm: 'CPU to floor', p50: 'p50', peak: 'peak of memory' };

function aimsOf(run, group) {
  return Object.entries(run.one.aims).map(([of, limit]) => ({ of, limit, ...valueOf(of, run, group) }));
}

function valueOf(of, run, group) {
  if (of === 'p50') return { value: figure(run, 'warm', 'p50') * 1000, unit: ' us' };
  if (of === 'peak') return { value: median(run.samples.map(({ peak }) => peak)), unit: ' MB' };
  return { value: toFloor(of, run, group), unit: 'x' };
}

function toFloor(of, run, group) {
  const floor = group.find(({ client }) => client.isFloor);
  return figure(run, of, 'cpu') / figure(floor, of, 'cpu');
}

function figure({ samples }, of, name) {
  return median(samples.map((sample) => sample[of][name]));
}

function groupByCase(runs) {
  const groups = new Map();
  for (const run of runs) groups.set(run.one, [...(groups.get(run.one) ?? []), run]);
  return groups;
}
