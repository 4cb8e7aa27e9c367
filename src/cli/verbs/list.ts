import type { LoadedConfig } from '../../actions/action-place.js';
import type { Problem, ServerState, StatusWord } from '../../index.js';
import { type Invocation, refuseNames } from '../arguments.js';
import { exitCodes, type Io } from '../io.js';
import { loadToStart } from '../load-to-start.js';
import { problemNotes } from '../load.js';
import { showLine, showName } from '../../model/show.js';
import { askServers } from '../server-health.js';
import { screenColumns, styleFor } from '../style.js';
import type { Run, Verb } from '../verb.js';
import { wrapLine } from '../wrap.js';

/** How long a first look at the connectors may hold up a list; later ones are answered from the cache. */

export const listServers: Verb = {
  name: 'list',
  aliases: ['ls'],
  usage: '[--no-connect] [--exit-code]',
  summary: 'Show every configured server and how it is: health, tools, protocol, milliseconds',
  options: [
    { name: 'no-connect', summary: 'do not ask the servers themselves' },
    { name: 'exit-code', summary: 'exit 3 when a server is unhealthy' },
  ],
  examples: ['plugboard list', 'plugboard list --json', 'plugboard list --no-connect', 'plugboard list --exit-code'],
  async run(invocation, io) {
    refuseNames(invocation, `plugboard get ${showName(invocation.positionals[0] ?? 'NAME')}`);
    const { isUnhealthy } = await import('../../actions/server-status.js');
    const { loaded, notes } = await loadFresh(invocation, io);
    const { servers, problems } = loaded;
    const health = await askServers(loaded, { invocation, io });
    const isInterrupted = health.waited.kind === 'interrupted';
    // A file that cannot be read counts, too: nobody knows which servers are missing.
    const isIll = problems.some(({ severity }) => severity === 'error') || health.states.some(isUnhealthy);
    return {
      data: { servers: health.states, problems },
      text: servers.length === 0 ? nothingText(problems) : await toText(loaded, health.states, { invocation, io }),
      notes: [
        ...notes,
        ...(await startNotes(loaded, invocation)),
        ...health.notes,
        ...(isInterrupted ? ['Stopped; the servers that are pending were not waited for'] : []),
        ...problemNotes(problems, { invocation, io }),
      ],
      ...(invocation.has('exit-code') && isIll && { exitCode: exitCodes.unhealthy }),
      ...(isInterrupted && { exitCode: exitCodes.interrupted }),
    };
  },
};

/** A server that finds another folder than it used to has to be told of. */
async function startNotes(loaded: LoadedConfig, invocation: Invocation): Promise<readonly string[]> {
  if (invocation.has('no-connect') || invocation.has('json')) return [];
  const { privateStartText } = await import('../../config/private-places.js');
  const text = privateStartText(loaded);
  return text === undefined ? [] : [showLine(`note ${text}`)];
}

/** The configuration, and the connectors as of today. */
async function loadFresh(
  invocation: Invocation,
  io: Io,
): Promise<{ readonly loaded: LoadedConfig; readonly notes: readonly string[] }> {
  const loaded = await loadToStart(invocation, io, { connectors: 'as-known' });
  if (!loaded.settings.connectors) return { loaded, notes: [] };
  const { withConnectors } = await import('../fresh-connectors.js');
  return withConnectors(loaded, { invocation, io });
}

async function toText(
  { servers }: LoadedConfig,
  states: readonly ServerState[],
  { invocation, io }: Run,
): Promise<string> {
  const { linesOf, scopeHeading } = await import('../server-view.js');
  const isAsked = !invocation.has('no-connect');
  const options = isAsked
    ? {
        style: styleFor(io.stdout, { env: io.env, noColor: invocation.has('no-color') }),
        columns: screenColumns(io.stdout),
      }
    : {};
  const groups = new Map<string, string[]>();
  for (const [index, server] of servers.entries()) {
    const heading = scopeHeading(server);
    const lines = groups.get(heading) ?? [];
    lines.push(...linesOf(server, states[index]!, options));
    groups.set(heading, lines);
  }
  const sections = [...groups].map(([heading, lines]) => [heading, ...lines].join('\n'));
  const summary = isAsked ? summaryOf(states).flatMap((line) => wrapLine(line, screenColumns(io.stdout), 2)) : [];
  return [...sections, ...(summary.length > 0 ? [summary.join('\n')] : [])].join('\n\n');
}

/** Nobody counts a list that fills a screen. */
function summaryOf(states: readonly ServerState[]): string[] {
  if (states.length < MANY) return [];
  const counts = new Map<StatusWord, number>();
  for (const { status } of states) counts.set(status, (counts.get(status) ?? 0) + 1);
  const words = [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([status, count]) => `${count} ${status === 'needs-auth' ? 'to sign in to' : status}`);
  const more = (counts.get('failed') ?? 0) > 0 ? '; why, and what to do: plugboard doctor' : '';
  return [`${states.length} servers: ${words.join(', ')}${more}`];
}

const MANY = 10;

/** Nobody who has just broken their file should read that there is none. */
function nothingText(problems: readonly Problem[]): string {
  if (problems.some(({ severity }) => severity === 'error')) return 'No MCP servers could be read.';
  return 'No MCP servers configured. Use `plugboard add` to add a server, or `plugboard import` to take over those of another host.';
}
