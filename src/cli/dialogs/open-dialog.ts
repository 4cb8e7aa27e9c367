import { isPlain, screenColumns, styleFor } from '../output/style.js';
import type { Io } from '../io.js';
import type { ProgramRun } from '../verb.js';
import type { BlockPart } from '../terminal/screen.js';
import { wrapQuestion } from '../terminal/question-rows.js';
import { isLongAddress, wrapBlockRow } from '../terminal/text/block-rows.js';
import { textWidth } from '../terminal/text/text-width.js';
import type { Look } from './frame.js';

/** A dialog that writes and asks line by line, and is folded to one line when it is over. */
export interface OpenDialog extends Disposable {
  readonly io: Io;
  readonly look: Look;
  /** Begins a part, such as a field of a form. */
  begin(): BlockPart;
  /** Replaces what the dialog has written by one line, where the terminal can do that. */
  fold(line: string): void;
  /** Adds a line to what the dialog has written, all of which stays. */
  keep(line: string): void;
}

/** The look of a dialog on stderr. */
export function dialogLook({ io, invocation }: ProgramRun): Look {
  const { stderr } = io;
  return {
    get columns() {
      return screenColumns(stderr);
    },
    style: styleFor(stderr, { env: io.env, isPlain: io.isPlain, noColor: invocation.has('no-color') }),
    isPlain: isPlain(io) || !stderr.isTerminal,
  };
}

/** A dialog on stderr. What it writes is counted, so that it can be erased; a dialog taller than the screen stays. */
export function openDialog(run: ProgramRun): OpenDialog {
  const { io } = run;
  const look = dialogLook(run);
  let written = '';
  let isCertain = io.stderr.isTerminal && !look.isPlain;
  const asked = async (question: string, answer: Promise<string>): Promise<string> => {
    try {
      const text = await answer;
      written += `${question}${text}\n`;
      return text;
    } catch (cause) {
      isCertain = false; // what was typed before is not known
      throw cause;
    }
  };
  const { stdin } = io;
  const write = (text: string): void => {
    const fitting = fitLines(text, look.columns);
    written += fitting;
    io.stderr.write(fitting);
  };
  const rowsOf = (question: string): string[] => wrapQuestion([question], { columns: look.columns, rows: 0 });
  /** Writes all rows of a question but the last, which the answer is typed in. */
  const begin = (question: string): string => {
    const rows = rowsOf(question);
    if (rows.length > 1) write(`${rows.slice(0, -1).join('\n')}\n`);
    return rows.at(-1)!;
  };
  // Inherits the rest instead of copying it: reading `interrupted` would install signal handlers for good.
  const own: Io = Object.assign(Object.create(io) as Io, {
    stderr: Object.assign(Object.create(io.stderr) as Io['stderr'], {
      write,
    }),
    stdin: Object.assign(Object.create(stdin) as Io['stdin'], {
      ask(question: string, signal?: AbortSignal) {
        const last = begin(question);
        return asked(last, stdin.ask(last, signal));
      },
      async askSecret(question: string, signal?: AbortSignal) {
        const wasCertain = isCertain;
        isCertain = false;
        const last = begin(question);
        const secret = await stdin.askSecret(last, signal);
        isCertain = wasCertain;
        written += `${last}\n`;
        return secret;
      },
      ...(stdin.askLive && {
        async askLive(question: () => string, signal: AbortSignal) {
          const fitting = (): string => rowsOf(question()).join('\n');
          try {
            const text = await stdin.askLive!(fitting, signal);
            written += `${fitting()}${text}\n`;
            return text;
          } catch (cause) {
            isCertain &&= signal.aborted; // then the question has removed itself
            throw cause;
          }
        },
      }),
    }),
  });
  return {
    io: own,
    look,
    begin: () => ({ settle() {}, remove() {} }),
    fold(line) {
      const rows = rowsTaken(written, look.columns);
      const canErase = isCertain && rows > 0 && rows < (io.stderr.rows ?? 0);
      io.stderr.write(`${canErase ? eraseAbove(rows) : ''}${line}\n`);
      written = '';
    },
    keep: (line) => io.stderr.write(`${line}\n`),
    [Symbol.dispose]() {},
  };
}

/** Wraps whole lines between words. A line that is redrawn, such as a countdown, stays as it is. */
function fitLines(text: string, columns: number): string {
  const fit = (line: string): string =>
    line.includes('\r') || textWidth(line) <= columns || isLongAddress(line, columns)
      ? line
      : wrapBlockRow(line, columns).join('\n');
  return text.split('\n').map(fit).join('\n');
}

/** Erases the rows above the cursor. Not with one sequence: from the top left corner tmux would keep them in its history. */
function eraseAbove(rows: number): string {
  return `\r\u001B[${rows}A\u001B[K\n\u001B[J\u001B[A`;
}

/** How many rows a text has scrolled the cursor down. */
function rowsTaken(text: string, columns: number): number {
  const lines = text.split('\n').slice(0, -1);
  return lines.reduce((sum, line) => sum + Math.max(Math.ceil(textWidth(line) / columns), 1), 0);
}
