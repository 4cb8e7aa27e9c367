import type { ConfiguredServer, LoadedConfig } from '../../actions/action-place.js';
import { describeFirstStart, isFirstStart, rememberFolder, type Starting } from '../../actions/first-start.js';
import { nameServer, loadFreshConnectors } from '../../actions/servers/fresh-connectors.js';
import type { Invocation } from '../input/arguments.js';
import type { Io } from '../io.js';
import { loadRun } from './load.js';
import { answeredRow, titleRows } from '../dialogs/frame.js';
import { openDialog } from '../dialogs/open-dialog.js';
import { wrapLine } from '../output/wrap.js';
import type { ProgramRun } from '../verb.js';

/**
 * Loads the configuration of a run that starts servers. Where the user's own servers would start in this folder for the
 * first time, the user is asked; without a terminal they start in private folders.
 */
export async function loadToStart(
  invocation: Invocation,
  io: Io,
  options: LoadToStartOptions = {},
): Promise<LoadedConfig> {
  const loaded = await loadDecided(invocation, io, options);
  // A session fetches connectors while it runs: its first prompt does not wait for them.
  if (invocation.verb.name === 'session' || invocation.has('no-connect')) return loaded;
  if (!loaded.settings.connectors || nameServer(invocation.positionals, loaded)) return loaded;
  const { isNew, note } = await loadFreshConnectors(loaded, io.now());
  if (note !== undefined && !invocation.has('quiet')) io.stderr.write(`${note}\n`);
  return isNew ? loadRun(invocation, io) : loaded;
}

export interface LoadToStartOptions {
  /** The servers that the run starts; all by default. */
  readonly starts?: (server: ConfiguredServer) => boolean;
}

async function loadDecided(
  invocation: Invocation,
  io: Io,
  { starts = () => true }: LoadToStartOptions,
): Promise<LoadedConfig> {
  const loaded = await loadRun(invocation, io);
  const starting = { starts, runsHooks: CALLING.has(invocation.verb.name) };
  if (!mayAsk(invocation, io) || !isFirstStart(loaded, starting)) return loaded;
  const isDecided = await askTrust(loaded, starting, { invocation, io });
  return isDecided ? loadRun(invocation, io) : loaded;
}

function mayAsk(invocation: Invocation, io: Io): boolean {
  const isSilent = ['json', 'print', 'quiet', 'no-connect'].some((flag) => invocation.has(flag));
  return io.stdin.isTerminal && io.stderr.isTerminal && !isSilent;
}

/** Verbs that make calls, and so run hooks. */
const CALLING: ReadonlySet<string> = new Set(['session', 'call', 'read', 'serve']);

/** Asks whether to trust the folder. Resolves to whether a decision was remembered. */
async function askTrust(loaded: LoadedConfig, starting: Starting, run: ProgramRun): Promise<boolean> {
  using dialog = openDialog(run);
  const { io, look } = dialog;
  const lines = (await describeFirstStart(loaded, starting)).flatMap((line) =>
    wrapLine(line, look.columns, line.startsWith(' ') ? 4 : 0),
  );
  io.stderr.write(`${[...titleRows('Do you trust this folder?', look), ...lines].join('\n')}\n`);
  const decision = await askDecision(io);
  const told = decision === undefined ? NOT_NOW : await rememberFolder(loaded, decision, io.now());
  dialog.fold(`${answeredRow(decision === 'trusted', told, look)}\n`);
  return decision !== undefined;
}

const NOT_NOW = 'This folder is not trusted for now: you are asked again the next time';

async function askDecision({ stdin, stderr }: Io): Promise<'trusted' | 'untrusted' | undefined> {
  for (;;) {
    const answer = (await stdin.ask('Trust this folder? [y]es, [n]o, Enter: not now: ')).trim().toLowerCase();
    if (answer === 'y' || answer === 'yes') return 'trusted';
    if (answer === 'n' || answer === 'no') return 'untrusted';
    if (answer === '') return undefined;
    stderr.write(
      'y: trust the folder and all below it; n: do not, and never ask again; Enter: not now, ask again next time\n',
    );
  }
}
