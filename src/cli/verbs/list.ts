import type { Problem } from '../../config/problem.js';
import type { ConfiguredServer } from '../../config/server.js';
import { refuseNames } from '../arguments.js';
import { loadRun, problemNotes } from '../load.js';
import { exitCodes } from '../io.js';
import { showLine, showName } from '../show.js';
import type { Verb } from '../verb.js';

/** How long a first look at the connectors may hold up a list; later ones are answered from the cache. */
const CONNECTOR_WAIT_MS = 2000;

export const listServers: Verb = {
  name: 'list',
  aliases: ['ls'],
  usage: '[--no-connect] [--exit-code]',
  summary: 'Show every configured server and whether it may run',
  options: [
    { name: 'no-connect', summary: 'do not ask the servers themselves' },
    { name: 'exit-code', summary: 'exit 3 when a server is unhealthy' },
  ],
  examples: ['plugboard list', 'plugboard list --json', 'plugboard list --exit-code'],
  async run(invocation, io) {
    refuseNames(invocation, `plugboard get ${showName(invocation.positionals[0] ?? 'NAME')}`);
    const { lineOf, scopeHeading, toRow } = await import('../server-view.js');
    let loaded = await loadRun(invocation, io);
    const notes: string[] = [];
    const { options } = loaded.context;
    const isOpen = loaded.lock === undefined && options.strict !== true && !invocation.has('no-connect');
    // The token leaves this machine only for a list that would show what comes back.
    if (loaded.settings.connectors && isOpen) {
      const { refreshStale } = await import('../../config/connectors.js');
      const asked = await refreshStale(loaded.context, loaded.settings.connectors, {
        waitMs: CONNECTOR_WAIT_MS,
        now: io.now(),
      });
      if (asked.kind === 'refreshed') loaded = await loadRun(invocation, io);
      if (asked.kind === 'failed')
        notes.push(
          showLine(`Connectors: ${asked.error.message}. ${asked.error.hint ?? 'Showing what was last known.'}`),
        );
    }
    const { servers, problems } = loaded;
    const rows = servers.map(toRow);
    return {
      data: { servers: rows, problems },
      text: servers.length === 0 ? nothingText(problems) : toText(servers),
      notes: [...notes, ...problemNotes(problems, { io, noColor: invocation.has('no-color') })],
      // A file that cannot be read counts, too: nobody knows which servers are missing.
      ...(invocation.has('exit-code') &&
        problems.some(({ severity }) => severity === 'error') && { exitCode: exitCodes.unhealthy }),
    };

    function toText(all: readonly ConfiguredServer[]): string {
      const groups = new Map<string, string[]>();
      for (const server of all) {
        const heading = scopeHeading(server);
        const lines = groups.get(heading) ?? [];
        lines.push(`  ${lineOf(server)}`);
        groups.set(heading, lines);
      }
      return [...groups].map(([heading, lines]) => [heading, ...lines].join('\n')).join('\n\n');
    }
  },
};

/** Nobody who has just broken their file should read that there is none. */
function nothingText(problems: readonly Problem[]): string {
  if (problems.some(({ severity }) => severity === 'error')) return 'No MCP servers could be read.';
  return 'No MCP servers configured. Use `plugboard add` to add a server, or `plugboard import` to take over those of another host.';
}
