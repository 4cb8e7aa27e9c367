import { HostError } from '../base/errors.js';
import { type ControlChannel, type ControlStreams, openControl } from '../connection/control.js';
import type { Invocation } from './arguments.js';
import type { Io } from './io.js';
import { showLine } from './show.js';

/** Control messages of one run with the program that started it, which serves some of its servers. */
export interface RunControl extends AsyncDisposable {
  readonly channel: ControlChannel | undefined;
  /** Throws when such a server was asked for where nobody can serve one, whatever became of the others. */
  check(): void;
}

export function openRunControl(invocation: Invocation, io: Io, notes: string[]): RunControl {
  let misuse: HostError | undefined;
  let isNoted = false;
  const { openControl: streams } = io;
  const channel = streams && openControl({ open, onNote });
  return {
    channel,
    check() {
      if (misuse) throw misuse;
    },
    [Symbol.asyncDispose]: async () => channel?.[Symbol.asyncDispose](),
  };

  /** A server that talks over stdin and stdout leaves no room there for a person. */
  function open(server: string): ControlStreams {
    const why = !invocation.has('json')
      ? 'is served over stdout, where text for people would get between its messages'
      : io.stdin.isTerminal
        ? 'is served by the program that starts Plugboard, and stdin is a terminal'
        : undefined;
    if (why === undefined) return streams!();
    misuse = new HostError('usage', `error: server "${server}" ${why}`, {
      hint: 'Let a program start Plugboard, with --json, and answer its control messages',
    });
    throw misuse;
  }

  function onNote(line: string): void {
    if (isNoted) return;
    isNoted = true;
    notes.push(showLine(`warning stdin has a line that is no control message: ${line}`));
  }
}
