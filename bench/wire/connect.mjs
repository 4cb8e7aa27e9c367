// Measures what it costs to detect a server's era: connecting to a legacy server that is sent `server/discover` first,
// compared with one whose era is cached and one whose entry names it.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { showProgress } from '../lib/progress.mjs';
import { median } from '../lib/statistics.mjs';
import { ms } from '../lib/table.mjs';
import { runClient } from './process.mjs';

const ROUNDS_EACH = 3; // per round of the bench: a connect takes milliseconds, and the differences are smaller
const manners = [
  { name: '"era": "legacy"', entry: { era: 'legacy' } },
  { name: 'remembered', isRemembered: true },
  { name: 'asked first' },
];

export async function measureConnecting({ ways, rounds, settings, toServer, world }) {
  const shown = ways.filter(({ name }) => name === 'stdio' || name === 'http');
  const runs = shown.flatMap((way) => manners.map((manner) => ({ way, manner, samples: [] })));
  if (!existsSync(join(world.inside, 'connection/era-cache.js'))) return { tables: [], figures: [] };
  const cache = join(settings.cwd, 'cache');
  mkdirSync(cache);
  for (const each of runs.filter(({ manner }) => manner.isRemembered)) await connect(each);
  if (runs.length > 0 && readdirSync(join(cache, 'eras')).length !== shown.length)
    throw new Error('it forgot the eras');
  const total = rounds * ROUNDS_EACH * runs.length;
  for (let turn = 0; turn < total; turn++) {
    showProgress('connects', turn + 1, total);
    const round = Math.floor(turn / runs.length);
    const each = runs[(turn + round) % runs.length];
    each.samples.push(await connect(each));
  }
  return { tables: shown.map((way) => toTable(way, runs)), figures: runs.map(toFigure) };

  async function connect({ way: { name: way, transport }, manner: { entry = {}, isRemembered } }) {
    const server = toServer({ way, transport, era: 'legacy', tool: 'echo' });
    const options = { lib: world.inside, folder: settings.cwd, ...(isRemembered && { cache, hash: way }) };
    const target = transport === 'http' ? { type: 'http', url: server.url } : server;
    const plan = { ...options, entry: { ...target, ...entry } };
    const { ok, why, ...sample } = await runClient({ ...settings, plan, script: 'connect-child.mjs' });
    if (!ok) throw new Error(`connecting over ${way} fails: ${why}`);
    return sample;
  }
}

function toTable(way, runs) {
  const group = runs.filter((each) => each.way === way);
  const least = group[0];
  const columns = ['firstWall', 'firstCpu', 'nextWall', 'nextCpu'];
  return {
    title: `${way.name}: connecting to a legacy server`,
    head: ['era', 'first, ms', 'more', 'CPU', 'more', 'next ones, ms', 'more', 'CPU', 'more'],
    rows: group.map((each) => [
      each.manner.name,
      ...columns.flatMap((name) => [ms(figure(each, name)), ms(figure(each, name) - figure(least, name))]),
    ]),
  };
}

function toFigure({ way, manner, samples }) {
  return { way: way.name, era: manner.name, samples };
}

function figure({ samples }, name) {
  return median(samples.map((sample) => sample[name]));
}
