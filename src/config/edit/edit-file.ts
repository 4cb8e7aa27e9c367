import { basename, join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { digest } from '../../edge/files/digest.js';
import { FILE_BYTES_LIMIT, readBounded } from '../../edge/files/read-file.js';
import { replaceFile, updateFile } from '../../edge/files/write-file.js';
import type { ConfigContext } from '../context.js';
import { FILE_DEPTH_LIMIT, parseDocument } from '../document.js';
import { scanJson } from './json-scan.js';

/** What an edit did, or with `dryRun` would do. */
export interface Edit {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string;
  /** False: the file said so already, and was left alone. */
  readonly changed: boolean;
}

export interface EditOptions {
  readonly context: ConfigContext;
  /** Of a file that has to be made; a shared one is for everyone to read. */
  readonly mode?: number;
  readonly dryRun?: boolean;
}

/**
 * Changes one configuration file: whole or not at all, under its lock, so that two writers lose nothing. The version
 * before is kept in the state folder. A file that cannot be understood is refused and left as it is.
 */
export async function editFile(file: string, change: (text: string) => string, options: EditOptions): Promise<Edit> {
  let edit: Edit = { file, before: undefined, after: '', changed: false };
  const apply = (before: string | undefined): string => {
    const text = before === undefined || before.trim() === '' ? '{}\n' : before;
    const after = bounded(
      file,
      named(file, () => change(text)),
    );
    edit = { file, before, after, changed: after !== text };
    return after;
  };
  const read = readBounded(file);
  if (options.dryRun === true && read.kind === 'refused') throw read.error;
  const text = read.kind === 'text' ? read.text : undefined;
  // Checked before the lock for its line number; under the lock `change` still refuses what it cannot parse.
  await refuseBroken(text, file);
  if (options.dryRun === true) {
    apply(text);
    return edit;
  }
  await updateFile(file, (before) => (apply(before), edit.changed ? edit.after : undefined), {
    mode: options.mode ?? 0o600,
  });
  await keepPrevious(options.context, edit);
  return edit;
}

/** An edit knows its text and not its file; whoever reads the complaint needs both. */
function named(file: string, change: () => string): string {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== 'config-invalid') throw error;
    const hint = error.hint ?? 'Nothing was changed. Mend the file and run the command again';
    throw new HostError('config-invalid', `${file}: ${error.message}`, { hint, cause: error });
  }
}

/** What could be written but never read again is not written. */
function bounded(file: string, text: string): string {
  const size = Buffer.byteLength(text);
  if (size > FILE_BYTES_LIMIT)
    throw new HostError('config-too-large', `${file} would have ${size} bytes; the limit is ${FILE_BYTES_LIMIT}`);
  const { depth } = scanJson(text);
  if (depth <= FILE_DEPTH_LIMIT) return text;
  throw new HostError('config-invalid', `${file} would be nested ${depth} deep; the limit is ${FILE_DEPTH_LIMIT}`);
}

async function refuseBroken(text: string | undefined, file: string): Promise<void> {
  if (text === undefined || text.trim() === '') return;
  const reading = await parseDocument(text, file);
  if (reading.kind !== 'broken') return;
  const { line, message } = reading.problem;
  throw new HostError('config-invalid', `${file}${line === undefined ? '' : `:${line}`}: ${message}`, {
    hint: 'Nothing was changed. Mend the file and run the command again',
  });
}

/** One older version per file, out of the project's way: an edit that was a mistake can be taken back by hand. */
async function keepPrevious({ places }: ConfigContext, { file, before, changed }: Edit): Promise<void> {
  if (before === undefined || !changed || places.state === undefined) return;
  const name = `${digest(file).slice(0, 16)}-${basename(file)}`;
  try {
    await replaceFile(join(places.state, 'previous', name), before, { mode: 0o600 });
  } catch {
    // The edit itself is done and safe; only the convenience of the older version is missing.
  }
}
