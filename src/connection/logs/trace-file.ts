import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { HostError } from '../../base/errors.js';
import { isObject, parseJson } from '../../base/json.js';
import { FILE_BYTES } from '../../edge/logs/recording-file.js';
import { MessageTrace, type TracedMessage } from './message-trace.js';

/** The last messages of a recording that `--record` made. Rejects with a HostError: unreadable, no recording. */
export async function readTrace(
  path: string,
  { lines, howToRecord }: { readonly lines: number; readonly howToRecord: string },
): Promise<readonly TracedMessage[]> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((cause: unknown) => {
    throw new HostError('config-unreadable', `${path} cannot be read`, { hint: 'Check the path', cause });
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > FILE_BYTES) throw noRecording(path, howToRecord);
    const trace = new MessageTrace();
    const last: TracedMessage[] = [];
    let isHead = true;
    for await (const line of createInterface({ input: file.createReadStream({ autoClose: false }) })) {
      const value = parseJson(line);
      if (isHead && (!isObject(value) || value['plugboard'] !== 'recording')) throw noRecording(path, howToRecord);
      isHead = false;
      const traced = trace.take(value);
      if (traced) last.push(traced);
      // Cut from time to time, because each cut moves the whole list.
      if (last.length > lines + SPARE) last.splice(0, last.length - lines);
    }
    if (isHead) throw noRecording(path, howToRecord);
    return lines === 0 ? [] : last.slice(-lines);
  } finally {
    await file.close();
  }
}

const SPARE = 1000;

function noRecording(path: string, hint: string): HostError {
  return new HostError('config-invalid', `${path} is not a recording`, {
    hint,
  });
}
