import { isPlain, screenColumns, styleFor } from '../output/style.js';
import type { Io } from '../io.js';
import type { ProgramRun } from '../verb.js';
import type { BlockPart } from '../terminal/screen.js';
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
  // Inherits the rest instead of copying it: reading `interrupted` would install signal handlers for good.
  const own: Io = Object.assign(Object.create(io) as Io, {
    stderr: Object.assign(Object.create(io.stderr) as Io['stderr'], {
      write(text: string) {
        written += text;
        io.stderr.write(text);
      },
    }),
    stdin: Object.assign(Object.create(stdin) as Io['stdin'], {
      ask: (question: string, signal?: AbortSignal) => asked(question, stdin.ask(question, signal)),
      async askSecret(question: string, signal?: AbortSignal) {
        const wasCertain = isCertain;
        isCertain = false;
        const secret = await stdin.askSecret(question, signal);
        isCertain = wasCertain;
        written += `${question}\n`;
        return secret;
      },
      ...(stdin.askLive && {
        async askLive(question: () => string, signal: AbortSignal) {
          try {
            const text = await stdin.askLive!(question, signal);
            written += `${question()}${text}\n`;
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

/** Erases the rows above the cursor. Not with one sequence: from the top left corner tmux would keep them in its history. */
function eraseAbove(rows: number): string {
  return `\r\u001B[${rows}A\u001B[K\n\u001B[J\u001B[A`;
}

/** How many rows a text has scrolled the cursor down. */
function rowsTaken(text: string, columns: number): number {
  const lines = text.split('\n').slice(0, -1);
  return lines.reduce((sum, line) => sum + Math.max(Math.ceil(textWidth(line) / columns), 1), 0);
}
