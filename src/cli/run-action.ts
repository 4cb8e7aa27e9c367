import type { Action, Done } from '../actions/action.js';
import type { ActionContext, ChoiceQuestion } from '../actions/action-context.js';
import { toArgs } from '../actions/arguments.js';
import { perform } from '../actions/perform.js';
import { draw, type Drawing } from '../actions/told.js';
import type { LoadedConfig } from '../config/load.js';
import { onlyName } from './arguments.js';
import { exitCodeOf, type Io } from './io.js';
import { loadRun, openRun } from './load.js';
import type { Outcome, Run } from './verb.js';

export interface RunActionOptions {}

/** Runs an action for the command line: on files, or on a host that is opened for it. */
export async function runAction(action: Action, run: Run, _options: RunActionOptions): Promise<Outcome> {
  const { invocation, io } = run;
  const isOfOne = Object.values(action.args).some(({ kind }) => kind === 'server');
  const servers = isOfOne ? [onlyName(invocation)] : invocation.positionals;
  const args = toArgs(action.args, { servers, values: (flag) => invocation.values(flag) });
  const context: ActionContext = {
    now: io.now,
    reveal: invocation.has('reveal'),
    ask: io.stdin.isTerminal ? (question) => askOn(io, question) : undefined,
  };
  const config = await openRun(invocation, io);
  let loading: Promise<LoadedConfig> | undefined;
  const load = (): Promise<LoadedConfig> => (loading ??= loadRun(invocation, io));
  return print(await perform(action, { kind: 'files', config, load }, args, context));
}

/** What came of an action, on stdout and stderr. */
export function print({ json, told }: Pick<Done, 'json' | 'told'>): Outcome {
  return {
    data: json,
    text: draw(told.parts, drawing).join('\n'),
    notes: told.notes ?? [],
    ...(told.code && { exitCode: exitCodeOf(told.code) }),
  };
}

const drawing: Drawing = {
  sentence: ({ text }) => [text],
  quote: ({ lines }) => lines,
  edits: ({ files }) => files.map((file) => `File modified: ${file}`),
};

/** One line on stderr for each question, until one of its words is typed. */
async function askOn<Choice extends string>(io: Io, question: ChoiceQuestion<Choice>): Promise<Choice> {
  const { about, prompt, choices, leave } = question;
  io.stderr.write(
    draw(about, drawing)
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
