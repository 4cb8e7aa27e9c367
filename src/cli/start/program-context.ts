import type { ActionContext, ChoiceQuestion } from '../../actions/action-context.js';
import { answeredRow, titleRows } from '../dialogs/frame.js';
import { openDialog } from '../dialogs/open-dialog.js';
import { toldLines, writePart } from '../output/told-lines.js';
import type { ProgramRun } from '../verb.js';

/** What the command line gives every action; `more`: what only a host has. `signal` is read when the action waits. */
export function programContext(
  run: ProgramRun,
  signal: () => AbortSignal,
  more: Pick<ActionContext, 'wait' | 'watchCall' | 'explain'> = {},
): ActionContext {
  const { invocation, io } = run;
  return {
    ...more,
    now: io.now,
    reveal: invocation.has('reveal'),
    shows: invocation.has('json') ? 'data' : io.stdout.isTerminal ? 'screen' : 'pipe',
    get signal() {
      return signal();
    },
    note: (text) => void (invocation.has('quiet') || io.stderr.write(`${text}\n`)),
    readInput: () => io.stdin.read(),
    onProgress: (part) => writePart(part, run),
    presentSignIn: async (signIn, options) =>
      (await import('../sign-in/sign-in-screen.js')).showSignIn(signIn, {
        ...run,
        ...options,
        openDialog: () => openDialog(run),
      }),
    // A getter, because `isTerminal` opens stdin.
    get ask() {
      return io.stdin.isTerminal
        ? <Choice extends string>(question: ChoiceQuestion<Choice>) => askOn(run, question)
        : undefined;
    },
  };
}

/** Asks on stderr, again until the answer is one of the words or their first letter. */
async function askOn<Choice extends string>(run: ProgramRun, question: ChoiceQuestion<Choice>): Promise<Choice> {
  const { title, about, prompt, choices, otherwise, answered } = question;
  using dialog = openDialog(run);
  const { stdin, stderr } = dialog.io;
  const fold = (choice: Choice): Choice => {
    const { isYes, text } = answered(choice);
    dialog.fold(answeredRow(isYes, text, dialog.look));
    return choice;
  };
  const words = choices.map(({ word }) => `[${word[0]}]${word.slice(1)}`).join(', ');
  const rows = [...titleRows(title, dialog.look), ...toldLines(about, run, run.io.stderr)];
  stderr.write(`${rows.join('\n')}\n`);
  for (;;) {
    const typed = (await stdin.ask(`${prompt} ${words}: `)).trim().toLowerCase();
    if (typed === '') return fold(otherwise);
    const found = choices.find(({ word }) => typed === word || typed === word[0]);
    if (found) return fold(found.choice);
    stderr.write(`${choices.map(({ word, meaning }) => `${word[0]}: ${meaning}`).join('; ')}\n`);
  }
}
