// Measures how long a user waits for the first prompt of a session, and its memory: on a real terminal, with servers
// that start in the background, compared with a Node that only shows a prompt. README.md says how to read it.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOf, waitForEnd } from '../fleet/process.mjs';
import { findPeers } from '../lib/peers.mjs';
import { showProgress } from '../lib/progress.mjs';
import { measureMemory } from './memory.mjs';
import { startModel } from './model.mjs';
import { toAims, toTables } from './report.mjs';
import { lackOfTerminals, openTerminals } from './terminal.mjs';

const ROUNDS = 21;
const QUICK_ROUNDS = 7;
const TOOLS = 5;
const MANY = 100; // only to check that the first prompt does not wait for servers
const COUNTS = [0, 5, 20, MANY];
const FLOOR = 'bare node';

export async function run({ world, quick, peers }) {
  const rounds = Number(process.env.BENCH_ROUNDS ?? (quick ? QUICK_ROUNDS : ROUNDS));
  const lack = lackOfTerminals();
  const title = `Sessions: from exec to a prompt that answers a key, median of ${rounds} interleaved rounds, on a terminal`;
  if (lack !== undefined) return { title, tables: [], notes: [`session: left out, it ${lack}`], aims: [], figures: {} };
  const model = await startModel(world.env(world.folder));
  const terminals = openTerminals();
  try {
    const cases = makeCases(world, model.url);
    for (const one of cases) if (!one.isFloor) await keepCompiled(one, terminals);
    await takeTurns({ cases, rounds, terminals });
    const memory = await measureMemory({
      cases: cases.filter(({ count, isCold }) => count !== MANY && !isCold),
      terminals,
      rounds: quick ? 1 : 3,
    });
    return {
      title,
      tables: toTables(cases, memory),
      notes: [
        ...(peers ? absentPeers() : []),
        `CPU = user + system of all threads of the process until then; memory = VmHWM of the process. Servers are in neither.`,
      ],
      aims: toAims(cases, memory),
      figures: { rounds, start: cases.map(({ name, samples }) => ({ name, samples })), memory },
    };
  } finally {
    await terminals.close();
    model.close();
  }
}

/** What runs on the terminal, each in a home of its own: the floor, and sessions with and without cached servers. */
function makeCases(world, url) {
  const floor = world.home('session-floor');
  const file = fileURLToPath(new URL('floor.cjs', import.meta.url));
  return [
    { ...toCase(FLOOR, floor, [file]), isFloor: true },
    ...COUNTS.flatMap((count) => {
      if (count === 0) return [sessionOf(count, 'no servers')];
      const cached = sessionOf(count, `${count} servers, cached`);
      fillCache(cached);
      return count === MANY ? [cached] : [{ ...sessionOf(count, `${count} servers, cold`), isCold: true }, cached];
    }),
  ];

  function sessionOf(count, name) {
    const mark = `${process.pid}-session-${count}`;
    const servers = Array.from({ length: count }, (_, index) => [
      `server-${index}`,
      commandOf({ name: `server-${index}`, tools: TOOLS, mark }),
    ]);
    const home = world.home(`session-${name.replaceAll(/\W+/gu, '-')}`, {
      '.config/plugboard/config.json': { mcpServers: Object.fromEntries(servers) },
    });
    return { ...toCase(name, home, [world.program, '--allow', 'mcp__*']), count, mark };
  }

  function toCase(name, home, args) {
    const variables = { TERM: 'xterm-256color', ANTHROPIC_API_KEY: 'bench', ANTHROPIC_BASE_URL: url };
    const env = { ...world.env(home), ...variables };
    return { name, home, argv: [process.execPath, ...args], env, cwd: join(home, 'project'), samples: [] };
  }
}

/** Lists all servers once, which caches them for the next runs. */
function fillCache({ name, argv: [node, program], env, cwd, home }) {
  const { status, stderr } = spawnSync(node, [program, 'list'], { env, cwd, encoding: 'utf8' });
  if (status !== 0 || !existsSync(join(home, '.cache/plugboard')))
    throw new Error(`"${name}" cannot be prepared: ${stderr}`);
}

/** The first letter is typed before the program is ready, as people do; the second when the first has been shown. */
async function takeTurns({ cases, rounds, terminals }) {
  const steps = [
    { name: 'prompt', wait: '> X', send: 'Z' },
    { name: 'next', wait: 'Z' },
  ];
  const total = rounds * cases.length;
  for (let turn = 0; turn < total; turn++) {
    showProgress('sessions', turn + 1, total);
    const round = Math.floor(turn / cases.length);
    const one = cases[(turn + round) % cases.length];
    if (one.isCold) forget(one);
    one.samples.push(await terminals.run({ ...one, typed: 'X', steps }));
    if (one.mark !== undefined) await waitForEnd(one.mark);
  }
}

/** Deletes what is cached of servers, but not V8's compiled code: a user's second session finds that, too. */
function forget({ home }) {
  const cache = join(home, '.cache/plugboard');
  const known = existsSync(cache) ? readdirSync(cache).filter((name) => name !== 'code') : [];
  for (const folder of [...known.map((name) => join(cache, name)), join(home, '.local')])
    rmSync(folder, { recursive: true, force: true });
}

/** Runs one session and leaves it with Ctrl-D, as people do: the program then saves the code that V8 has compiled. */
async function keepCompiled({ home, ...one }, terminals) {
  const steps = [{ name: 'prompt', wait: '> X', send: '\x7f\x04' }];
  await terminals.run({ ...one, typed: 'X', steps: [...steps, { name: 'end', wait: 'nothing more' }] }).catch(() => {});
  if (one.mark !== undefined) await waitForEnd(one.mark);
  if (!existsSync(join(home, '.cache/plugboard/code')))
    throw new Error(`"${one.name}" has kept nothing that was compiled`);
}

/** No peer starts without a key or a sign-in, and none shows when it is ready: nothing is measured. */
function absentPeers() {
  const found = new Map(findPeers().map(({ name, program }) => [name, program]));
  return ['claude', 'codex', 'gemini', 'opencode'].map((name) =>
    found.get(name) === undefined
      ? `${name}: not installed`
      : `${name}: left out, it shows no prompt without a sign-in of its own`,
  );
}
