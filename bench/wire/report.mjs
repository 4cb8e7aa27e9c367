import { median, summarize } from '../lib/statistics.mjs';
import { ms, times } from '../lib/table.mjs';
import { aims } from './aims.mjs';

const NOTHING = '-';

/** One table per case: every client in it, beside the floor that ran on the same Node. */
export function toTables(runs) {
  return groupByCase(runs).map(([one, group]) => {
    const head = [
      'client',
      `CPU ${unitOf(one)}`,
      'middle half',
      'to floor',
      `p50 ${unitOf(one)}`,
      'to floor',
      ...(one.flight > 1 ? ['calls/s'] : []),
      ...(one.tool === 'big' ? ['memory MB'] : []),
      'aim',
    ];
    return { title: one.name, head, rows: group.map((run) => toRow(run, group, head.length)) };
  });
}

function toRow(run, group, width) {
  const { one, client, samples, why } = run;
  if (why !== undefined)
    return [client.name, why.startsWith('over ') ? why : 'fails', ...Array.from({ length: width - 2 }, () => NOTHING)];
  const cpu = summarize(samples.map((sample) => sample.cpu));
  const scale = one.tool === 'big' ? 1 : 1000;
  const base = floorOf(run, group);
  return [
    client.name + (samples[0].slow ? ' (one call)' : ''),
    ms(cpu.median * scale),
    `${ms(cpu.low * scale)}-${ms(cpu.high * scale)}`,
    times(cpu.median / figure(base, 'cpu')),
    ms(figure(run, 'p50') * scale),
    times(figure(run, 'p50') / figure(base, 'p50')),
    ...(one.flight > 1 ? [Math.round(1000 / figure(run, 'wall')).toLocaleString('en')] : []),
    ...(one.tool === 'big' ? [figure(run, 'growth').toFixed(0)] : []),
    describeAims(run, group),
  ];
}

function describeAims(run, group) {
  if (!run.client.own) return '';
  return aims
    .filter((aim) => aim.case === run.one.name && aim.of !== 'linear')
    .map((aim) => {
      const value = valueOf(aim, run, group);
      return `${aim.limit}${shortUnits[aim.of]} ${value <= aim.limit ? 'met' : 'MISSED'}`;
    })
    .join(', ');
}

const shortUnits = { cpu: 'x CPU', growth: ' MB', p50: ' us' };

/** The aims for the summary at the end, for Plugboard's own rows. */
export function toAims(runs) {
  const groups = new Map(groupByCase(runs).map(([one, group]) => [one.name, group]));
  const ownRun = (name) => groups.get(name)?.find(({ client, samples }) => client.own && samples.length > 0);
  return aims.flatMap((aim) => {
    const run = ownRun(aim.case);
    if (run === undefined) return [];
    const { name } = run.one;
    if (aim.of === 'linear') {
      const base = ownRun(aim.base);
      if (base === undefined) return [];
      const value = figure(run, 'cpu') / figure(base, 'cpu');
      return [{ what: `${name}, CPU to that of 10 MB`, limit: aim.limit, value, unit: 'x' }];
    }
    const value = valueOf(aim, run, groups.get(name));
    return [{ what: `${name}, ${longUnits[aim.of].what}`, limit: aim.limit, value, unit: longUnits[aim.of].unit }];
  });
}

const longUnits = {
  cpu: { what: 'CPU to floor', unit: 'x' },
  growth: { what: 'growth of memory', unit: ' MB' },
  p50: { what: 'p50', unit: ' us' },
};

function valueOf(aim, run, group) {
  switch (aim.of) {
    case 'cpu':
      return figure(run, 'cpu') / figure(floorOf(run, group), 'cpu');
    case 'growth':
      return figure(run, 'growth');
    case 'p50':
      return figure(run, 'p50') * 1000;
    default:
      throw new Error(`no "${aim.of}"`);
  }
}

function floorOf(run, group) {
  return group.find(({ client }) => client.floor && client.node.path === run.client.node.path);
}

function figure({ samples }, name) {
  return median(samples.map((sample) => sample[name]));
}

function unitOf({ tool }) {
  return tool === 'big' ? 'ms' : 'us';
}

function groupByCase(runs) {
  const groups = new Map();
  for (const run of runs) groups.set(run.one, [...(groups.get(run.one) ?? []), run]);
  return [...groups];
}
