import type { HostError } from '../../base/errors.js';
import { systemClock } from '../../edge/clock.js';
import { openRecording } from '../../edge/logs/recording-file.js';
import type { Pipe } from '../../wire/pipe.js';
import { recordingPipe } from '../../wire/recording-pipe.js';
import type { RecordedServer } from '../connection-factory.js';

/** Records the messages of a run to a file. */
export interface RunRecording extends AsyncDisposable {
  readonly path: string;
  /** Why messages are missing in the recording. */
  readonly problem: HostError | undefined;
  /** Wraps the pipe between the host and a server. */
  tap(server: RecordedServer, pipe: Pipe): Pipe;
}

/** Opens the file of `--record`. Rejects with a HostError when it cannot be written. */
export async function record(
  path: string,
  { at, home }: { readonly at: Date; readonly home: string | undefined },
): Promise<RunRecording> {
  const file = await openRecording(path, { clock: systemClock, at });
  return {
    path: file.path,
    get problem() {
      return file.problem;
    },
    tap: ({ name, secrets, argumentSecrets }, pipe) =>
      recordingPipe(pipe, { recorder: file.recorder(name), secrets, argumentSecrets, home }),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}
