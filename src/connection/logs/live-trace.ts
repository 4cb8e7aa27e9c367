import { systemClock } from '../../edge/clock.js';
import { recordingPipe } from '../../wire/recording-pipe.js';
import { MessageTrace, type TracedMessage } from './message-trace.js';
import type { RunRecording } from './recording.js';

/** Passes on the messages of a run as they come, without secrets. Nothing is kept. */
export function traceRun({
  home,
  onMessage,
}: {
  readonly home: string | undefined;
  /** Contract: must not throw. */
  readonly onMessage: (message: TracedMessage) => void;
}): Pick<RunRecording, 'tap'> {
  const trace = new MessageTrace();
  const start = systemClock.monotonic();
  const connections = new Map<string, number>();
  return {
    tap({ name, secrets, argumentSecrets }, pipe) {
      const connection = (connections.get(name) ?? 0) + 1;
      connections.set(name, connection);
      const head = { server: name, ...(connection > 1 && { connection }) };
      const recorder = {
        isOver: false,
        record(event: object): void {
          const ms = Math.round(systemClock.monotonic() - start);
          const traced = trace.take({ ms, ...head, ...event });
          if (traced) onMessage(traced);
        },
      };
      return recordingPipe(pipe, { recorder, secrets, argumentSecrets, home });
    },
  };
}
