// One command on one stdio server, and a list of ten, compared with a hand-written script for it. In these cases of
// start.mjs servers run, too, so only the program's own CPU is counted.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOf } from '../fleet/process.mjs';
import { tryOnce } from './processes.mjs';

const WALL_AIM = 1.3;
const CPU_AIM = 1.8;
const TOOLS = 5;
const FLEET = 10;
const CONFIG = '.config/plugboard/config.json';
const script = fileURLToPath(new URL('by-hand.mjs', import.meta.url));
const server = commandOf({ name: 'bench', tools: TOOLS });
const fleet = Object.fromEntries(
  Array.from({ length: FLEET }, (_, index) => [`bench-${index}`, commandOf({ name: `bench-${index}`, tools: TOOLS })]),
);
/** What is compared: the words of each program, the answer that it must give, and what the script by hand does. */
const commands = [
  {
    name: 'list, 1 stdio server',
    byHand: ['list', server.command, ...server.args],
    plugboard: { words: ['list'], answer: /\bbench +connected\b.*\b5\b/u },
    mcporter: { words: ['list'], answer: /\b5 tools\b/u },
  },
  {
    name: 'tools, 1 stdio server',
    byHand: ['list', server.command, ...server.args],
    plugboard: { words: ['tools'], answer: /\bdelete_events_4\b/u },
  },
  {
    name: 'call, 1 stdio server',
    byHand: ['call', server.command, ...server.args],
    plugboard: { words: ['call', 'bench.echo', 'text=hello'], answer: /^hello$/mu },
    mcporter: { words: ['call', 'bench.echo', 'text=hello'], answer: /^hello$/mu },
  },
  {
    name: `list, ${FLEET} stdio servers`,
    isFleet: true,
    plugboard: { words: ['list'], answer: new RegExp(`\\b${FLEET} connected\\b`, 'u') },
    mcporter: { words: ['list'], answer: new RegExp(`\\bbench-${FLEET - 1}\\b[^\\n]*\\b5 tools\\b`, 'u') },
  },
];

export const oneShotAims = commands.flatMap(({ name }) => [
  { name: `plugboard: ${name}`, part: 'wall', limit: WALL_AIM },
  { name: `plugboard: ${name}`, part: 'cpu', limit: CPU_AIM },
]);

/** The cases that answer, and a line for each that does not. Peers run in every `every`th round. */
export function oneShotCases(world, peers, every) {
  const one = makeHome(world, 'one-shot', { bench: server });
  const all = makeHome(world, 'one-shot-fleet', fleet);
  const absent = [];
  const { program, node } = peers.find(({ name }) => name === 'mcporter') ?? {};
  const isOther = program !== undefined && node !== undefined && node !== process.execPath;
  const cases = commands.flatMap((command) => {
    const home = command.isFleet ? all : one;
    const base = { env: world.env(home), cwd: join(home, 'project'), isOwnCpu: true };
    const byHand = command.byHand ?? ['list-all', join(home, CONFIG)];
    const floor = `by hand: ${command.name}`;
    const plugboard = { name: `plugboard: ${command.name}`, ...command.plugboard };
    const found = [
      { ...base, name: floor, floor, argv: [process.execPath, script, ...byHand] },
      ...take({ ...base, ...plugboard, floor, argv: [process.execPath, world.program, ...plugboard.words] }),
    ];
    if (program === undefined || command.mcporter === undefined) return found;
    const { words, answer } = command.mcporter;
    const env = { ...base.env, ...(isOther && { PATH: `${join(node, '..')}:${base.env.PATH}` }) };
    const ownFloor = isOther ? `${floor} (the Node of mcporter)` : floor;
    if (isOther) found.push({ ...base, every, name: ownFloor, floor: ownFloor, argv: [node, script, ...byHand] });
    const argv = [program, '--config', join(home, 'mcporter.json'), ...words];
    return [
      ...found,
      ...take({ ...base, env, every, name: `mcporter: ${command.name}`, floor: ownFloor, argv, answer }),
    ];
  });
  return { cases, absent };

  function take(found) {
    const { ok, stdout, why } = tryOnce(found);
    if (ok && found.answer.test(stdout)) return [found];
    const reason = ok ? 'does not ask the servers' : `fails (${why.trim().split('\n')[0]})`;
    absent.push(`${found.name}: left out, it ${reason}`);
    return [];
  }
}

function makeHome(world, name, mcpServers) {
  return world.home(name, { [CONFIG]: { mcpServers }, 'mcporter.json': { mcpServers } });
}
