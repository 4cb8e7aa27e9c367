import { chmodSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { HostError } from '../../base/errors.js';
import { readBounded } from '../../edge/files/read-file.js';
import { errorCodeOf, toWriteError } from '../../edge/files/write-error.js';
import { replaceFile } from '../../edge/files/write-file.js';
import { REPORT_HEADING } from './report.js';

/** Saves a report for its owner alone. Replaces an older report; any other existing file is refused. */
export async function saveReport(path: string, text: string): Promise<void> {
  try {
    // Follows no link, which another user could have put there.
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw toWriteError(path, error);
    await replaceReport(path, text);
  }
}

async function replaceReport(path: string, text: string): Promise<void> {
  const read = readBounded(path, { limit: OLD_REPORT_BYTES });
  if (read.kind !== 'text' || read.path !== path || !read.text.startsWith(REPORT_HEADING)) {
    throw new HostError('write-failed', `${path} exists already, and is not a report`, { hint: 'Name another file' });
  }
  await replaceFile(path, text, { mode: 0o600 });
  chmodSync(path, 0o600);
}

const OLD_REPORT_BYTES = 4_000_000;
