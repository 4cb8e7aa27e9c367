import type { Action } from '../../actions/action.js';
import type { ActionContext } from '../../actions/action-context.js';
import { type ConfiguredServer, type FilesPlace, type LoadedConfig, serverOf } from '../../actions/action-place.js';
import { type ArgsOf, type ArgumentSpecs, toArgs } from '../../actions/arguments.js';
import { perform, refuseBarred } from '../../actions/perform.js';
import { HostError } from '../../base/errors.js';
import type { Problem } from '../../index.js';
import type { Invocation } from '../input/arguments.js';
import { checkWords, readWords } from '../input/action-words.js';
import { exitCodes } from '../io.js';
import { callProgress } from '../output/call-progress.js';
import { toVerbOutcome } from '../output/told-lines.js';
import { writeOutcome } from '../output/write-outcome.js';
import type { Outcome, ProgramRun } from '../verb.js';
import { loadToStart } from './load-to-start.js';
import { configProblemNotes, loadRun, openRun } from './load.js';
import type { HostRun } from './open-host.js';
import { programContext } from './program-context.js';
import { preparePersist } from './persist.js';
import { openDeadline, type RunDeadline } from './run-deadline.js';

export interface RunActionOptions<Specs extends ArgumentSpecs = ArgumentSpecs> {
  /** Whether a URL may stand for a server that is not configured; `command`: a command after `--` as well. */
  readonly takesServer?: 'url' | 'command' | undefined;
  /** Reads the arguments where they are more than names and flags. Throws `usage`. */
  readonly parse?: ((run: ProgramRun) => ArgsOf<Specs> | Promise<ArgsOf<Specs>>) | undefined;
  /** Replaces the usual check of words. Throws `usage`. */
  readonly checkWords?: ((invocation: Invocation) => void) | undefined;
  /** Loads the configuration before a host is opened for the server of that name, and may change it. */
  readonly prepare?: ((run: ProgramRun, name: string) => Promise<PreparedRun>) | undefined;
  /** Which problems of the configuration are noted on stderr; default: none. */
  readonly problems?: ((problems: readonly Problem[], about: About) => readonly Problem[]) | undefined;
  /** The action reports warnings about servers itself, so they are not noted on stderr again. */
  readonly reportsWarnings?: true | undefined;
}

/** What a command line is about. */
export interface About {
  /** The server that it names; undefined: no one in particular. */
  readonly server: string | undefined;
  /** The server that it defines. */
  readonly adHoc: string | undefined;
}

export interface PreparedRun {
  /** The run with the flags that `prepare` added. */
  readonly run: ProgramRun;
  readonly loaded: LoadedConfig;
  /** Called after the action succeeded; returns notes for stderr. */
  readonly keep?: (() => Promise<readonly string[]>) | undefined;
  /** Called after the action failed. */
  readonly undo?: (() => Promise<void>) | undefined;
}

/** Runs an action for the command line: on a host where the action opens one, else on the files. */
export async function runAction<Specs extends ArgumentSpecs>(
  action: Action<Specs>,
  given: ProgramRun,
  options: RunActionOptions<Specs>,
): Promise<Outcome> {
  const { invocation, adHoc, given: typedServer, ...words } = readWords(action, given.invocation, options.takesServer);
  const run = { ...given, invocation };
  const { parse } = options;
  if (!parse) (options.checkWords ?? ((typed) => checkWords(action, words, typed)))(invocation);
  const values = (flag: string): readonly string[] => invocation.values(flag);
  const args = parse ? await parse(run) : toArgs(action.args, { ...words, values });
  if (!action.opening) return runOnFiles(action, run, args);
  const [server] = words.servers;
  const prepared = await options.prepare?.(run, server ?? '');
  const persist = await preparePersist(given, typedServer);
  let isDone = false;
  try {
    const done = await runOpened(action, { ...run, ...prepared?.run, args, server, adHoc, prepared, options });
    const outcome = persist ? await persist(done) : done;
    isDone = true;
    return { ...outcome, notes: [...((await prepared?.keep?.()) ?? []), ...(outcome.notes ?? [])] };
  } finally {
    if (!isDone) await prepared?.undo?.();
  }
}

async function runOnFiles<Specs extends ArgumentSpecs>(
  action: Action<Specs>,
  run: ProgramRun,
  args: ArgsOf<Specs>,
): Promise<Outcome> {
  const { invocation, io } = run;
  const config = await openRun(invocation, io);
  let loading: Promise<LoadedConfig> | undefined;
  const load = (): Promise<LoadedConfig> => (loading ??= loadRun(invocation, io));
  let deadline: RunDeadline | undefined;
  // Opened only when the action waits: otherwise Ctrl-C keeps its default effect.
  const signal = (): AbortSignal => (deadline ??= openDeadline(invocation, io)).signal;
  try {
    const done = await perform(action, { kind: 'files', config, load }, args, programContext(run, signal));
    const outcome = toVerbOutcome(done, run);
    const isTimedOut = deadline?.isTimedOut === true && io.interrupted?.aborted !== true;
    return done.told.isStreamed === true && isTimedOut ? { ...outcome, exitCode: exitCodes.timedOut } : outcome;
  } finally {
    deadline?.[Symbol.dispose]();
  }
}

interface OpenedRun<Specs extends ArgumentSpecs> extends ProgramRun, About {
  readonly args: ArgsOf<Specs>;
  readonly prepared: PreparedRun | undefined;
  readonly options: RunActionOptions<Specs>;
}

/** On a host that is opened for the action alone, or on the files where the action needs no server. */
async function runOpened<Specs extends ArgumentSpecs>(
  action: Action<Specs>,
  { invocation, io, args, server: named, adHoc, prepared, options }: OpenedRun<Specs>,
): Promise<Outcome> {
  const run = { invocation, io };
  const { isLazy, isReport = false, mayAsk = false, ...opening } = action.opening!;
  const starts = (server: ConfiguredServer): boolean => opening.mayStart?.(server, args) ?? true;
  const loaded = prepared?.loaded ?? (await loadToStart(invocation, io, { starts }));
  const files: FilesPlace = { kind: 'files', config: loaded.context, load: () => Promise.resolve(loaded) };
  if ((await opening.isNeeded?.(loaded, args)) === false) {
    const shows = invocation.has('json') ? 'data' : 'pipe';
    const context = { now: io.now, reveal: invocation.has('reveal'), shows } as const;
    return toVerbOutcome(await perform(action, files, args, context), run);
  }
  const only = await opening.servers(loaded, args, { adHoc });
  // A refusal needs no host.
  for (const name of action.barrier ? only : []) {
    refuseBarred(action, { server: await serverOf(files, name), status: undefined, canSignIn: false });
  }
  const { withHost } = await import('./open-host.js');
  return withHost({ ...run, loaded, only, isReport, mayAsk, ...(isLazy && { start: 'lazy' }) }, async (opened) => {
    const on = { kind: 'host', host: opened.host, isTransient: true, adHoc } as const;
    const { told, json } = await perform(action, on, args, hostContext(run, opened));
    const outcome = toVerbOutcome({ told, json }, run);
    const problems = options.problems?.(loaded.problems, { server: named, adHoc }) ?? [];
    const warnings = options.reportsWarnings ? [] : opened.notes;
    const all = { ...outcome, notes: [...(outcome.notes ?? []), ...warnings, ...configProblemNotes(problems, run)] };
    if (!told.error || invocation.has('json')) return all;
    writeOutcome(all, run);
    throw told.error;
  });
}

function hostContext(run: ProgramRun, { signal, dialogs, explain, settled }: HostRun): ActionContext {
  const { invocation, io } = run;
  // Messages that --trace shows would be written into the line.
  const isWanted = !['quiet', 'json', 'trace'].some((flag) => invocation.has(flag));
  return programContext(run, () => signal, {
    wait: settled,
    watchCall: (what) => dialogs.around(callProgress(io, { isWanted, tool: what })),
    explain(error) {
      const told = explain(error);
      return told instanceof HostError ? told : error;
    },
  });
}
