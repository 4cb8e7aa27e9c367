// Measures what it costs to start the program and get its answer: CPU and wall time of the whole process, compared with
// a Node that does nothing and with installed programs of other hosts; and, with a server, with a script by hand.
import { join } from 'node:path';
import { oneShotAims, oneShotCases } from './lib/one-shot.mjs';
import { findPeers, installPeers } from './lib/peers.mjs';
import { measureProcesses, tryOnce } from './lib/processes.mjs';
import { makeServers } from './lib/servers.mjs';
import { median, summarize } from './lib/statistics.mjs';
import { ms, times } from './lib/table.mjs';

const HELP_AIM = 1.3;
const LIST_AIM = 2;
const PEER_ROUNDS = 11; // rounds with peers: one needs up to a second, and more rounds would not change its ratio much
const FLOOR = 'node -e 0';

export async function run({ world, quick, peers: wantsPeers }) {
  const rounds = quick ? 11 : 41;
  if (wantsPeers) installPeers();
  const peers = wantsPeers ? findPeers() : [];
  const own = ownCases(world);
  for (const one of own) expectAnswer(one);
  const every = Math.max(1, Math.floor(rounds / PEER_ROUNDS));
  const { cases: foreign, absent } = peerCases(world, peers, every);
  const oneShot = oneShotCases(world, peers, every);
  const cases = chooseCases([...own, ...foreign, ...oneShot.cases]);

  const { samples, means } = await measureProcesses(cases, { rounds });
  const figures = {};
  for (const { name, floor = FLOOR } of cases) {
    const mine = samples.get(name);
    // A peer skips most rounds, so it is compared with its floor in the rounds that it ran in.
    const all = samples.get(floor);
    const beside = all.length === mine.length ? all : all.filter((_, round) => round % every === 0);
    const cpu = summarize(mine.map((sample) => sample.cpu));
    const wall = summarize(mine.map((sample) => sample.wall));
    const base = {
      cpu: median(beside.map((sample) => sample.cpu)),
      wall: median(beside.map((sample) => sample.wall)),
    };
    figures[name] = { cpu, wall, cpuRatio: cpu.median / base.cpu, wallRatio: wall.median / base.wall };
  }
  return {
    title: `Starting: whole processes, median of ${rounds} interleaved rounds (peers: ${Math.ceil(rounds / every)})`,
    tables: [toFigureTable(figures)],
    notes: [
      ...absent,
      ...oneShot.absent,
      `CPU = user + system of all threads, by ${means === 'wait4' ? 'the rusage of wait4' : "bash's time, in whole ms"}; with a server, of the program alone.`,
    ],
    aims: [
      ...[
        ['plugboard --help', HELP_AIM],
        ['plugboard list --no-connect, 0 servers', LIST_AIM],
        ['plugboard list --no-connect, 10 servers', LIST_AIM],
      ].flatMap(([name, limit]) => (figures[name] === undefined ? [] : [aim(name, limit)])),
      ...oneShotAims.filter(({ name }) => figures[name] !== undefined).map(oneShotAim),
    ],
    figures: { rounds, means, cases: figures },
  };

  function aim(name, limit) {
    return { what: `${name}, CPU to ${FLOOR}`, limit, value: figures[name].cpuRatio, unit: 'x' };
  }

  function oneShotAim({ name, part, limit }) {
    const { cpuRatio, wallRatio } = figures[name];
    const value = part === 'cpu' ? cpuRatio : wallRatio;
    return { what: `${name}, ${part === 'cpu' ? 'CPU' : part} to by hand`, limit, value, unit: 'x' };
  }
}

/** All cases, or those that BENCH_CASES names, separated by semicolons, with their floors; a part of a name is enough. */
function chooseCases(cases) {
  const wanted = process.env.BENCH_CASES?.split(';').map((name) => name.trim());
  if (wanted === undefined) return cases;
  const chosen = cases.filter(({ name }) => wanted.some((part) => name.includes(part)));
  if (chosen.length === 0) throw new Error(`BENCH_CASES: none of ${cases.map(({ name }) => name).join('; ')}`);
  const floors = new Set(chosen.map(({ floor = FLOOR }) => floor));
  return cases.filter((one) => floors.has(one.name) || chosen.includes(one));
}

function toFigureTable(figures) {
  const rows = Object.entries(figures).map(([name, { cpu, wall, cpuRatio, wallRatio }]) => [
    name,
    ms(cpu.median),
    `${ms(cpu.low)}-${ms(cpu.high)}`,
    times(cpuRatio),
    ms(wall.median),
    times(wallRatio),
  ]);
  return { head: ['command', 'CPU ms', 'middle half', 'to floor', 'wall ms', 'to floor'], rows };
}

function ownCases(world) {
  const empty = world.home('start-0', { 'empty.cjs': '' });
  const homes = [0, 10, 1000].map((count) => ({
    count,
    home: world.home(`start-${count}`, {
      ...(count > 0 && { '.config/plugboard/config.json': { mcpServers: makeServers(count) } }),
    }),
  }));
  const node = (name, home, args, answer) => ({
    name,
    argv: [process.execPath, ...args],
    env: world.env(home),
    cwd: join(home, 'project'),
    answer,
  });
  const plugboard = (name, home, args, answer) => node(`plugboard ${name}`, home, [world.program, ...args], answer);
  return [
    node(FLOOR, empty, ['-e', '0'], /^$/u),
    node('node empty.cjs', empty, [join(empty, 'empty.cjs')], /^$/u),
    plugboard('--help', empty, ['--help'], /Usage: plugboard/u),
    plugboard('--version', empty, ['--version'], /^\d+\.\d+/u),
    ...homes.map(({ count, home }) =>
      plugboard(
        `list --no-connect, ${count.toLocaleString('en')} servers`,
        home,
        ['list', '--no-connect'],
        count === 0 ? /^No MCP servers/u : new RegExp(`server-${count - 1} `, 'u'),
      ),
    ),
  ];
}

function expectAnswer(one) {
  const { ok, stdout, why } = tryOnce(one);
  if (!ok) throw new Error(`"${one.name}" fails: ${why}`);
  if (!one.answer.test(stdout)) throw new Error(`"${one.name}" answers something else: ${stdout.slice(0, 300)}`);
}

/** The peers that answer, each with the floor on its own Node; and a line for each that is missing or fails. */
function peerCases(world, peers, every) {
  const home = world.home('start-peers');
  const cases = [];
  const absent = [];
  for (const { name, program, node, help, list } of peers) {
    if (program === undefined) {
      absent.push(`${name}: not installed`);
      continue;
    }
    const env = { ...world.env(home), ...(node && { PATH: `${join(node, '..')}:${world.env(home).PATH}` }) };
    const base = { env, cwd: join(home, 'project'), every };
    const floor = node === undefined || node === process.execPath ? FLOOR : `${FLOOR} (the Node of ${name})`;
    if (floor !== FLOOR) cases.push({ ...base, name: floor, floor, argv: [node, '-e', '0'] });
    for (const args of [help, list]) {
      const one = { ...base, name: [name, ...args].join(' '), floor, argv: [program, ...args] };
      const { ok, why } = tryOnce(one);
      if (ok) cases.push(one);
      else absent.push(`${one.name}: left out, it fails (${why.trim().split('\n')[0]})`);
    }
  }
  return { cases, absent };
}
