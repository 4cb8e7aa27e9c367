// One command on one stdio server, compared with a hand-written script for it. In these cases of start.mjs a server
// runs, too, so only the program's own CPU is counted.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOf } from '../fleet/process.mjs';
import { tryOnce } from './processes.mjs';

const WALL_AIM = 1.3;
const CPU_AIM = 1.6;
const TOOLS = 5;
const script = fileURLToPath(new URL('by-hand.mjs', import.meta.url));
const answers = { list: /\b5 tools\b/u, tools: /\bdelete_events_4\b/u, call: /^hello$/mu };
const words = { list: ['list'], tools: ['tools'], call: ['call', 'bench.echo', 'text=hello'] };
const handmade = { list: 'list', tools: 'list', call: 'call' };

export const oneShotAims = ['list', 'call'].flatMap((what) => [
  { name: nameOf('plugboard', what), part: 'wall', limit: WALL_AIM },
  { name: nameOf('plugboard', what), part: 'cpu', limit: CPU_AIM },
]);

/** The cases that answer, and a line for each that does not. Peers run in every `every`th round. */
export function oneShotCases(world, peers, every) {
  const server = commandOf({ name: 'bench', tools: TOOLS });
  const config = { mcpServers: { bench: server } };
  const home = world.home('one-shot', { '.config/plugboard/config.json': config, 'mcporter.json': config });
  const base = { env: world.env(home), cwd: join(home, 'project'), isOwnCpu: true };
  const absent = [];
  const cases = [
    ...byHand(process.execPath, base),
    ...['list', 'tools', 'call'].flatMap((what) => {
      const floor = nameOf('by hand', handmade[what]);
      const argv = [process.execPath, world.program, ...words[what]];
      return take({ ...base, name: nameOf('plugboard', what), floor, argv, answer: answers[what] });
    }),
  ];
  const { program, node } = peers.find(({ name }) => name === 'mcporter') ?? {};
  if (program === undefined) return { cases, absent };
  const isOther = node !== undefined && node !== process.execPath;
  const onNode = isOther ? ' (the Node of mcporter)' : '';
  const env = { ...base.env, ...(isOther && { PATH: `${join(node, '..')}:${base.env.PATH}` }) };
  if (isOther) cases.push(...byHand(node, { ...base, every }, onNode));
  for (const what of ['list', 'call']) {
    const floor = nameOf('by hand', what) + onNode;
    const argv = [program, '--config', join(home, 'mcporter.json'), ...words[what]];
    cases.push(...take({ ...base, env, every, name: nameOf('mcporter', what), floor, argv, answer: answers[what] }));
  }
  return { cases, absent };

  function byHand(path, rest, suffix = '') {
    return ['list', 'call'].map((what) => {
      const name = nameOf('by hand', what) + suffix;
      return { ...rest, name, floor: name, argv: [path, script, what, server.command, ...server.args] };
    });
  }

  function take(one) {
    const { ok, stdout, why } = tryOnce(one);
    if (ok && one.answer.test(stdout)) return [one];
    absent.push(`${one.name}: left out, it ${ok ? 'does not ask the server' : `fails (${why.trim().split('\n')[0]})`}`);
    return [];
  }
}

function nameOf(who, what) {
  return `${who}: ${what}, 1 stdio server`;
}
