import type { record, RunRecording } from '../connection/logs/recording.js';

export type { RunRecording as Recording };

/** Opens the file that records the messages of a run. Rejects with a `HostError` when it cannot be written. */
export async function openRunRecording(...given: Parameters<typeof record>): Promise<RunRecording> {
  const recording = await import('../connection/logs/recording.js');
  return recording.record(...given);
}
