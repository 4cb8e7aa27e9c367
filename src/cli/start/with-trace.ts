import { openRunTrace, type Recording } from '../../actions/recording.js';
import type { TracedMessage } from '../../actions/told.js';
import { usageError } from '../input/usage-error.js';
import type { Io } from '../io.js';
import { screenColumns, styleFor } from '../output/style.js';
import { traceLines } from '../output/trace-lines.js';
import type { ProgramRun } from '../verb.js';

/**
 * With `--trace`, on every verb: shows the messages between host and servers on stderr as they come. For `logs` they are
 * the answer: on stdout, with `--json` one object a line.
 */
export async function withTrace<Result>(
  { invocation, io }: ProgramRun,
  use: (io: Io) => Promise<Result>,
): Promise<Result> {
  if (!invocation.has('trace')) return use(io);
  if (invocation.verb.name === 'session' && !invocation.has('print')) {
    throw usageError('--trace would write into the screen of a session', { hint: 'plugboard --record FILE' });
  }
  const isAnswer = invocation.verb.name === 'logs';
  const stream = isAnswer ? io.stdout : io.stderr;
  const style = styleFor(stream, { env: io.env, noColor: invocation.has('no-color') });
  const columns = screenColumns(stream);
  const show = (message: TracedMessage): void => {
    const lines =
      isAnswer && invocation.has('json')
        ? [JSON.stringify(message)]
        : traceLines(message, { style, columns, isWhole: invocation.has('verbose') });
    stream.write(`${lines.join('\n')}\n`);
  };
  const openRecording = async (): Promise<Recording> => {
    const file = await io.openRecording?.();
    const home = io.env['HOME'] ?? io.env['USERPROFILE'];
    const trace = await openRunTrace({ home, onMessage: show });
    return {
      path: file?.path ?? '',
      get problem() {
        return file?.problem;
      },
      tap: (server, pipe) => trace.tap(server, file ? file.tap(server, pipe) : pipe),
      [Symbol.asyncDispose]: async () => file?.[Symbol.asyncDispose](),
    };
  };
  // Not a copy, which would evaluate every getter.
  return use(Object.assign(Object.create(io) as Io, { openRecording }));
}
