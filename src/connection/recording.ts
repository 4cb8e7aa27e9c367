import type { HostError } from '../base/errors.js';
import { systemClock } from '../edge/clock.js';
import { openRecording } from '../edge/recording-file.js';
import type { Pipe } from '../wire/pipe.js';
import { recordingPipe } from '../wire/recording-pipe.js';
import type { DockedServer } from './dock.js';
import { secretsIn } from './secrets-in.js';

/** The messages of a run, on their way to a file. */
export interface Recording extends AsyncDisposable {
  readonly path: string;
  /** What is missing in it, and why. */
  readonly problem: HostError | undefined;
  /** Puts itself between a host and one of its servers. */
  tap(server: DockedServer, pipe: Pipe): Pipe;
}

/** Opens the file of `--record`. Rejects with a HostError when it cannot be written. */
export async function record(
  path: string,
  { at, home }: { readonly at: Date; readonly home: string | undefined },
): Promise<Recording> {
  const file = await openRecording(path, { clock: systemClock, at });
  return {
    path: file.path,
    get problem() {
      return file.problem;
    },
    tap: ({ name, config }, pipe) =>
      recordingPipe(pipe, { recorder: file.recorder(name), secrets: secretsIn(config), home }),
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}
