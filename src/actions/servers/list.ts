import type { HostConfig } from '../../config/load.js';
import type { Problem } from '../../config/problem.js';
import type { ServerState } from '../../host/servers/server-state.js';
import { showLine } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import { loadedOf, untilSettled, type Waited } from '../action-place.js';
import { reportOpening } from '../report-opening.js';
import { problemNotes } from './problem-notes.js';
import { isUnhealthy } from './server-status.js';
import { loadServerTexts, type ServerTexts } from '../server-texts.js';
import { asWaited, reasonOf } from '../waited-state.js';

const args = { noConnect: { kind: 'flag', summary: 'do not ask the servers themselves' } } as const;

interface ListedServers {
  readonly loaded: HostConfig;
  readonly texts: ServerTexts;
  /** One for each definition, in their order. */
  readonly states: readonly ServerState[];
  readonly waited: Waited;
  /** Servers were asked themselves. */
  readonly isAsked: boolean;
  /** Where servers start that find another folder than they used to. */
  readonly startNote: string | undefined;
}

/** Every server as it is: on files as configured, on a host that was opened for it once all have answered. */
export const listServers: Action<typeof args, ListedServers> = defineAction({
  name: 'list',
  label: 'list',
  doing: 'listing',
  summary: 'Show every configured server and how it is: health, tools, protocol, milliseconds',
  args,
  needs: 'files',
  opening: reportOpening(),
  async run(on, _, { signal, shows }) {
    const loaded = await loadedOf(on);
    const texts = await loadServerTexts();
    if (on.kind === 'files') {
      const states = await configuredStates(loaded);
      return { loaded, texts, states, waited: { kind: 'settled' }, isAsked: false, startNote: undefined };
    }
    const { host, isTransient } = on;
    const waited = isTransient ? await untilSettled(on, host.settled(), signal) : ({ kind: 'settled' } as const);
    const states = host.servers().map((state) => asWaited(state, reasonOf(waited)));
    const { privateStartText } = await import('../../config/risks/private-places.js');
    // For people: a program that reads data asks for no advice.
    const startNote = shows === 'data' ? undefined : privateStartText(loaded);
    return { loaded, texts, states, waited, isAsked: true, startNote };
  },
  json: ({ loaded, states }) => ({ servers: states, problems: loaded.problems }),
  tell({ loaded: { servers, problems }, texts, states, waited, isAsked, startNote }) {
    const isInterrupted = waited.kind === 'interrupted';
    // A file that cannot be read counts, too: nobody knows which servers are missing.
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
        ...(isInterrupted ? ['Stopped; the servers that are pending were not waited for'] : []),
        ...problemNotes(problems),
      ],
      code: isInterrupted ? 'cancelled' : isIll ? 'unhealthy' : undefined,
    };
  },
});

/** As the files have them, where no server is asked. */
export async function configuredStates({ servers }: HostConfig): Promise<readonly ServerState[]> {
  const { toServerState } = await import('../../host/servers/server-state.js');
  return servers.map((server) => toServerState(server));
}

/** Nobody who has just broken their file should read that there is none. */
function nothingText(problems: readonly Problem[]): string {
  if (problems.some(({ severity }) => severity === 'error')) return 'No MCP servers could be read.';
  return 'No MCP servers configured. Use `plugboard add` to add a server, or `plugboard import` to take over those of another host.';
}
