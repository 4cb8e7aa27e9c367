import { HostError } from '../../base/errors.js';
import type { Action, Done } from '../../actions/action.js';
import type { ActionContext, ChoiceQuestion } from '../../actions/action-context.js';
import { type LoadedConfig, serverOf } from '../../actions/action-place.js';
import { type ArgsOf, type ArgumentSpec, type ArgumentSpecs, toArgs } from '../../actions/arguments.js';
import { perform, refuseBarred } from '../../actions/perform.js';
import { draw, type Drawing, type ToldPart } from '../../actions/told.js';
import { reasonOf } from '../../actions/waited-state.js';
import { describeRequest } from '../approval/approval-text.js';
import { callLine } from '../output/call-line.js';
import { adHocServer } from '../input/ad-hoc.js';
import { showLine } from '../../model/show.js';
import { onlyName } from '../input/arguments.js';
import { exitCodeOf, exitCodes } from '../io.js';
import { loadToStart } from './load-to-start.js';
import { loadRun, openRun, writtenNotes } from './load.js';
import { openDeadline, type RunDeadline } from './run-deadline.js';
import { findingsLines } from '../output/finding-lines.js';
import { forScreen, toRows } from '../output/screen-text.js';
import { serverListLines } from '../output/server-list.js';
import { serverStatusLines, paintSpans } from '../output/server-view.js';
import { screenColumns, type Style, styleFor } from '../output/style.js';
import type { Outcome, ProgramRun } from '../verb.js';
import { wrapHint, wrapLine } from '../output/wrap.js';

export interface RunActionOptions<Specs extends ArgumentSpecs = ArgumentSpecs> {
  /** Servers are started for it: where the folder is not trusted yet, the person is asked first. */
  readonly starts?: boolean | undefined;
  /** A URL may stand in place of the name of a server. */
  readonly takesUrl?: boolean | undefined;
  /** What was typed, where that is more than names and flags. Throws `usage`. */
  readonly parse?: ((run: ProgramRun) => ArgsOf<Specs> | Promise<ArgsOf<Specs>>) | undefined;
  /** What has to be so before a host is opened for the server of that name. */
  readonly prepare?: ((run: ProgramRun, name: string) => Promise<PreparedRun>) | undefined;
}

export interface PreparedRun {
  /** The same run, with what belongs to it by now. */
  readonly run: ProgramRun;
  readonly loaded: LoadedConfig;
  /** Once it has gone well; what comes back is told. */
  readonly keep?: (() => Promise<readonly string[]>) | undefined;
  /** Once it has not. */
  readonly undo?: (() => Promise<void>) | undefined;
}

/** Runs an action for the command line: on files, or on a host that is opened for it. */
export async function runAction<Specs extends ArgumentSpecs>(
  action: Action<Specs>,
  given: ProgramRun,
  options: RunActionOptions<Specs>,
): Promise<Outcome> {
  const adHoc = options.takesUrl === true ? adHocServer(given.invocation) : undefined;
  const run = adHoc ? { ...given, invocation: adHoc.invocation } : given;
  const { invocation, io } = run;
  const isOfOne = Object.values<ArgumentSpec>(action.args).some(({ kind }) => kind === 'server');
  const { parse } = options;
  const servers = adHoc ? [adHoc.name] : isOfOne && !parse ? [onlyName(invocation)] : invocation.positionals;
  const values = (flag: string): readonly string[] => invocation.values(flag);
  const args = parse ? await parse(run) : toArgs(action.args, { servers, words: invocation.positionals, values });
  if (action.needs === 'host') return runOnHost(action, { ...run, servers, args }, options);
  const config = await openRun(invocation, io);
  let loading: Promise<LoadedConfig> | undefined;
  const load = (): Promise<LoadedConfig> => (loading ??= loadRun(invocation, io));
  let deadline: RunDeadline | undefined;
  // Opened when somebody waits for something: for the others a signal of the system does what it always does.
  const signal = (): AbortSignal => (deadline ??= openDeadline(invocation, io)).signal;
  try {
    const done = await perform(action, { kind: 'files', config, load }, args, contextOf(run, { signal }));
    const outcome = print(done, run);
    const isTimedOut = deadline?.isTimedOut === true && io.interrupted?.aborted !== true;
    return done.told.isStreamed === true && isTimedOut ? { ...outcome, exitCode: exitCodes.timedOut } : outcome;
  } finally {
    deadline?.[Symbol.dispose]();
  }
}

function contextOf(
  run: ProgramRun,
  { signal, ...more }: Pick<ActionContext, 'wait'> & { readonly signal: () => AbortSignal },
): ActionContext {
  const { invocation, io } = run;
  return {
    ...more,
    now: io.now,
    reveal: invocation.has('reveal'),
    get signal() {
      return signal();
    },
    onProgress: (part) => writePart(part, run),
    presentSignIn: async (signIn, options) =>
      (await import('../sign-in/sign-in-screen.js')).showSignIn(signIn, { ...run, ...options }),
    // Looked at when somebody is to be asked: it opens stdin.
    get ask() {
      return io.stdin.isTerminal
        ? <Choice extends string>(question: ChoiceQuestion<Choice>) => askOn(run, question)
        : undefined;
    },
  };
}

/** What comes bit by bit is the answer, a line of JSON for each with --json; our own words go to stderr. False: nobody reads any more. */
function writePart(part: ToldPart, run: ProgramRun): boolean {
  const { stdout, stderr } = run.io;
  if (part.kind !== 'log' && part.kind !== 'calls') {
    if (!run.invocation.has('quiet')) for (const line of draw([part], drawingOn(run))) stderr.write(`${line}\n`);
    return stderr.isClosed !== true;
  }
  const objects = part.kind === 'log' ? part.lines.map((line) => ({ line: showLine(line) })) : part.calls;
  const lines = run.invocation.has('json') ? objects.map((one) => JSON.stringify(one)) : draw([part], drawingOn(run));
  if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
  return stdout.isClosed !== true;
}

interface HostActionRun extends ProgramRun {
  readonly servers: readonly string[];
  readonly args: ArgsOf<ArgumentSpecs>;
}

/** A lazy start: what an action does not ask for is not started for it. */
async function runOnHost(action: Action, given: HostActionRun, options: RunActionOptions): Promise<Outcome> {
  const { servers, args } = given;
  const prepared = await options.prepare?.(given, servers[0] ?? '');
  const run = prepared?.run ?? given;
  const { invocation, io } = run;
  let isDone = false;
  try {
    const loaded = prepared?.loaded ?? (await loadFor(run, servers, options));
    const files = { kind: 'files', config: loaded.context, load: () => Promise.resolve(loaded) } as const;
    // What is barred is told before anything is opened.
    for (const name of servers) {
      refuseBarred(action, { server: await serverOf(files, name), status: undefined, canSignIn: false });
    }
    const { withHost } = await import('./open-host.js');
    const opening = { invocation, io, loaded, only: servers, start: 'lazy' } as const;
    const done = await withHost(opening, async ({ host, signal, settled, notes }) => {
      const leaving = new AbortController();
      let isWaiting = false;
      // The command line knows why nobody waits any longer, the action what that means for its outcome.
      const wait = async (work: Promise<unknown>): Promise<void> => {
        isWaiting = true;
        const reason = reasonOf(await settled(work));
        isWaiting = false;
        if (reason) leaving.abort(reason);
      };
      const stop = (): void => {
        if (!isWaiting) leaving.abort(new HostError('cancelled', 'Stopped before it was done'));
      };
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      const on = { kind: 'host', host, isTransient: true } as const;
      return { notes, ...(await perform(action, on, args, contextOf(run, { signal: () => leaving.signal, wait }))) };
    });
    isDone = true;
    return print(done, run, [...((await prepared?.keep?.()) ?? []), ...done.notes]);
  } finally {
    if (!isDone) await prepared?.undo?.();
  }
}

async function loadFor(
  { invocation, io }: ProgramRun,
  servers: readonly string[],
  { starts = false }: RunActionOptions,
): Promise<LoadedConfig> {
  return starts
    ? loadToStart(invocation, io, { starts: ({ name }) => servers.includes(name) })
    : loadRun(invocation, io);
}

/** What came of an action, on stdout and stderr. */
export function print(
  { json, told }: Pick<Done, 'json' | 'told'>,
  run: ProgramRun,
  notes: readonly string[] = [],
): Outcome {
  return {
    data: json,
    text: draw(told.parts, drawingOn(run)).join('\n'),
    notes: [...notes, ...writtenNotes(told.notes ?? [], run)],
    ...(told.code && { exitCode: exitCodeOf(told.code) }),
    ...(told.isStreamed === true && { isStreamed: true }),
  };
}

function drawingOn(run: ProgramRun): Drawing {
  const { io } = run;
  return {
    sentence: ({ text }) => [text],
    line: ({ spans }) => wrapLine(paintSpans(spans, styleOn(run)), screenColumns(io.stdout), 4),
    hint: ({ text }) => wrapHint(text, screenColumns(io.stdout), 4),
    quote: ({ lines }) => lines,
    edits: ({ files }) => files.map((file) => `File modified: ${file}`),
    request: ({ request }) => describeRequest(request),
    aside: () => [],
    text: ({ text }) => [forScreen(text, io)],
    table: ({ heading, rows }) => [...(heading === '' ? [] : [heading]), ...toRows(rows, screenColumns(io.stdout))],
    log: ({ lines }) => lines.map(showLine),
    calls: ({ calls }) => calls.map((call) => callLine(call, styleOn(run))),
    server: (part) =>
      serverStatusLines(part, { style: styleOn(run), columns: screenColumns(io.stdout) }).map((line) => line.slice(2)),
    servers: (part) => serverListLines(part, { style: styleOn(run), columns: screenColumns(io.stdout) }),
    findings: (part) => findingsLines(part, { style: styleOn(run), columns: screenColumns(io.stdout) }),
  };
}

function styleOn({ invocation, io }: ProgramRun): Style {
  return styleFor(io.stdout, { env: io.env, noColor: invocation.has('no-color') });
}

/** One line on stderr for each question, until one of its words is typed. */
async function askOn<Choice extends string>(run: ProgramRun, question: ChoiceQuestion<Choice>): Promise<Choice> {
  const { stdin, stderr } = run.io;
  const { about, prompt, choices, otherwise } = question;
  const words = choices.map(({ word }) => `[${word[0]}]${word.slice(1)}`).join(', ');
  for (const line of draw(about, drawingOn(run))) stderr.write(`${line}\n`);
  for (;;) {
    const typed = (await stdin.ask(`${prompt} ${words}: `)).trim().toLowerCase();
    if (typed === '') return otherwise;
    const found = choices.find(({ word }) => typed === word || typed === word[0]);
    if (found) return found.choice;
    stderr.write(`${choices.map(({ word, meaning }) => `${word[0]}: ${meaning}`).join('; ')}\n`);
  }
}
