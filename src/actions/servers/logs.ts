import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { nameWord } from '../../base/shell-word.js';
import { showLine } from '../../model/show.js';
import { trustCommand } from '../../model/text/untrusted-text.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import { type Action, defineAction } from '../action.js';
import { configOf, definitionsOf, serverOf } from '../action-place.js';

const args = {
  server: { kind: 'server' },
  follow: {
    kind: 'flag',
    short: 'f',
    summary: 'keep showing new lines, until Ctrl-C (exit 0) or --timeout (exit 124)',
  },
  lines: { kind: 'text', short: 'n', value: 'LINES', summary: 'show the last LINES lines (default: 50)' },
} as const;

interface SaidLines {
  readonly lines: readonly string[];
  readonly file: string;
  /** Why there is no log; undefined when there is one. */
  readonly absence: string | undefined;
  readonly isFollowed: boolean;
}

export const logs: Action<typeof args, SaidLines> = defineAction({
  name: 'logs',
  label: 'logs',
  doing: 'reading its log',
  summary: 'Show what a server has said on stderr, or which calls were made',
  args,
  needs: 'files',
  async run(on, { server: name, follow: isFollowed, lines: given }, context) {
    const lines = lineCount(given);
    const server = await serverOf(on, name);
    const { state } = configOf(on).places;
    if (state === undefined) throw homeless(`Server "${name}" has no log`);
    const configs = (await definitionsOf(on)).filter((one) => one.name === name).map(({ config }) => config);
    const { readServerLog, followServerLog } = await import('../../connection/logs/server-log.js');
    const log = { state, name, configs, reveal: context.reveal === true };
    const tail = readServerLog(log, { lines, isFollowed });
    const isThere = tail.position !== undefined || tail.lines.length > 0;
    const absence = isThere ? undefined : showLine(await absenceOf(server));
    const { file } = tail;
    const found = { lines: tail.lines, file, absence, isFollowed };
    if (!isFollowed || !context.onProgress || !context.signal) return found;
    const tell = context.onProgress;
    if (absence !== undefined) tell({ kind: 'sentence', text: absence });
    const onLines = (more: readonly string[]): boolean => tell({ kind: 'log', lines: more, file });
    if (onLines(tail.lines)) await followServerLog(log, { signal: context.signal, onLines, from: tail.position });
    return found;
  },
  json: ({ lines, file }) => ({ lines, file }),
  tell: ({ lines, file, absence, isFollowed }) => ({
    tone: 'note',
    parts: isFollowed || lines.length === 0 ? [] : [{ kind: 'log', lines, file }],
    notes: absence === undefined ? [] : [absence],
    isStreamed: isFollowed,
  }),
});

export function homeless(what: string): HostError {
  return new HostError('config-unreadable', `${what}: no home folder is known`, {
    hint: 'Set HOME to a folder of yours',
  });
}

export function lineCount(given: string = String(LINES)): number {
  if (/^\d{1,6}$/u.test(given) && Number(given) <= MOST_LINES) return Number(given);
  const message = `--lines must be a number up to ${MOST_LINES}, got ${given}`;
  throw new HostError('usage', message, { hint: 'Write -n 200' });
}

const LINES = 50;
const MOST_LINES = 100_000;

async function absenceOf(server: ConfiguredServer): Promise<string> {
  const { name, standing, config } = server;
  const { transportOf } = await import('../../config/entries/target.js');
  const transport = transportOf(server);
  const none = `Server "${name}" has no log`;
  if (transport !== undefined && transport !== 'stdio')
    return `${none}: it had no errors, and its own log is on the machine where it runs (${transport})`;
  switch (standing.kind) {
    case 'ready':
      return config?.start === 'lazy'
        ? `${none} yet: it waits for its first use, or has said nothing on stderr`
        : `${none} yet: it was never started, or has said nothing on stderr`;
    case 'unapproved':
      return `${none} yet: it waits for approval. plugboard approve ${nameWord(name)}`;
    case 'untrusted':
      return `${none} yet: it waits until this folder is trusted. ${trustCommand(standing.folder)}`;
    case 'disabled':
      return `${none} yet: it is disabled. plugboard enable ${nameWord(name)}`;
    case 'denied':
    case 'invalid':
      return `${none} yet: it may not run. plugboard doctor ${nameWord(name)}`;
    case 'suppressed':
      return `${none} yet: it is replaced by "${standing.by.name}"`;
    default:
      return unreachable(standing);
  }
}
