import type { ConfiguredServer, LoadedConfig } from '../actions/action-place.js';
import type { Invocation } from './arguments.js';
import type { Io } from './io.js';
import { loadRun } from './load.js';
import { showLine } from '../model/show.js';
import { screenColumns } from './style.js';
import { wrapLine } from './wrap.js';

/**
 * The configuration of a run that starts servers. Where the user's own would start in this folder for the first time, the person at the
 * terminal is asked; where nobody can be, they start in private folders.
 */
export async function loadToStart(invocation: Invocation, io: Io, options: StartOptions = {}): Promise<LoadedConfig> {
  const loaded = await loadDecided(invocation, io, options);
  const { connectors } = loaded.settings;
  // A session asks the catalogue while it runs: nobody waits for that before the first prompt.
  if (!connectors || options.connectors === 'as-known' || invocation.verb.name === 'session') return loaded;
  const { namesServer, withConnectors } = await import('./fresh-connectors.js');
  if (namesServer(loaded, invocation)) return loaded;
  const fresh = await withConnectors(loaded, { invocation, io });
  if (!invocation.has('quiet')) for (const note of fresh.notes) io.stderr.write(`${note}\n`);
  return fresh.loaded;
}

export interface StartOptions {
  /** Which servers it starts; all unless said otherwise. */
  readonly starts?: (server: ConfiguredServer) => boolean;
  /** Whether the catalogue is asked for connectors, where the run is about no server that is known. */
  readonly connectors?: 'as-known' | 'fresh';
}

async function loadDecided(invocation: Invocation, io: Io, options: StartOptions): Promise<LoadedConfig> {
  const { starts = () => true } = options;
  const loaded = await loadRun(invocation, io);
  const isAsking =
    mayAsk(invocation, io) && isUndecided(loaded, { starts, runsHooks: CALLING.has(invocation.verb.name) });
  if (!isAsking) return loaded;
  const decision = await ask({ ...loaded, servers: loaded.servers.filter(starts) }, io);
  if (decision === undefined) return loaded;
  const { rememberTrust } = await import('../config/trust-edit.js');
  const at = io.now().toISOString();
  const { folder } = loaded.trust;
  const { file } = await rememberTrust(loaded.context, { folder, decision, at });
  io.stderr.write(
    `${showLine(`${folder} is ${decision}; remembered in ${file}${decision === 'untrusted' ? '. To change that: plugboard trust' : ''}`)}\n\n`,
  );
  return loadRun(invocation, io);
}

function mayAsk(invocation: Invocation, io: Io): boolean {
  const isSilent = ['json', 'print', 'quiet', 'no-connect'].some((flag) => invocation.has(flag));
  return io.stdin.isTerminal && io.stderr.isTerminal && !isSilent;
}

/** Verbs that call something: hooks run with calls, whichever server these are for. */
const CALLING: ReadonlySet<string> = new Set(['session', 'call', 'read']);

/** Whether something would start here that nobody has decided about. */
function isUndecided(
  { trust, servers, hooks }: LoadedConfig,
  { starts, runsHooks }: { readonly starts: (server: ConfiguredServer) => boolean; readonly runsHooks: boolean },
): boolean {
  if (trust.kind !== 'undecided') return false;
  if (runsHooks && hooks.length > 0) return true;
  return servers.some((server) => wouldStart(server) && starts(server));
}

function wouldStart({ isApart, standing }: ConfiguredServer): boolean {
  return isApart === true && (standing.kind === 'ready' || standing.kind === 'untrusted');
}

async function ask(loaded: LoadedConfig, io: Io): Promise<'trusted' | 'untrusted' | undefined> {
  const columns = screenColumns(io.stderr);
  const lines = (await questionLines(loaded)).flatMap((line) =>
    wrapLine(showLine(line), columns, line.startsWith(' ') ? 4 : 0),
  );
  io.stderr.write(`${lines.join('\n')}\n`);
  for (;;) {
    const answer = (await io.stdin.ask('Trust this folder? [y]es, [n]o, Enter: not now: ')).trim().toLowerCase();
    if (answer === 'y' || answer === 'yes') return 'trusted';
    if (answer === 'n' || answer === 'no') return 'untrusted';
    if (answer === '') return undefined;
    io.stderr.write(
      'y trusts the folder and all below it; n does not, and asks no more; Enter does not, and asks again next time\n',
    );
  }
}

async function questionLines({ servers, hooks, trust, context }: LoadedConfig): Promise<readonly string[]> {
  const { targetText } = await import('../config/target.js');
  const { folderRisks } = await import('../config/folder-risks.js');
  const { maskText } = await import('../config/mask-text.js');
  const starting = servers.filter((server) => wouldStart(server) && server.accountOf === undefined);
  const risks = folderRisks(context.ancestors.slice(0, context.ancestors.indexOf(trust.folder) + 1));
  const rows = [
    ...starting.map((server) => `  ${server.name}: ${targetText(server)} (${server.scope})`),
    ...hooks.flatMap(({ event, commands }) => commands.map(({ command }) => `  ${event} hook: ${maskText(command)}`)),
  ];
  return [
    'What you have configured for every folder would start in this one for the first time:',
    `  ${trust.folder}`,
    '',
    ...rows.slice(0, ROWS),
    ...(rows.length > ROWS ? [`  and ${rows.length - ROWS} more`] : []),
    '',
    `What is in this folder can change what these commands run${risks.length === 0 ? '' : `, above all: ${risks.join(', ')}`}.`,
    'Answer no if you do not know who wrote it: servers start in private folders then, which nothing of this folder reaches, and those that need this folder wait.',
  ];
}

const ROWS = 20;
