// What the examples share, and your program already has: arguments, a user who can be asked, and an end on Ctrl-C.
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clock } from '../demo/servers/clock.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    yes: { type: 'boolean', short: 'y' }, // allow every tool call
    'web-search': { type: 'boolean' }, // offer the web search of the model's provider
    'mcp-config': { type: 'string', multiple: true }, // use these servers, not the demo's
  },
});

export const question = positionals.join(' ') || 'What is on my shopping list, and what time is it?';
export const wantsWebSearch = values['web-search'] === true;

/** Reads a key from the environment. Without it the program ends and says what to set. */
export function readKey(name) {
  const key = process.env[name];
  if (!key) {
    console.error(`Set ${name} to run this. The model and the URL of its API are optional: see examples/README.md`);
    process.exit(2);
  }
  return key;
}

/**
 * The servers to use. Without any of these options `Host.open` finds the servers that are configured where it runs.
 * @type {import('plugboard').HostOptions}
 */
export const servers = values['mcp-config']
  ? { mcpConfig: values['mcp-config'] }
  : {
      cwd: fileURLToPath(new URL('../demo', import.meta.url)),
      mcpConfig: ['.mcp.json'],
      embedded: new Map([['clock', clock]]), // a server inside this program
      only: ['notes', 'clock'], // the third one, weather, would have to be started first
    };

/**
 * Called before a tool runs, unless permission rules decide. Undefined when there is no terminal: the call is denied.
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

/** Runs `run` until it ends or the user presses Ctrl-C, and prints what went wrong. */
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
