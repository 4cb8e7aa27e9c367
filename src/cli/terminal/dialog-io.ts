import type { Io, Output } from '../io.js';
import type { Screen } from './screen.js';
import { textWidth } from './text/text-width.js';

/** Has dialogs that write and ask line by line do so on the screen: they know nothing of what else stands there. */
export function dialogIo(io: Io, screen: Screen): Io {
  const output = lineOutput(screen);
  // Whatever else it has is looked up there when it is first wanted, and not before: whoever listens for signals does so for good.
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

/** A line is printed when it ends. One that is drawn anew until then, such as a countdown, stands at the foot. */
function lineOutput(screen: Screen): Output {
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

/** What is left of a line after all that was drawn over it. */
function lastDrawn(line: string): string {
  const from = line.lastIndexOf(AGAIN);
  return from === -1 ? line : line.slice(from + AGAIN.length);
}

const AGAIN = '\r\u001B[K';
