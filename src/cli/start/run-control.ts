import type { HostError } from '../../base/errors.js';
import {
  type ControlChannel,
  type ControlOptions,
  type ControlStreams,
  openControlChannel,
} from '../../actions/control.js';
import type { Invocation } from '../input/arguments.js';
import type { Io } from '../io.js';
import { showLine } from '../../model/show.js';
import { usageError } from '../input/usage-error.js';

/** The control messages between one run and its parent program, which serves some of its servers. */
export interface RunControl extends AsyncDisposable {
  readonly channel: ControlChannel | undefined;
  /** Throws when a server of the parent program was used where none can be served, even if other servers worked. */
  check(): void;
}

export type RunControlOptions = Pick<ControlOptions, 'onOther' | 'onEnd' | 'onWarning'>;

/** Without `options` the channel only serves servers. */
export async function openRunControl(
  invocation: Invocation,
  io: Io,
  notes: string[],
  options: RunControlOptions = {},
): Promise<RunControl> {
  let misuse: HostError | undefined;
  let isNoted = false;
  const { openControl: streams } = io;
  const channel = streams && (await openControlChannel({ open, onWarning, ...options }));
  return {
    channel,
    check() {
      if (misuse) throw misuse;
    },
    [Symbol.asyncDispose]: async () => channel?.[Symbol.asyncDispose](),
  };

  /** Refuses a server on stdin and stdout where those are for a person. */
  function open(server?: string): ControlStreams {
    const why = !isForPrograms(invocation)
      ? 'is served over stdout, where text for people would mix with its messages'
      : io.stdin.isTerminal
        ? 'is served by the program that starts Plugboard, and stdin is a terminal'
        : undefined;
    if (why === undefined || server === undefined) return streams!();
    misuse = usageError(`server "${server}" ${why}`, {
      hint: 'Start Plugboard with --json from a program that answers its control messages',
    });
    throw misuse;
  }

  function onWarning(line: string): void {
    if (isNoted) return;
    isNoted = true;
    notes.push(showLine(`warning: stdin has a line that is not a control message: ${line}`));
  }
}

/** Whether every line on stdout is JSON. */
function isForPrograms(invocation: Invocation): boolean {
  const format = invocation.value('output-format') ?? 'text';
  return invocation.has('json') || format !== 'text';
}
