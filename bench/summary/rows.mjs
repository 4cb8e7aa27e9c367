// The twelve figures that the README of the benches opens with: where each one stands in what `--json` writes.
import { median } from '../lib/statistics.mjs';

/**
 * `aim`: the most that is wanted, in `unit`; x is a multiple of the floor. `read(figures)`: what was measured,
 * undefined where that bench did not run.
 */
export const rows = [
  { what: 'stdio, 64 calls in flight, CPU', aim: 1.5, ...door('stdio, 64 in flight', 'warm') },
  { what: 'the same in a young process', aim: 2, ...door('stdio, 64 in flight', 'young') },
  { what: 'stdio, one call at a time, CPU', aim: 1.4, ...door('stdio, one at a time', 'warm') },
  { what: 'HTTP, 64 calls in flight, CPU', aim: 2.44, ...door('HTTP, 64 in flight', 'warm') },
  { what: 'in-process, one call, p50', aim: 2, ...door('in-process, one at a time', 'p50') },
  { what: '100 stdio servers in one host, CPU of a call', aim: 2, ...door('stdio, 100 servers', 'warm') },
  { what: '10,000 calls in flight, peak of memory', aim: 240, ...door('stdio, 10,000 in flight', 'peak') },
  { what: '`plugboard call`, one stdio server, wall', aim: 1.3, ...oneShot('call') },
  { what: '10,000 tools of 10 servers from the cache, CPU', aim: 2.5, ...cached('library, 10 x 1,000') },
  { what: '100 stdio servers, every tool known, CPU', aim: 2.2, ...fleet('stdio 100', 'cpu') },
  { what: '500 HTTP servers, every tool known, CPU', aim: 2.5, ...fleet('http 500', 'cpu') },
  { what: 'memory with one stdio server', aim: 50, ...fleet('stdio 1', 'kept') },
];

/** A case of the bench door. `of`: warm or young, CPU to the floor; p50 in us; peak in MB. */
function door(name, of) {
  const unit = { p50: 'us', peak: 'MB' }[of] ?? 'x';
  const valueOf = ({ samples }) => {
    if (of === 'peak') return median(samples.map(({ peak }) => peak));
    if (of === 'p50') return 1000 * median(samples.map(({ warm }) => warm.p50));
    return 1000 * median(samples.map((sample) => sample[of].cpu)); // us
  };
  const read = (figures) => {
    const runs = runsOf(figures.door, name);
    const floor = runs.find(({ client }) => client.startsWith('floor'));
    return compared({ runs, floor: () => floor, unit, floorUnit: unit === 'x' ? 'us' : unit, valueOf });
  };
  return { unit, read };
}

/** A fleet. `of`: cpu, to the floor; kept, MB. */
function fleet(name, of) {
  const unit = of === 'kept' ? 'MB' : 'x';
  const valueOf = ({ samples }) => median(samples.map((sample) => sample[of]));
  const read = (figures) => {
    const runs = runsOf(figures.fleet, name);
    const floors = runs.filter(({ client }) => client.startsWith('floor'));
    // A client that needs a newer Node is compared with the floor on that Node.
    const floor = ({ client }) => {
      const newer = / Node (\d+)$/u.exec(client.replace(',', ''))?.[1];
      return floors.find((one) => one.client.endsWith(`Node ${newer}`)) ?? floors[0];
    };
    return compared({ runs, floor, unit, floorUnit: unit === 'x' ? 'ms' : unit, valueOf });
  };
  return { unit, read };
}

function runsOf(bench, name) {
  return (bench?.runs ?? []).filter((run) => run.case === name && run.samples.length > 0);
}

function compared({ runs, floor, unit, floorUnit, valueOf }) {
  const own = runs.find(({ client }) => client === 'plugboard');
  if (own === undefined) return undefined;
  const measure = (run) => (unit === 'x' ? valueOf(run) / valueOf(floor(run)) : valueOf(run));
  const peers = runs.filter(({ client }) => /^(?:SDK|AI SDK|mcporter)/u.test(client));
  const [best] = peers.map((run) => ({ who: nameOf(run), value: measure(run) })).toSorted((a, b) => a.value - b.value);
  return { now: measure(own), floor: { value: valueOf(floor(own)), unit: floorUnit }, best };
}

/** A client's name without its version. */
function nameOf({ client }) {
  return client.replace(/ \d+\.\d.*$/u, '');
}

function oneShot(what) {
  const read = ({ start }) => {
    const of = (who) => start?.cases[`${who}: ${what}, 1 stdio server`];
    const own = of('plugboard');
    if (own === undefined) return undefined;
    const peer = of('mcporter');
    return {
      now: own.wallRatio,
      floor: { value: of('by hand').wall.median, unit: 'ms' },
      best: peer && { who: 'mcporter', value: peer.wallRatio },
    };
  };
  return { unit: 'x', read };
}

function cached(name) {
  const read = ({ fleet: bench }) => {
    const list = bench?.cached?.figures ?? [];
    const own = list.find((one) => one.name === name);
    const floor = list.find((one) => one.name === 'node -e 0');
    return own && { now: own.cpu.ratio, floor: { value: floor.cpu.median, unit: 'ms' }, best: undefined };
  };
  return { unit: 'x', read };
}
