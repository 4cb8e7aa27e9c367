import type { ConfiguredServer } from '../../actions/action-place.js';
import type { Host, ServerState } from '../../index.js';
import { describeProblem } from '../../model/text/problem-text.js';
import { canSignInTo, configuredServers, retryInMs } from '../../actions/running-server.js';
import { showLine } from '../../model/show.js';
import { textWidth } from '../terminal/text/text-width.js';
import type { ServerTokens, TokenCounts, TokenTotal } from './token-counts.js';

/** What the panel shows of all servers, as of one moment: the same as `list --json`, and what changes by the second. */
export interface PanelData {
  /** In the order of a list. */
  readonly servers: readonly PanelServer[];
  readonly tokens: TokenTotal;
  /** Columns of the longest name. */
  readonly nameWidth: number;
  /** What is wrong in the files, the first of it in words. */
  readonly problems: { readonly count: number; readonly first: string };
}

/** One definition of a server. */
export interface PanelServer {
  /** The same for the same place, whatever is written there. */
  readonly key: string;
  readonly state: ServerState;
  readonly definition: ConfiguredServer;
  /** Of one that is away: how long until the next attempt. 0: one is being made. */
  readonly retryInMs: number | undefined;
  /** Undefined while nobody knows. */
  readonly tokens: ServerTokens | undefined;
  /** Somebody can sign in to it. */
  readonly canSignIn: boolean;
  /** What somebody has asked for and what is not done yet: `reconnecting`. */
  readonly doing: string | undefined;
}

export interface PanelSources {
  readonly host: Host;
  readonly tokens: TokenCounts;
  /** By the name of the server. */
  readonly doing: ReadonlyMap<string, string>;
}

export function toPanelData({ host, tokens, doing }: PanelSources): PanelData {
  const definitions = configuredServers(host);
  const servers = host.servers().flatMap((state, at) => {
    const definition = isSame(definitions[at], state)
      ? definitions[at]!
      : definitions.find((one) => isSame(one, state));
    if (!definition) return []; // its file was edited between the two looks
    const isRunning = runs(definition);
    return [
      {
        key: JSON.stringify([state.name, state.scope, state.origin]),
        state,
        definition,
        retryInMs: isRunning ? retryInMs(host, state.name) : undefined,
        tokens: isRunning ? tokens.of(state.name) : undefined,
        canSignIn: isRunning && canSignInTo(host, state.name),
        doing: definition.standing.kind !== 'suppressed' ? doing.get(state.name) : undefined,
      },
    ];
  });
  return { servers, tokens: tokens.total, nameWidth: widestName(servers), problems: problemsOf(host) };
}

/** It is the definition of its name that has the connection. */
export function runs({ standing }: ConfiguredServer): boolean {
  return standing.kind === 'ready';
}

export function findServer({ servers }: PanelData, key: string | undefined): PanelServer | undefined {
  return key === undefined ? undefined : servers.find((server) => server.key === key);
}

export function widestName(servers: readonly PanelServer[]): number {
  return servers.reduce((most, { state }) => Math.max(most, textWidth(showLine(state.name))), 0);
}

/** Warnings are for whoever asks the doctor. */
function problemsOf({ problems }: Host): PanelData['problems'] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return { count: errors.length, first: errors[0] ? showLine(describeProblem(errors[0])) : '' };
}

function isSame(definition: ConfiguredServer | undefined, { name, scope, origin }: ServerState): boolean {
  return definition?.name === name && definition.scope === scope && definition.origin === origin;
}
