// What the examples share, and a program of your own has already: its arguments, a person to ask, and an end by Ctrl-C.
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clock } from '../demo/servers/clock.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    yes: { type: 'boolean', short: 'y' }, // every tool may run
    'web-search': { type: 'boolean' }, // a tool that the provider of the model runs
    'mcp-config': { type: 'string', multiple: true }, // other servers than those of the demo
  },
});

export const question = positionals.join(' ') || 'What is on my shopping list, and what time is it?';
export const wantsWebSearch = values['web-search'] === true;

/** From the environment, or this ends with what to do. */
export function readKey(name) {
  const key = process.env[name];
  if (!key) {
    console.error(`Set ${name} to run this. The model and the URL of its API are optional: see examples/README.md`);
    process.exit(2);
  }
  return key;
}

/**
 * Which servers. Without any of these options `Host.open` finds those that are configured where it runs.
 * @type {import('plugboard').HostOptions}
 */
export const servers = values['mcp-config']
  ? { mcpConfig: values['mcp-config'] }
  : {
      cwd: fileURLToPath(new URL('../demo', import.meta.url)),
      mcpConfig: ['.mcp.json'],
      embedded: new Map([['clock', clock]]), // a server inside this program
      only: ['notes', 'clock'], // the third one would have to be started first
    };

/**
 * Asked before a tool runs, unless the user's rules settle it. Undefined where nobody can answer: such a call is denied then.
 * @type {import('plugboard').Ports['ask']}
 */
export const ask = values.yes
  ? async () => ({ kind: 'allow', remember: 'once' })
  : process.stdin.isTTY
    ? askHere
    : undefined;

async function askHere({ name, shown, reason, offers }, signal) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const words = offers.includes('session') ? 'y = yes, s = for this session, n = no' : 'y = yes, n = no';
  try {
    const answer = await terminal.question(`${name} ${shown}\n${reason}. Run it? (${words}) `, { signal });
    if (answer === 's') return { kind: 'allow', remember: 'session' };
    return answer === 'y' ? { kind: 'allow', remember: 'once' } : { kind: 'deny' };
  } finally {
    terminal.close();
  }
}

export function show(name, input, end) {
  console.log(`  ${name} ${JSON.stringify(input)}: ${end}`);
}

/** Runs until it ends or is interrupted, and says what went wrong. */
export async function untilDone(run) {
  const stop = new AbortController();
  const interrupted = new Promise((_, reject) => {
    const end = () => {
      stop.abort();
      process.exitCode = 130;
      reject(new Error('Interrupted'));
    };
    process.once('SIGINT', end);
    process.once('SIGTERM', end);
  });
  try {
    await Promise.race([run(stop.signal), interrupted]);
  } catch (error) {
    process.exitCode ??= 1;
    console.error(error.message);
  }
}
