import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { nameWord } from '../../base/shell-word.js';
import type { ConfiguredServer } from '../../config/server.js';
import type { ServerLogOptions } from '../../connection/server-log.js';
import { type Invocation, onlyName } from '../arguments.js';
import { exitCodes, type Io } from '../io.js';
import { loadRun, openRun } from '../load.js';
import { toMs } from '../milliseconds.js';
import { clockOf, signalAfter } from '../program-clock.js';
import { showLine } from '../../model/show.js';
import { styleFor } from '../style.js';
import type { Outcome, Run, Verb } from '../verb.js';
import { usageError } from '../usage-error.js';

export const logs: Verb = {
  name: 'logs',
  usage: 'NAME | --calls [NAME] [-f] [-n LINES]',
  summary: 'Show what a server has said on stderr, or which calls were made',
  completes: 'server',
  options: [
    { name: 'calls', summary: 'the calls instead: what was called, decided and answered; of one server or of all' },
    { name: 'follow', short: 'f', summary: 'go on with what comes, until Ctrl-C (exit 0) or --timeout (exit 124)' },
    { name: 'lines', short: 'n', value: 'LINES', summary: 'how many of the last lines (50)' },
  ],
  examples: [
    'plugboard logs github',
    'plugboard logs github -f',
    'plugboard logs github -n 200 --json',
    'plugboard logs --calls -f',
  ],
  async run(invocation, io) {
    if (invocation.has('calls')) return calls(invocation, io);
    const name = onlyName(invocation);
    const lines = linesOf(invocation);
    const loaded = await loadRun(invocation, io);
    const definitions = loaded.servers.filter((server) => server.name === name);
    const server = definitions.find(({ standing }) => standing.kind === 'ready') ?? definitions[0];
    if (!server) throw (await import('../../config/manage.js')).unknownServer(loaded, name);
    const { state } = loaded.context.places;
    if (state === undefined) throw homeless(`Server "${name}" has no log`);
    const { readServerLog, followServerLog } = await import('../../connection/server-log.js');
    const isFollowed = invocation.has('follow');
    const configs = definitions.map(({ config }) => config);
    const log: ServerLogOptions = { state, name, configs, reveal: invocation.has('reveal') };
    const tail = readServerLog(log, { lines, isFollowed });
    const isThere = tail.position !== undefined || tail.lines.length > 0;
    const notes = isThere ? [] : [showLine(await absence(server))];
    if (!isFollowed) {
      return { data: { lines: tail.lines, file: tail.file }, text: tail.lines.map(showLine).join('\n'), notes };
    }
    if (!invocation.has('quiet')) for (const note of notes) io.stderr.write(`${note}\n`);
    const show = (shown: readonly string[]): boolean =>
      write(
        invocation.has('json') ? shown.map((line) => JSON.stringify({ line: showLine(line) })) : shown.map(showLine),
        io,
      );
    show(tail.lines);
    return follow({ invocation, io }, (signal) => followServerLog(log, { signal, onLines: show, from: tail.position }));
  },
};

/** The ledger of all hosts of this user. */
async function calls(invocation: Invocation, io: Io): Promise<Outcome> {
  const server = invocation.positionals.length === 0 ? undefined : onlyName(invocation);
  const tail = linesOf(invocation);
  const { state } = (await openRun(invocation, io)).places;
  if (state === undefined) throw homeless('There is no ledger of calls');
  const [{ readLedger, followLedger }, { ledgerFolder }, { callLine }] = await Promise.all([
    import('../../guard/ledger-read.js'),
    import('../../guard/ledger-file.js'),
    import('../call-line.js'),
  ]);
  const folder = ledgerFolder(state);
  const found = readLedger(folder, { tail, server });
  const whose = server === undefined ? '' : ` of server "${server}"`;
  const notes = found.calls.length > 0 || tail === 0 ? [] : [showLine(`No call${whose} is written down yet`)];
  const style = styleFor(io.stdout, { env: io.env, noColor: invocation.has('no-color') });
  if (!invocation.has('follow')) {
    const text = found.calls.map((call) => callLine(call, style)).join('\n');
    return { data: { calls: found.calls, file: found.file }, text, notes };
  }
  if (!invocation.has('quiet')) for (const note of notes) io.stderr.write(`${note}\n`);
  const onCalls = (shown: typeof found.calls): boolean =>
    write(
      shown.map((call) => (invocation.has('json') ? JSON.stringify(call) : callLine(call, style))),
      io,
    );
  onCalls(found.calls);
  return follow({ invocation, io }, (signal) =>
    followLedger(folder, { server, from: found.position, signal, onCalls }),
  );
}

function homeless(what: string): HostError {
  return new HostError('config-unreadable', `${what}: no home folder is known`, {
    hint: 'Set HOME to a folder of yours',
  });
}

function linesOf(invocation: Invocation): number {
  const given = invocation.value('lines') ?? String(LINES);
  if (/^\d{1,6}$/u.test(given) && Number(given) <= MOST_LINES) return Number(given);
  throw usageError(`--lines must be a number up to ${MOST_LINES}, got ${given}`, { hint: 'Write -n 200' });
}

const LINES = 50;
const MOST_LINES = 100_000;

/** Who ends it by Ctrl-C has what they asked for. */
async function follow({ invocation, io }: Run, start: (signal: AbortSignal) => Promise<void>): Promise<Outcome> {
  const timeoutMs = toMs(invocation.value('timeout'));
  using late = timeoutMs === undefined ? undefined : signalAfter(clockOf(io), timeoutMs);
  if (io.stdout.isClosed === true) return { data: {}, text: '', isStreamed: true };
  await start(AbortSignal.any([io.interrupted, late?.signal].filter((signal) => signal !== undefined)));
  const isLate = late?.signal.aborted === true && io.interrupted?.aborted !== true;
  return { data: {}, text: '', isStreamed: true, ...(isLate && { exitCode: exitCodes.timedOut }) };
}

/** False: nobody reads any more. */
function write(lines: readonly string[], { stdout }: Io): boolean {
  if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
  return stdout.isClosed !== true;
}

/** Why a server has no log. */
async function absence(server: ConfiguredServer): Promise<string> {
  const { name, standing, config } = server;
  const { transportOf } = await import('../../config/target.js');
  const transport = transportOf(server);
  const none = `Server "${name}" has no log`;
  if (transport !== undefined && transport !== 'stdio')
    return `${none}: nothing went wrong with it, and what it says itself is where it runs (${transport})`;
  switch (standing.kind) {
    case 'ready':
      return config?.start === 'lazy'
        ? `${none} yet: it waits for its first use, or has said nothing on stderr`
        : `${none} yet: it was never started, or has said nothing on stderr`;
    case 'unapproved':
      return `${none} yet: it waits for approval. plugboard approve ${nameWord(name)}`;
    case 'untrusted': {
      const { trustCommand } = await import('../../model/untrusted-text.js');
      return `${none} yet: it waits until this folder is trusted. ${trustCommand(standing.folder)}`;
    }
    case 'disabled':
      return `${none} yet: it is disabled. plugboard enable ${nameWord(name)}`;
    case 'denied':
    case 'invalid':
      return `${none} yet: it may not run. plugboard doctor ${nameWord(name)}`;
    case 'suppressed':
      return `${none} yet: it gives way to "${standing.by.name}"`;
    default:
      return unreachable(standing);
  }
}
