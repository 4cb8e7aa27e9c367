import { HostError } from '../../base/errors.js';
import { shorten } from '../../base/shorten.js';
import { adHocOptions, adHocServer } from '../ad-hoc.js';
import { loadToStart } from '../load-to-start.js';
import { showLine } from '../../model/show.js';
import type { Verb } from '../verb.js';
import { usageError } from '../usage-error.js';

export const search: Verb = {
  name: 'search',
  usage: 'WORDS [URL | -- COMMAND ARGS]',
  summary: 'Find tools by what they do, as a model would',
  takesCommand: true,
  options: [{ name: 'limit', value: 'N', summary: 'how many at most; 10 unless said otherwise' }, ...adHocOptions],
  examples: [
    'plugboard search create an issue',
    "plugboard search '+github pull request'",
    'plugboard search select:mcp__github__get_issue --json',
  ],
  async run(given, io) {
    const adHoc = adHocServer(given);
    const invocation = adHoc?.invocation ?? given;
    const query = invocation.positionals.join(' ').trim();
    if (query === '') throw usageError('search needs words to look for', { hint: 'plugboard search create issue' });
    const limit = toLimit(invocation.value('limit'));
    const loaded = await loadToStart(invocation, io);
    const { chooseServers } = await import('../../actions/choose-servers.js');
    const { withHost } = await import('../open-host.js');
    const { toRows } = await import('../screen-text.js');
    const only = chooseServers(loaded, adHoc?.name).map(({ name }) => name);
    // What the last run knew is as good as asking again: only a server that nobody knows is started.
    return withHost({ invocation, io, loaded, only, start: 'lazy' }, async (run) => {
      const { host } = run;
      const connections = only.flatMap((name) => host.connection(name) ?? []);
      const unknown = connections.filter(({ catalog }) => catalog.source === 'none');
      for (const connection of unknown) connection.start('use');
      if (unknown.length > 0) {
        const { kind } = await run.settled();
        if (kind === 'interrupted') throw new HostError('cancelled', 'Stopped while servers were being asked');
      }
      const found = await host.search(query, limit);
      const notes = unknown.flatMap(({ name, status }) =>
        'error' in status ? [showLine(`error "${name}" was not searched: ${status.error.message}`)] : [],
      );
      const rows = found.map(({ name, score, description }) => ({ name, score, description }));
      return {
        data: { tools: rows },
        text:
          rows.length === 0
            ? `No tool matches ${showLine(query)}`
            : toRows(
                rows.map(({ name, description }) => [
                  showLine(name),
                  showLine(description.trim().split('\n')[0] ?? ''),
                ]),
                io.stdout.columns,
              ).join('\n'),
        notes: [...notes, ...run.notes],
      };
    });
  },
};

function toLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  if (/^[1-9]\d{0,3}$/u.test(text)) return Number(text);
  throw usageError(`--limit must be a number from 1 to 9999, got ${shorten(text, 40)}`, { hint: 'Write --limit 20' });
}

const DEFAULT_LIMIT = 10;
