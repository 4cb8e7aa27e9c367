import type { HostConfig } from '../../config/load.js';
import type { Problem } from '../../config/problem.js';
import type { ServerState } from '../../host/servers/server-state.js';
import { showLine } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import { waitFor, type Waited } from '../action-context.js';
import { loadedOf } from '../action-place.js';
import { reportOpening } from '../openings.js';
import { problemNotes } from './problem-notes.js';
import { isUnhealthy } from './server-status.js';
import { loadServerTexts, type ServerTexts } from '../server-texts.js';
import { asWaited, reasonOf } from '../waited-state.js';

const args = { noConnect: { kind: 'flag', summary: 'do not connect to the servers' } } as const;

interface ListedServers {
  readonly loaded: HostConfig;
  readonly texts: ServerTexts;
  /** One state per definition, in the same order. */
  readonly states: readonly ServerState[];
  readonly waited: Waited;
  /** A host was open, so that states come from the servers and not only from the files. */
  readonly isAsked: boolean;
  /** A note about servers that start in a private folder instead of the working directory. */
  readonly startNote: string | undefined;
}

/** Lists every server: on files as configured; on a host opened for this, once all servers have settled. */
export const listServers: Action<typeof args, ListedServers> = defineAction({
  name: 'list',
  label: 'list',
  doing: 'listing',
  summary: 'List every configured server: status, tools, protocol, connect time',
  args,
  needs: 'files',
  opening: reportOpening(),
  async run(on, _, context) {
    const loaded = await loadedOf(on);
    const texts = await loadServerTexts();
    if (on.kind === 'files') {
      const states = await configuredStates(loaded);
      return { loaded, texts, states, waited: { kind: 'settled' }, isAsked: false, startNote: undefined };
    }
    const { host, isTransient } = on;
    const waited = isTransient ? await waitFor(host.settled(), context) : ({ kind: 'settled' } as const);
    const states = host.servers().map((state) => asWaited(state, reasonOf(waited)));
    const { privateStartText } = await import('../../config/risks/private-places.js');
    // The note is for people, not for programs that read JSON.
    const startNote = context.shows === 'data' ? undefined : privateStartText(loaded);
    return { loaded, texts, states, waited, isAsked: true, startNote };
  },
  json: ({ loaded, states }) => ({ servers: states, problems: loaded.problems }),
  tell({ loaded: { servers, problems }, texts, states, waited, isAsked, startNote }) {
    const isInterrupted = waited.kind === 'interrupted';
    // An unreadable file counts as unhealthy, too: its servers are missing.
    const isIll = problems.some(({ severity }) => severity === 'error') || states.some(isUnhealthy);
    const all = servers.map((server, at) => {
      return { server, state: states[at]!, target: texts.target(server), place: texts.place(server) };
    });
    return {
      tone: isIll ? 'failed' : 'done',
      parts:
        all.length === 0
          ? [{ kind: 'sentence', text: nothingText(problems) }]
          : [{ kind: 'servers', servers: all, isAsked }],
      notes: [
        ...(startNote === undefined ? [] : [showLine(`note ${startNote}`)]),
        ...(isInterrupted ? ['Stopped without waiting for the pending servers'] : []),
        ...problemNotes(problems),
      ],
      code: isInterrupted ? 'cancelled' : isIll ? 'unhealthy' : undefined,
    };
  },
});

/** The states that follow from the files alone. */
export async function configuredStates({ servers }: HostConfig): Promise<readonly ServerState[]> {
  const { toServerState } = await import('../../host/servers/server-state.js');
  return servers.map((server) => toServerState(server));
}

/** Distinguishes a broken file from no configuration. */
function nothingText(problems: readonly Problem[]): string {
  if (problems.some(({ severity }) => severity === 'error')) return 'No MCP servers could be read.';
  return 'No MCP servers configured. Use `plugboard add` to add a server, or `plugboard import` to import those of another host.';
}
