import type { Action, Done } from '../actions/action.js';
import type { ActionContext, ChoiceQuestion } from '../actions/action-context.js';
import { serverOf } from '../actions/action-place.js';
import { type ArgsOf, type ArgumentSpecs, toArgs } from '../actions/arguments.js';
import { perform, refuseBarred } from '../actions/perform.js';
import { draw, type Drawing } from '../actions/told.js';
import type { LoadedConfig } from '../config/load.js';
import { adHocServer } from './ad-hoc.js';
import { onlyName } from './arguments.js';
import { exitCodeOf } from './io.js';
import { loadToStart } from './load-to-start.js';
import { linesOf } from './server-view.js';
import { screenColumns, styleFor } from './style.js';
import { loadRun, openRun } from './load.js';
import { forScreen, toRows } from './screen-text.js';
import type { Outcome, Run } from './verb.js';

export interface RunActionOptions {
  /** Servers are started for it: where the folder is not trusted yet, the person is asked first. */
  readonly starts?: boolean;
  /** A URL may stand in place of the name of a server. */
  readonly takesUrl?: boolean;
}

/** Runs an action for the command line: on files, or on a host that is opened for it. */
export async function runAction(action: Action, given: Run, options: RunActionOptions): Promise<Outcome> {
  const adHoc = options.takesUrl === true ? adHocServer(given.invocation) : undefined;
  const run = adHoc ? { ...given, invocation: adHoc.invocation } : given;
  const { invocation, io } = run;
  const isOfOne = Object.values(action.args).some(({ kind }) => kind === 'server');
  const servers = adHoc ? [adHoc.name] : isOfOne ? [onlyName(invocation)] : invocation.positionals;
  const args = toArgs(action.args, { servers, values: (flag) => invocation.values(flag) });
  if (action.needs === 'host') return runOnHost(action, { ...run, servers, args }, options);
  const config = await openRun(invocation, io);
  let loading: Promise<LoadedConfig> | undefined;
  const load = (): Promise<LoadedConfig> => (loading ??= loadRun(invocation, io));
  return print(await perform(action, { kind: 'files', config, load }, args, contextOf(run)), run);
}

function contextOf(run: Run, signal?: AbortSignal): ActionContext {
  const { invocation, io } = run;
  return {
    now: io.now,
    signal,
    reveal: invocation.has('reveal'),
    // Looked at when somebody is to be asked: it opens stdin.
    get ask() {
      return io.stdin.isTerminal
        ? <Choice extends string>(question: ChoiceQuestion<Choice>) => askOn(run, question)
        : undefined;
    },
  };
}

interface HostActionRun extends Run {
  readonly servers: readonly string[];
  readonly args: ArgsOf<ArgumentSpecs>;
}

/** A lazy start: what an action does not ask for is not started for it. */
async function runOnHost(action: Action, run: HostActionRun, { starts = false }: RunActionOptions): Promise<Outcome> {
  const { invocation, io, servers, args } = run;
  const isMeant = ({ name }: { readonly name: string }): boolean => servers.includes(name);
  const loaded = starts ? await loadToStart(invocation, io, { starts: isMeant }) : await loadRun(invocation, io);
  const files = { kind: 'files', config: loaded.context, load: () => Promise.resolve(loaded) } as const;
  // What is barred is told before anything is opened.
  for (const name of servers) {
    refuseBarred(action, { server: await serverOf(files, name), status: undefined, canSignIn: false });
  }
  const { reasonOf, withHost } = await import('./open-host.js');
  return withHost({ invocation, io, loaded, only: servers, start: 'lazy' }, async ({ host, settled, notes }) => {
    const leaving = new AbortController();
    const on = { kind: 'host', host, isTransient: true } as const;
    const acting = perform(action, on, args, contextOf(run, leaving.signal));
    // The command line knows why nobody waits any longer, the action what that means for its outcome.
    const reason = reasonOf(await settled(acting));
    if (reason) leaving.abort(reason);
    return print(await acting, run, notes);
  });
}

/** What came of an action, on stdout and stderr. */
export function print({ json, told }: Pick<Done, 'json' | 'told'>, run: Run, notes: readonly string[] = []): Outcome {
  return {
    data: json,
    text: draw(told.parts, drawingOn(run)).join('\n'),
    notes: [...notes, ...(told.notes ?? [])],
    ...(told.code && { exitCode: exitCodeOf(told.code) }),
  };
}

function drawingOn({ invocation, io }: Run): Drawing {
  return {
    sentence: ({ text }) => [text],
    quote: ({ lines }) => lines,
    edits: ({ files }) => files.map((file) => `File modified: ${file}`),
    server({ server, state }) {
      const style = styleFor(io.stdout, { env: io.env, noColor: invocation.has('no-color') });
      return linesOf(server, state, { style, columns: screenColumns(io.stdout) }).map((line) => line.slice(2));
    },
    aside: () => [],
    text: ({ text }) => [forScreen(text, io)],
    rows: ({ heading, rows }) => [...(heading === '' ? [] : [heading]), ...toRows(rows, screenColumns(io.stdout))],
  };
}

/** One line on stderr for each question, until one of its words is typed. */
async function askOn<Choice extends string>(run: Run, question: ChoiceQuestion<Choice>): Promise<Choice> {
  const { io } = run;
  const { about, prompt, choices, leave } = question;
  io.stderr.write(
    draw(about, drawingOn(run))
      .map((line) => `${line}\n`)
      .join(''),
  );
  for (;;) {
    const typed = (await io.stdin.ask(prompt)).trim().toLowerCase();
    const found = choices.find(({ word }) => typed === word || typed === word[0]);
    if (found) return found.choice;
    if (typed === '') return leave;
    io.stderr.write(`${choices.map(({ word, meaning }) => `${word[0]} ${meaning}`).join(', ')}\n`);
  }
}
