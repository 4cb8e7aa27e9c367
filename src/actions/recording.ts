import type { traceRun } from '../connection/logs/live-trace.js';
import type { record, RunRecording } from '../connection/logs/recording.js';

export type { RunRecording as Recording };

/** Opens the file that records the messages of a run. Rejects with a `HostError` when it cannot be written. */
export async function openRunRecording(...given: Parameters<typeof record>): Promise<RunRecording> {
  const recording = await import('../connection/logs/recording.js');
  return recording.record(...given);
}

/** Shows the messages of a run as they come. */
export async function openRunTrace(...given: Parameters<typeof traceRun>): Promise<Pick<RunRecording, 'tap'>> {
  const live = await import('../connection/logs/live-trace.js');
  return live.traceRun(...given);
}
