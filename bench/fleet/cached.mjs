// Measures 10,000 tools that are known from the cache, of 1 to 500 servers: whole processes from exec to exit, compared
// with a Node that does nothing. No server is started.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureProcesses, tryOnce } from '../lib/processes.mjs';
import { median, summarize } from '../lib/statistics.mjs';
import { ms, times } from '../lib/table.mjs';
import { hasHost } from './clients.mjs';
import { findMarked } from './marked.mjs';
import { commandOf, waitForEnd } from './process.mjs';

const ALL_TOOLS = 10_000;
const COUNTS = [1, 10, 100, 500];
const AIM = 2;
const CPU_AIMS = { 1: 2.3, 10: 2.5, 100: 3 }; // by the number of servers
const FLOOR = 'node -e 0';
const FILL_AT_ONCE = 50; // servers per run that fills the cache: 500 Node processes at once would take 20 GB
const FILL_LIMIT_MS = 60_000;
const child = fileURLToPath(new URL('cached-child.mjs', import.meta.url));

export async function measureCached({ world, quick }) {
  if (!hasHost(world)) return { tables: [], aims: [], figures: undefined };
  const rounds = quick ? 7 : 21;
  const home = world.home('fleet-cached');
  const base = { env: world.env(home), cwd: join(home, 'project') };
  const mark = `${process.pid}-cached`;
  const cases = [{ ...base, name: FLOOR, argv: [process.execPath, '-e', '0'] }];
  for (const count of COUNTS) {
    const tools = ALL_TOOLS / count;
    const servers = Array.from({ length: count }, (_, index) => makeServer({ name: `server-${index}`, tools, mark }));
    await fillCache({ world, base, servers, tools, mark });
    const config = writeConfig(world, servers);
    const plan = { lib: world.lib, config, expected: ALL_TOOLS };
    const name = `${count} x ${tools.toLocaleString('en')}`;
    const list = ['list', '--strict-mcp-config', '--mcp-config', config];
    const cpuAim = CPU_AIMS[count] ?? AIM;
    cases.push(
      { ...base, cpuAim, name: `library, ${name}`, argv: [process.execPath, child, JSON.stringify(plan)] },
      {
        ...base,
        cpuAim,
        name: `program list, ${name}`,
        argv: [process.execPath, world.program, ...list],
        isListing: true,
      },
    );
  }
  for (const one of cases) {
    const { ok, why, stdout } = tryOnce(one);
    const isKnown = !one.isListing || countListed(stdout) === ALL_TOOLS;
    if (!ok || !isKnown) throw new Error(`the tools of ${one.name} are not known from the cache: ${why}`);
  }
  const { samples } = await measureProcesses(cases, { rounds });
  if (findMarked(mark).length > 0) throw new Error('servers were started for tools that are known');
  const figures = cases.map((one) => toFigures(one, samples.get(one.name), samples.get(FLOOR)));
  return { tables: [toTable(figures, rounds)], aims: figures.slice(1).flatMap(toAims), figures: { rounds, figures } };
}

/** The number of tools that `plugboard list` reports as known: tools, prompts, resources and ms end its rows. */
function countListed(stdout) {
  const rows = stdout.matchAll(/ server-\d+ .* (\d+) +\d+ +\d+ +\S+$/gmu);
  return [...rows].reduce((sum, [, count]) => sum + Number(count), 0);
}

function makeServer({ name, tools, mark }) {
  return [name, { ...commandOf({ name, tools, mark }), start: 'lazy' }];
}

function writeConfig(world, servers) {
  const [first] = servers[0];
  const file = join(world.folder, 'fleets', `cached-${first}-${servers.length}-${servers[0][1].args.at(-2)}.json`);
  world.write(file, { mcpServers: Object.fromEntries(servers) });
  return file;
}

/** Has the host call each server once. */
async function fillCache({ world, base, servers, tools, mark }) {
  for (let from = 0; from < servers.length; from += FILL_AT_ONCE) {
    const some = servers.slice(from, from + FILL_AT_ONCE);
    const plan = { lib: world.lib, config: writeConfig(world, some), expected: some.length * tools, isFilling: true };
    const { status, stderr } = spawnSync(process.execPath, [child, JSON.stringify(plan)], {
      ...base,
      encoding: 'utf8',
      timeout: FILL_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    await waitForEnd(mark);
    if (status !== 0) throw new Error(`the cache is not filled (${status}): ${stderr.slice(-500)}`);
  }
}

function toFigures({ name, cpuAim }, mine, floors) {
  const [wall, cpu] = ['wall', 'cpu'].map((part) => {
    const values = summarize(mine.map((sample) => sample[part]));
    return { ...values, ratio: values.median / median(floors.map((sample) => sample[part])) };
  });
  return { name, wall, cpu, cpuAim };
}

function toAims({ name, wall, cpu, cpuAim }) {
  const what = `10,000 tools from cache, ${name}`;
  return [
    { what: `${what}, wall to ${FLOOR}`, limit: AIM, value: wall.ratio, unit: 'x' },
    { what: `${what}, CPU to ${FLOOR}`, limit: cpuAim, value: cpu.ratio, unit: 'x' },
  ];
}

function toTable(figures, rounds) {
  return {
    title: `10,000 tools known from the cache, whole processes, median of ${rounds}`,
    head: ['who, servers x tools', 'wall ms', 'middle half', 'to floor', 'CPU ms', 'middle half', 'to floor'],
    rows: figures.map(({ name, wall, cpu }) => [name, ...toCells(wall), ...toCells(cpu)]),
  };
}

function toCells({ median: middle, low, high, ratio }) {
  return [ms(middle), `${ms(low)}-${ms(high)}`, times(ratio)];
}
