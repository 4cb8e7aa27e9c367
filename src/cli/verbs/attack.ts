import { HostError } from '../../base/errors.js';
import type { Invocation } from '../input/arguments.js';
import type { Outcome, ProgramRun, Verb } from '../verb.js';
import { usageError } from '../input/usage-error.js';

export const attackVerb: Verb = {
  name: 'attack',
  usage: 'MODE [--port N] | --list',
  summary: 'Run a hostile MCP server, to test a host against it',
  options: [
    { name: 'list', summary: 'list the modes: what each does and what a correct host does about it' },
    { name: 'port', value: 'N', summary: 'the port of an http, sse or ws mode (default: any free port)' },
  ],
  examples: [
    'plugboard attack --list',
    'plugboard attack body-gzip-bomb --port 8000',
    'plugboard add evil -- plugboard attack json-deep-4m',
  ],
  async run(invocation, io) {
    if (invocation.has('list')) return listModes(invocation);
    const [name] = invocation.positionals;
    if (name === undefined || invocation.positionals.length > 1) {
      throw usageError(`attack takes one mode, got ${invocation.positionals.length}`, {
        hint: 'plugboard attack --list',
      });
    }
    const { findMode, serveMode, serveStdio } = await import('../../testing/index.js');
    const mode = findMode(name);
    if (mode.channel === 'stdio') {
      refuseForStdio(invocation, name);
      await serveStdio(mode, process);
      return NOTHING;
    }
    const served = await serveMode(mode, { port: portOf(invocation) }).catch((cause: unknown) => {
      throw new HostError('start-failed', `Cannot listen on port ${invocation.value('port')}: ${String(cause)}`, {
        hint: 'Leave --port out to use any free port',
        cause,
      });
    });
    announce({ name, url: served.url, invocation, io });
    // Serves until Ctrl-C ends the process.
    return new Promise<Outcome>(() => {});
  },
};

const NOTHING: Outcome = { data: {}, text: '' };

async function listModes({ positionals }: Invocation): Promise<Outcome> {
  if (positionals.length > 0) {
    throw usageError(`--list takes no mode, got "${positionals[0]}"`, { hint: `plugboard attack ${positionals[0]}` });
  }
  const { modes, toListing } = await import('../../testing/index.js');
  const width = Math.max(...modes.map(({ name }) => name.length));
  return {
    data: { modes: modes.map(toListing) },
    text: modes
      .map(({ name, channel, summary }) => `${name.padEnd(width)}  ${channel.padEnd('stdio'.length)}  ${summary}`)
      .join('\n'),
  };
}

/** A stdio server may write nothing but the protocol to stdout. */
function refuseForStdio(invocation: Invocation, name: string): void {
  const flag = ['json', 'port'].find((option) => invocation.has(option));
  if (flag === undefined) return;
  throw usageError(`--${flag} is for modes with an address; ${name} speaks on stdin and stdout`, {
    hint: `plugboard attack ${name}`,
  });
}

function portOf(invocation: Invocation): number {
  const text = invocation.value('port') ?? '0';
  const port = Number(text);
  if (/^\d{1,5}$/u.test(text) && port <= HIGHEST_PORT) return port;
  throw usageError(`--port must be a number from 0 to ${HIGHEST_PORT}; got ${text}`, { hint: 'Write --port 8000' });
}

const HIGHEST_PORT = 65_535;

interface Announcement extends ProgramRun {
  readonly name: string;
  readonly url: string;
}

/** Printed before the verb ends, because callers wait for the address. */
function announce({ name, url, invocation, io }: Announcement): void {
  if (invocation.has('json')) io.stdout.write(`${JSON.stringify({ ok: true, data: { mode: name, url } })}\n`);
  if (!invocation.has('quiet')) io.stderr.write(`${name} at ${url}\n`);
}
