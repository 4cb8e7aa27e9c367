// Measures what loading a configuration costs: reading every scope, checking and merging its entries, and hashing each
// server. The floor only reads and parses the same files. Cold is the first load of a fresh process, which every
// command pays; warm is the same load repeated, which a watcher pays, and which shows how the cost grows.
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeServers, toCommentedText } from './lib/servers.mjs';
import { median, summarize } from './lib/statistics.mjs';
import { showProgress } from './lib/progress.mjs';
import { ms, times } from './lib/table.mjs';

const CPU_AIM_MS = 60; // 1,000 servers, cold, hashes included
const GROWTH_AIM = 11; // ten times the servers: 10 is linear, plus a tenth for noise
const USER_FILE = '.config/plugboard/config.json';
const child = fileURLToPath(new URL('lib/load-child.mjs', import.meta.url));

export async function run({ world, quick }) {
  const rounds = quick ? 7 : 21;
  const cases = makeCases(world);
  for (const one of cases) one.check(runChild(world, one, 'cold'));

  const samples = new Map(cases.map(({ name }) => [name, { floor: [], import: [], load: [], hash: [], total: [] }]));
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < cases.length; place++) {
      const one = cases[(place + round) % cases.length];
      const found = samples.get(one.name);
      found.floor.push(runChild(world, one, 'floor').floor);
      const cold = runChild(world, one, 'cold');
      for (const part of ['import', 'load', 'hash']) found[part].push(cold[part]);
      found.total.push(cold.load + cold.hash);
    }
    showProgress('load, cold', round + 1, rounds);
  }
  const warm = measureWarm(world, cases, { rounds: quick ? 2 : 5 });

  const figures = Object.fromEntries(cases.map((one) => [one.name, toFigures(one, samples, warm)]));
  const growth = {
    cold: figures['1,000 in one file'].cold.median / figures['100 in one file'].cold.median,
    warm: figures['1,000 in one file'].warm / figures['100 in one file'].warm,
  };
  return {
    title: `Loading a configuration: CPU ms, median of ${rounds} fresh processes (warm: of ${warm.count} loads)`,
    tables: [coldTable(figures), warmTable(figures)],
    notes: [
      `From 100 to 1,000 servers: ${times(growth.cold)} cold, ${times(growth.warm)} warm (10 is linear).`,
      'floor = readFileSync and JSON.parse of the same files; for the file with comments, of the same without them.',
    ],
    aims: [
      ...Object.entries(figures)
        .filter(([, { count }]) => count === 1000)
        .map(([name, { cold }]) => ({
          what: `load ${name}, cold CPU`,
          limit: CPU_AIM_MS,
          value: cold.median,
          unit: ' ms',
        })),
      { what: 'load, growth from 100 to 1,000, warm', limit: GROWTH_AIM, value: growth.warm, unit: 'x' },
    ],
    figures: { rounds, cases: figures, growth },
  };
}

function coldTable(figures) {
  const rows = Object.entries(figures).map(([name, { cold, load, hash: hashes, floor, import: imported }]) => [
    name,
    ms(floor),
    ms(load),
    ms(hashes),
    ms(cold.median),
    `${ms(cold.low)}-${ms(cold.high)}`,
    times(cold.median / floor),
    ms(imported),
  ]);
  return { head: ['cold', 'floor', 'load', 'hashes', 'both', 'middle half', 'to floor', '(import)'], rows };
}

function warmTable(figures) {
  const rows = Object.entries(figures).map(([name, { count, warm, warmFloor }]) => [
    name,
    ms(warmFloor),
    ms(warm),
    times(warm / warmFloor),
    `${((warm / count) * 1000).toFixed(1)} us`,
  ]);
  return { head: ['warm', 'floor', 'load + hashes', 'to floor', 'per server'], rows };
}

function toFigures({ name, count }, samples, warm) {
  const found = samples.get(name);
  return {
    count,
    floor: median(found.floor),
    import: median(found.import),
    load: median(found.load),
    hash: median(found.hash),
    cold: summarize(found.total),
    warm: median(warm.loads.get(name)),
    warmFloor: median(warm.floors.get(name)),
  };
}

function measureWarm(world, cases, { rounds }) {
  const loads = new Map(cases.map(({ name }) => [name, []]));
  const floors = new Map(cases.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const one of cases) {
      floors.get(one.name).push(...runChild(world, one, 'floor').warm);
      loads.get(one.name).push(...runChild(world, one, 'warm').warm);
    }
    showProgress('load, warm', round + 1, rounds);
  }
  return { loads, floors, count: loads.get(cases[0].name).length };
}

function runChild(world, { home, files, count, env }, kind) {
  // The same number of servers per batch in every case: V8 is equally warm, and the clock's resolution of 1 us small.
  const warm = { ahead: 15, samples: 25, batch: Math.min(100, 1000 / count) };
  const order = JSON.stringify({ lib: world.inside, files, cwd: join(home, 'project'), warm });
  const { status, stdout, stderr } = spawnSync(process.execPath, [child, kind, order], {
    env: { ...world.env(home), ...env },
    cwd: home,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`load-child.mjs ${kind} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

function makeCases(world) {
  return [...[1, 100, 1000].map((count) => inOneFile(world, count)), spread(world), commented(world), approved(world)];
}

function inOneFile(world, count) {
  const home = world.home(`one-file-${count}`, { [USER_FILE]: { mcpServers: makeServers(count) } });
  const name = `${count.toLocaleString('en')} in one file`;
  return { name, count, home, files: [join(home, USER_FILE)], check: expecting(name, { ready: count }) };
}

/** 250 servers each of user, local, project and plugin. 25 names occur twice; 25 plugin servers are the user's. */
function spread(world) {
  const name = '1,000 over four scopes';
  const home = world.home('spread');
  const project = join(home, 'project');
  const local = `.config/plugboard/projects/${hash('sha256', project).slice(0, 32)}.json`;
  const contents = {
    [USER_FILE]: makeServers(250, { prefix: 'mine', from: 0 }),
    [local]: { ...makeServers(225, { prefix: 'local', from: 1000 }), ...makeServers(25, { prefix: 'mine', from: 0 }) },
    'project/.mcp.json': makeServers(250, { prefix: 'project', from: 2000 }),
    '.config/plugboard/plugins/bench/.mcp.json': makeServers(250, { prefix: 'plugin', from: 225 }),
  };
  for (const [file, mcpServers] of Object.entries(contents)) world.write(join(home, file), { mcpServers });
  const files = Object.keys(contents).map((file) => join(home, file));
  return { name, count: 1000, home, files, check: expecting(name, { ready: 700, unapproved: 250, suppressed: 50 }) };
}

function commented(world) {
  const name = '1,000 with comments and variables';
  const servers = makeServers(1000, { variables: true });
  const home = world.home('commented', {
    [USER_FILE]: toCommentedText(servers),
    'plain.json': { mcpServers: servers },
  });
  const env = { BENCH_TOKEN: 'token-of-the-bench' };
  return { name, count: 1000, home, files: [join(home, 'plain.json')], env, check: expecting(name, { ready: 1000 }) };
}

/** Approved by the hashes that a first load reports, in the form that `plugboard approve` writes. */
function approved(world) {
  const name = '1,000 of a project, approved';
  const servers = makeServers(1000);
  const home = world.home('approved', { 'project/.mcp.json': { mcpServers: servers } });
  const file = join(home, 'project/.mcp.json');
  const approvals = join(home, '.local/state/plugboard/approvals.json');
  const one = { name, count: 1000, home, files: [file, approvals], check: expecting(name, { ready: 1000 }) };
  const { approvalHashes } = runChild(world, one, 'cold');
  const project = Object.fromEntries(
    Object.entries(servers).map(([server, entry]) => {
      const choice = {
        decision: 'approved',
        hash: approvalHashes[server],
        file,
        entry,
        salt: 'salt',
        at: '2026-01-01T00:00:00.000Z',
      };
      return [server, [choice]];
    }),
  );
  world.write(approvals, { version: 1, projects: { [join(home, 'project')]: project } });
  return one;
}

/** Throws when a load finds other servers than intended: the figure would be about something else. */
function expecting(name, wanted) {
  return ({ standings, problems }) => {
    const same = Object.keys({ ...wanted, ...standings }).every((kind) => wanted[kind] === standings[kind]);
    if (same && problems.length === 0) return;
    const found = `${JSON.stringify(standings)} and ${problems.length} problems, such as: ${problems[0] ?? 'none'}`;
    throw new Error(`"${name}" expected ${JSON.stringify(wanted)}, got ${found}`);
  };
}
