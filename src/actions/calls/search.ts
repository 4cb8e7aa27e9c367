import { HostError } from '../../base/errors.js';
import { shorten } from '../../base/shorten.js';
import type { HostConfig } from '../../config/load.js';
import type { FoundDefinition } from '../../host/tools/tool-finder.js';
import { showAbout, showLine } from '../../model/show.js';
import { diagnosedServers } from '../health/diagnosed-error.js';
import { errorNote } from '../health/error-note.js';
import { type Action, defineAction } from '../action.js';
import { type Waited, waitFor } from '../action-context.js';
import { hostOf } from '../action-place.js';
import { chooseServers } from '../choose-servers.js';
import { connectionsOf } from '../running-server.js';
import { lateError, missingNotes, type MissingServer, toMissing } from '../servers/listing.js';
import { usageError } from '../usage-error.js';

const args = {
  words: { kind: 'words', noun: 'words to look for' },
  limit: { kind: 'text', value: 'N', summary: 'at most N tools (default: 10)' },
} as const;

interface Found {
  readonly query: string;
  readonly tools: readonly Pick<FoundDefinition, 'name' | 'score' | 'description'>[];
  /** The number of servers that may have tools. */
  readonly asked: number;
  readonly missing: readonly MissingServer[];
}

export const search: Action<typeof args, Found> = defineAction({
  name: 'search',
  label: 'search',
  doing: 'searching',
  summary: 'Find tools by what they do, as a model would',
  args,
  needs: 'host',
  // The catalog cache is as good as asking again: only a server without one is started.
  opening: { servers: allOrAdHoc, isLazy: true },
  async run(on, { words, limit }, context) {
    const query = words.join(' ').trim();
    const most = toLimit(limit);
    const place = hostOf(on);
    const { host, isTransient } = place;
    const unknown = isTransient ? connectionsOf(host).filter(({ catalog }) => catalog.source === 'none') : [];
    for (const server of unknown) server.start('use');
    let waited: Waited = { kind: 'settled' };
    if (unknown.length > 0) {
      waited = await waitFor(host.settled(), context);
      if (waited.kind === 'interrupted') throw new HostError('cancelled', 'Stopped while waiting for servers');
    }
    const found = await host.search(query, most);
    const missing = unknown.flatMap((server): MissingServer[] => {
      const { name, status, listProblems } = server;
      const error =
        'error' in status
          ? status.error
          : (listProblems.get('tools') ?? lateError(server, { lists: ['tools'], waited }));
      return error ? [{ server: name, error }] : [];
    });
    const asked = connectionsOf(host).length;
    return {
      query,
      asked,
      missing: await diagnosedServers(missing, host),
      tools: found.map(({ name, score, description }) => ({ name, score, description })),
    };
  },
  json: ({ tools, missing }) => ({ tools, ...toMissing(missing) }),
  tell: ({ query, asked, tools, missing }) => ({
    tone: 'note',
    parts: [
      tools.length === 0
        ? { kind: 'sentence', text: `No tool matches ${showLine(query)}` }
        : {
            kind: 'table',
            heading: '',
            rows: tools.map(({ name, description }) => [showLine(name), showAbout({ description })]),
          },
    ],
    notes: [
      ...missing.map(({ server, error }) => errorNote(error, `"${server}" was not searched: ${error.message}`)),
      ...missingNotes(missing, asked),
    ],
    ...(missing.length > 0 && { code: 'unhealthy' }),
  }),
});

async function allOrAdHoc(
  loaded: HostConfig,
  _: unknown,
  { adHoc }: { readonly adHoc: string | undefined },
): Promise<readonly string[]> {
  return chooseServers(loaded, adHoc).map(({ name }) => name);
}

function toLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  if (/^[1-9]\d{0,3}$/u.test(text)) return Number(text);
  throw usageError(`--limit must be a number from 1 to 9999, got ${shorten(text, 40)}`, { hint: 'Write --limit 20' });
}

const DEFAULT_LIMIT = 10;
