import { median, summarize } from '../lib/statistics.mjs';
import { ms, times } from '../lib/table.mjs';
import { fleetName, slowName } from './cases.mjs';

const NOTHING = '-';
const ALONE = fleetName('stdio', 1);
const RESIDENT_AIM_MB = 50;
const wallAims = [
  { case: fleetName('stdio', 100), limit: 1.1 },
  { case: slowName(50), limit: 1.2 },
  { case: fleetName('http', 500), limit: 1.3 },
];
/** MB for each further connection: the growth from the fleet `from` to the fleet `to`. */
const slopes = [
  { what: 'stdio', from: ALONE, to: fleetName('stdio', 100), limit: 0.05 },
  { what: 'HTTP', from: fleetName('http', 100), to: fleetName('http', 500), limit: 0.12 },
];

/** One table per fleet: every client in it, beside the floor that ran on the same Node. */
export function toTables(runs) {
  const fleets = [...new Set(runs.map(({ one }) => one))];
  return fleets.map((one) => {
    const group = runs.filter((run) => run.one === one);
    const head = [
      'client',
      'wall ms',
      'middle half',
      'to floor',
      'known ms',
      'CPU ms',
      'to floor',
      'RSS MB',
      ...(one.transport === 'stdio' ? ['servers CPU'] : []),
    ];
    return { title: titleOf(one), head, rows: group.map((run) => toRow(run, group, head.length)) };
  });
}

function titleOf({ transport, count, boot }) {
  const servers = `${count} ${transport === 'http' ? 'HTTP' : transport} server${count === 1 ? '' : 's'}`;
  return boot > 0 ? `${servers} that take ${boot} ms to boot` : servers;
}

function toRow(run, group, width) {
  const { one, client, samples, why } = run;
  if (why !== undefined)
    return [client.name, why.startsWith('over ') ? why : 'fails', ...Array.from({ length: width - 2 }, () => NOTHING)];
  const wall = summarize(samples.map((sample) => sample.wall));
  return [
    client.name,
    ms(wall.median),
    `${ms(wall.low)}-${ms(wall.high)}`,
    times(toFloor(run, group, 'wall')),
    ms(figure(run, 'known')),
    ms(figure(run, 'cpu')),
    times(toFloor(run, group, 'cpu')),
    figure(run, 'rss').toFixed(1),
    ...(one.transport === 'stdio' ? [ms(figure(run, 'serverCpu'))] : []),
  ];
}

/** What is resident after garbage collection, and what each further connection adds. */
export function toMemoryTables(runs) {
  const rows = [...new Set(runs.map(({ client }) => client.name))].map((name) => {
    const alone = find(runs, name, ALONE);
    const further = slopes.map((slope) => slopeOf(runs, name, slope));
    return [name, alone && figure(alone, 'kept').toFixed(1), ...further.map((value) => value?.toFixed(3))];
  });
  const head = ['client', 'MB with 1 stdio server', ...slopes.map(({ what }) => `MB per further ${what}`)];
  const known = rows.filter((row) => row.slice(1).some((cell) => cell !== undefined));
  if (known.length === 0) return [];
  return [{ title: 'Memory, garbage collected', head, rows: known.map((row) => row.map((cell) => cell ?? NOTHING)) }];
}

/** The aims for the summary at the end, for Plugboard's own rows. */
export function toAims(runs) {
  const own = [...new Set(runs.filter(({ client }) => client.own).map(({ client }) => client.name))];
  const walls = wallAims.flatMap((aim) =>
    own.flatMap((name) => {
      const run = find(runs, name, aim.case);
      if (run === undefined) return [];
      const group = runs.filter(({ one }) => one === run.one);
      const what = `${name}, ${titleOf(run.one)}, wall to floor`;
      return [{ what, limit: aim.limit, value: toFloor(run, group, 'wall'), unit: 'x' }];
    }),
  );
  const memory = own.slice(0, 1).flatMap((name) => {
    const one = find(runs, name, ALONE);
    const resident = one && {
      what: `${name}, resident with 1 stdio server`,
      limit: RESIDENT_AIM_MB,
      value: figure(one, 'kept'),
      unit: ' MB',
    };
    const further = slopes.map((slope) => ({
      what: `${name}, resident for each further ${slope.what} connection`,
      limit: slope.limit,
      value: slopeOf(runs, name, slope),
      unit: ' MB',
    }));
    return [resident, ...further].filter((aim) => aim?.value !== undefined);
  });
  return [...walls, ...memory];
}

function slopeOf(runs, name, { from, to }) {
  const [first, second] = [from, to].map((fleet) => find(runs, name, fleet));
  if (first === undefined || second === undefined) return undefined;
  return (figure(second, 'kept') - figure(first, 'kept')) / (second.one.count - first.one.count);
}

function find(runs, name, fleet) {
  return runs.find(({ one, client, samples }) => client.name === name && one.name === fleet && samples.length > 0);
}

/** The ratio to the floor on the same Node, in the rounds that both ran in. */
function toFloor(run, group, name) {
  const floor = group.find(({ client }) => client.floor && client.node.path === run.client.node.path);
  const rounds = new Set(run.samples.map(({ round }) => round));
  const beside = floor.samples.filter(({ round }) => rounds.has(round));
  return figure(run, name) / figure({ samples: beside }, name);
}

function figure({ samples }, name) {
  return median(samples.map((sample) => sample[name]));
}
