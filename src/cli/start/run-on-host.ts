import type { Action } from '../../actions/action.js';
import type { ActionContext } from '../../actions/action-context.js';
import { type GivenWords, missingWord, toArgs } from '../../actions/arguments.js';
import { perform } from '../../actions/perform.js';
import { showName } from '../../model/show.js';
import type { Problem } from '../../index.js';
import { HostError } from '../../base/errors.js';
import { adHocServer } from '../input/ad-hoc.js';
import { type Invocation, onlyName } from '../input/arguments.js';
import { callProgress } from '../output/call-progress.js';
import { loadToStart } from './load-to-start.js';
import { configProblemNotes } from './load.js';
import type { HostRun } from './open-host.js';
import { print } from './run-action.js';
import { usageError } from '../input/usage-error.js';
import type { Outcome, ProgramRun } from '../verb.js';
import { writeOutcome } from '../output/write-outcome.js';

export interface RunOnHostOptions {
  /** A URL, or a command behind `--`, may stand for a server that is configured nowhere. */
  readonly takesServer?: true;
  /** What of what is wrong in the files is told with the answer; nothing unless said. `adHoc`: the server that the command line brought. */
  readonly problems?: (problem: Problem, adHoc: string | undefined) => boolean;
  /** In place of what is usually said about words that it does not take. Throws `usage`. */
  readonly checkWords?: (invocation: Invocation) => void;
  /** What is odd about servers is in its answer, and noted nowhere else. */
  readonly findsOddities?: true;
}

/** Runs an action for the command line, on a host that is opened for it alone. */
export async function runOnHost(action: Action, given: ProgramRun, options: RunOnHostOptions): Promise<Outcome> {
  const { io } = given;
  const { invocation, adHoc, servers, words } = readWords(action, given.invocation, options);
  if (!options.checkWords) refuseWords(action, { servers, words }, invocation);
  options.checkWords?.(invocation);
  const args = toArgs(action.args, { servers, words, values: (flag) => invocation.values(flag) });
  const { opening } = action;
  const loaded = await loadToStart(invocation, io, {
    starts: (server) => opening?.mayStart?.(server, args) ?? true,
  });
  if ((await opening?.isNeeded?.(loaded, args)) === false) {
    const files = { kind: 'files', config: loaded.context, load: () => Promise.resolve(loaded) } as const;
    return print(await perform(action, files, args, { now: io.now, reveal: invocation.has('reveal') }), given);
  }
  const only = (await opening?.servers(loaded, args, { adHoc })) ?? servers;
  const { isLazy, isReport = false, mayAsk = false } = opening ?? {};
  const run = { invocation, io };
  const { withHost } = await import('./open-host.js');
  return withHost({ ...run, loaded, only, isReport, mayAsk, ...(isLazy && { start: 'lazy' }) }, async (opened) => {
    const { host, notes } = opened;
    const settled: HostRun['settled'] = (what) => opened.settled(what);
    const on = { kind: 'host', host, isTransient: true, adHoc, settled } as const;
    const { problems: isTold = () => false } = options;
    const problems = configProblemNotes(
      loaded.problems.filter((problem) => isTold(problem, adHoc)),
      run,
    );
    const done = await perform(action, on, args, contextOf(run, opened));
    const outcome = print(done, run);
    const told = {
      ...outcome,
      notes: [...(outcome.notes ?? []), ...(options.findsOddities ? [] : notes), ...problems],
    };
    const { error } = done.told;
    if (!error || invocation.has('json')) return told;
    writeOutcome(told, run);
    throw error;
  });
}

interface ReadWords extends GivenWords {
  readonly invocation: Invocation;
  /** The name of the server that came with the run. */
  readonly adHoc: string | undefined;
}

function readWords(action: Action, given: Invocation, { takesServer }: RunOnHostOptions): ReadWords {
  const namesServer = Object.values(action.args).some(({ kind }) => kind === 'server');
  // The address of a resource may look like that of a server: only the first word can be one.
  const named = given.command ? [] : given.positionals.slice(0, 1);
  const adHoc = takesServer === true ? adHocServer(namesServer ? { ...given, positionals: named } : given) : undefined;
  const invocation = adHoc?.invocation ?? given;
  return {
    invocation,
    adHoc: adHoc?.name,
    servers: adHoc ? [adHoc.name] : namesServer ? named : [],
    words: namesServer ? given.positionals.slice(named.length) : invocation.positionals,
  };
}

function refuseWords(action: Action, { servers, words }: GivenWords, invocation: Invocation): void {
  const { verb } = invocation;
  const specs = Object.values(action.args);
  const hasWords = specs.some(({ kind }) => kind === 'word' || kind === 'words');
  const isOfOne = specs.some((spec) => spec.kind === 'server' && spec.isOptional !== true);
  if (isOfOne && !hasWords) onlyName({ ...invocation, positionals: [...servers, ...words] });
  const missing = missingWord(specs, { servers, words });
  if (missing) {
    const { noun, listedBy } = missing;
    const list = listedBy === undefined ? '' : `plugboard ${listedBy} ${servers.map(showName).join(' ')}`;
    throw usageError(`${verb.name} needs ${noun}`, {
      hint: list === '' ? `plugboard ${verb.name} ${verb.usage}` : `See what there is: ${list}`,
    });
  }
  if (specs.some(({ kind }) => kind === 'words')) return;
  const single = specs.filter((spec) => spec.kind === 'word');
  const surplus = words[single.length];
  if (surplus === undefined) return;
  const [{ noun: one } = { noun: 'server' }] = single;
  throw usageError(`${verb.name} takes one ${one}, got "${surplus}" besides`, {
    hint:
      single.length === 0
        ? `If that is a command, put -- before it: plugboard ${verb.name} -- ${[...servers, ...words].join(' ')}`
        : `plugboard ${verb.name} ${one.toUpperCase()}`,
  });
}

function contextOf({ invocation, io }: ProgramRun, { signal, dialogs, explain }: HostRun): ActionContext {
  const isQuiet = invocation.has('quiet');
  const isJson = invocation.has('json');
  return {
    now: io.now,
    signal,
    reveal: invocation.has('reveal'),
    note: (text) => void (isQuiet || io.stderr.write(`${text}\n`)),
    watchCall: (what) => dialogs.around(callProgress(io, { isWanted: !isQuiet && !isJson, tool: what })),
    explain(error) {
      const told = explain(error);
      return told instanceof HostError ? told : error;
    },
    shows: isJson ? 'data' : io.stdout.isTerminal ? 'screen' : 'pipe',
  };
}
