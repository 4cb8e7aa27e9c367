import type { ConfiguredServer } from '../../actions/action-place.js';
import type { Host, HostError, ServerState } from '../../index.js';
import { describeProblem } from '../../model/text/problem-text.js';
import { canSignInTo, configuredServers, retryInMs } from '../../actions/running-server.js';
import { showLine } from '../../model/show.js';
import { textWidth } from '../terminal/text/text-width.js';
import type { CostReport } from '../../model/view/tool-cost.js';
import type { ToldFailures } from './told-failures.js';
import type { ContextCost, ServerTokens } from './tokens/context-cost.js';

/** What the panel shows of all servers at one moment: that of `list --json`, and what changes by the second. */
export interface PanelData {
  /** In the order of `list`. */
  readonly servers: readonly PanelServer[];
  /** What tools and servers cost a model; undefined until counted. */
  readonly cost: CostReport | undefined;
  /** Columns of the longest server name. */
  readonly nameWidth: number;
  readonly scopeWidth: number;
  /** Errors in the configuration files; the first one as text. */
  readonly problems: { readonly count: number; readonly first: string };
}

/** One entry of a server. */
export interface PanelServer {
  /** Identifies the place of an entry, whatever its content. */
  readonly key: string;
  readonly state: ServerState;
  readonly definition: ConfiguredServer;
  /** Time until the next attempt to reconnect, in ms. 0: an attempt is under way. */
  readonly retryInMs: number | undefined;
  /** Undefined until counted. */
  readonly tokens: ServerTokens | undefined;
  /** Whether the user can sign in to the server. */
  readonly canSignIn: boolean;
  /** The action under way, such as `reconnecting`. */
  readonly doing: string | undefined;
  /** Why it fails, in the words of `doctor`; undefined until that is known. */
  readonly failure?: HostError | undefined;
}

export interface PanelSources {
  readonly host: Host;
  readonly tokens: ContextCost;
  readonly failures?: Pick<ToldFailures, 'of'> | undefined;
  /** By server name. */
  readonly doing: ReadonlyMap<string, string>;
}

export function toPanelData({ host, tokens, failures, doing }: PanelSources): PanelData {
  const definitions = configuredServers(host);
  const servers = host.servers().flatMap((state, at) => {
    const definition = isSame(definitions[at], state)
      ? definitions[at]!
      : definitions.find((one) => isSame(one, state));
    if (!definition) return []; // the file was edited between the two reads
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
        failure: isRunning ? failures?.of(state.name) : undefined,
      },
    ];
  });
  return { servers, cost: tokens.report, ...widestOf(servers), problems: problemsOf(host) };
}

/** Whether this is the entry of its name that runs. */
export function runs({ standing }: ConfiguredServer): boolean {
  return standing.kind === 'ready';
}

export function findServer({ servers }: PanelData, key: string | undefined): PanelServer | undefined {
  return key === undefined ? undefined : servers.find((server) => server.key === key);
}

/** The columns that all names and all scopes fit in. */
export function widestOf(servers: readonly PanelServer[]): Pick<PanelData, 'nameWidth' | 'scopeWidth'> {
  const widest = (of: (state: ServerState) => string): number =>
    servers.reduce((most, { state }) => Math.max(most, textWidth(of(state))), 0);
  return { nameWidth: widest(({ name }) => showLine(name)), scopeWidth: widest(({ scope }) => scope) };
}

/** Errors only: `plugboard doctor` shows the warnings. */
function problemsOf({ problems }: Host): PanelData['problems'] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return { count: errors.length, first: errors[0] ? showLine(describeProblem(errors[0])) : '' };
}

function isSame(definition: ConfiguredServer | undefined, { name, scope, origin }: ServerState): boolean {
  return definition?.name === name && definition.scope === scope && definition.origin === origin;
}
