import type { OpenDialog } from '../dialogs/open-dialog.js';
import type { Io, Output } from '../io.js';
import type { Screen } from './screen.js';
import { textWidth } from './text/text-width.js';

/** A dialog in a block of the screen, which is folded when the dialog is over. */
export function openScreenDialog(io: Io, screen: Screen): OpenDialog {
  const block = screen.openBlock();
  return {
    io: dialogIo(io, {
      get columns() {
        return screen.columns;
      },
      print: (text) => block.print(text),
      ask: (question, options) => block.ask(question, options),
      show: (zone, rows) => screen.show(zone, rows),
    }),
    look: screen,
    begin: () => block.begin(),
    fold: (line) => block.fold(line),
    keep: (line) => block.keep(line),
    [Symbol.dispose]: () => block[Symbol.dispose](),
  };
}

type DialogScreen = Pick<Screen, 'columns' | 'print' | 'ask' | 'show'>;

/** An `Io` for dialogs that write and ask line by line: it leads to the screen. */
export function dialogIo(io: Io, screen: DialogScreen): Io {
  const output = lineOutput(screen);
  // Inherits the rest instead of copying it: reading `interrupted` would install signal handlers for good.
  return Object.assign(Object.create(io) as Io, {
    stdout: output,
    stderr: output,
    stdin: {
      isTerminal: true,
      read: () => io.stdin.read(),
      ask: (question: string, signal?: AbortSignal) => screen.ask(question, { signal }),
      askSecret: (question: string, signal?: AbortSignal) => screen.ask(question, { signal, isSecret: true }),
      askLive: (question: () => string, signal: AbortSignal) => screen.ask(question, { signal }),
    },
  });
}

/** Prints each line when it ends. An unfinished line that is redrawn, such as a countdown, stands at the foot. */
function lineOutput(screen: DialogScreen): Output {
  let begun = '';
  return {
    isTerminal: true,
    get columns() {
      return screen.columns;
    },
    write(text) {
      const lines = (begun + text).split('\n').map(lastDrawn);
      begun = lines.pop()!;
      if (lines.length > 0) screen.print(lines.join('\n'));
      screen.show('dialog', textWidth(begun) === 0 ? undefined : [begun]);
    },
  };
}

/** The part of a line after its last redraw. */
function lastDrawn(line: string): string {
  const from = line.lastIndexOf(AGAIN);
  return from === -1 ? line : line.slice(from + AGAIN.length);
}

const AGAIN = '\r\u001B[K';
