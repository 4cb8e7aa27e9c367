import type { HostConfig } from '../../config/load.js';
import type { Problem } from '../../config/problem.js';
import type { Finding } from '../../host/diagnose.js';
import type { SetAsideTool } from '../../host/set-aside-tools.js';
import type { ServerState } from '../../host/servers/server-state.js';
import { showLine } from '../../model/show.js';
import { type Action, defineAction } from '../action.js';
import { type ActionContext, waitFor, type Waited } from '../action-context.js';
import { configOf, loadedOf } from '../action-place.js';
import { reportOpening } from '../openings.js';
import {
  findServers,
  foundJson,
  foundLines,
  type FoundServers,
  isUnconfigured,
  UNCONFIGURED,
} from '../found/found-servers.js';
import type { CausesOptions } from '../health/causes.js';
import { problemNotes } from './problem-notes.js';
import { isUnhealthy } from './server-status.js';
import { asWaited, reasonOf } from '../waited-state.js';

const args = { noConnect: { kind: 'flag', summary: 'do not connect to the servers' } } as const;

interface ListedServers {
  readonly loaded: HostConfig;
  /** One state per definition, in the same order. */
  readonly states: readonly ServerState[];
  /** Tools that servers offer and that cannot be used. */
  readonly setAside: readonly SetAsideTool[];
  readonly waited: Waited;
  /** Why servers do not run as they should. */
  readonly causes: readonly Finding[];
  /** A note about servers that start in a private folder instead of the working directory. */
  readonly startNote: string | undefined;
  /** The servers of other hosts, where none is configured here. */
  readonly found: FoundServers | undefined;
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
    const found = isUnconfigured(loaded) ? await findServers(configOf(on)) : undefined;
    if (on.kind === 'files') {
      const states = await configuredStates(loaded);
      const causes = await causesFor({ loaded, states, host: undefined, isTimedOut: false }, context);
      return { loaded, states, setAside: [], causes, waited: { kind: 'settled' }, startNote: undefined, found };
    }
    const { host, isTransient } = on;
    const waited = isTransient ? await waitFor(host.settled(), context) : ({ kind: 'settled' } as const);
    const states = host.servers().map((state) => asWaited(state, reasonOf(waited)));
    const { privateStartText } = await import('../../config/risks/private-places.js');
    // The note is for people, not for programs that read JSON.
    const startNote = context.shows === 'data' ? undefined : privateStartText(loaded);
    const causes = await causesFor({ loaded, states, host, isTimedOut: waited.kind === 'timed-out' }, context);
    return { loaded, states, setAside: host.setAside(), causes, waited, startNote, found };
  },
  json: ({ loaded, states, setAside, found }) => ({
    servers: states,
    problems: loaded.problems,
    ...(setAside.length > 0 && { setAside }),
    ...(found && { found: foundJson(found) }),
  }),
  tell({ loaded: { servers, problems }, states, causes, waited, startNote, found }) {
    const isInterrupted = waited.kind === 'interrupted';
    // An unreadable file counts as unhealthy, too: its servers are missing.
    const isIll = problems.some(({ severity }) => severity === 'error') || states.some(isUnhealthy);
    const all = servers.map((server, at) => ({ server, state: states[at]! }));
    return {
      tone: isIll ? 'failed' : 'done',
      parts:
        all.length === 0
          ? [nothingText(problems), ...(found ? foundLines(found) : [])].map((text) => ({ kind: 'sentence', text }))
          : [{ kind: 'servers', servers: all, causes }],
      notes: [
        ...(startNote === undefined ? [] : [showLine(`note: ${startNote}`)]),
        ...(isInterrupted ? ['Stopped without waiting for the pending servers'] : []),
        ...problemNotes(problems),
      ],
      code: isInterrupted ? 'cancelled' : isIll ? 'unhealthy' : undefined,
    };
  },
});

/** JSON has the error of each server. */
async function causesFor(
  { loaded, ...options }: CausesOptions & { readonly loaded: HostConfig },
  { shows }: ActionContext,
): Promise<readonly Finding[]> {
  if (shows === 'data') return [];
  const { causesOf } = await import('../health/causes.js');
  return causesOf(loaded, options);
}

/** The states that follow from the files alone. */
export async function configuredStates({ servers }: HostConfig): Promise<readonly ServerState[]> {
  const { toServerState } = await import('../../host/servers/server-state.js');
  return servers.map((server) => toServerState(server));
}

/** Distinguishes a broken file from no configuration. */
function nothingText(problems: readonly Problem[]): string {
  if (problems.some(({ severity }) => severity === 'error')) return 'No MCP servers could be read.';
  return UNCONFIGURED;
}
