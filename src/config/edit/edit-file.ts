import { basename, join } from 'node:path';
import { HostError } from '../../base/errors.js';
import { digest } from '../../edge/files/digest.js';
import { FILE_BYTES_LIMIT, readBounded } from '../../edge/files/read-file.js';
import { replaceFile, updateFile } from '../../edge/files/write-file.js';
import type { ConfigContext } from '../context.js';
import { FILE_DEPTH_LIMIT, parseDocument } from '../document.js';
import { showPlace } from '../../model/text/problem-text.js';
import { scanJson } from './json-scan.js';

/** What an edit did, or with `dryRun` would do. */
export interface Edit {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string;
  /** False: the file already had this content and was not written. */
  readonly changed: boolean;
}

/** What an edit has to know about the format of a file. */
export interface EditedFormat {
  /** The text of a file that does not exist yet. */
  readonly empty: string;
  /** The bytes to read, and to write, at most. */
  readonly limit: number;
  /** Throws for a text that cannot be parsed. */
  refuseBroken(text: string, file: string): Promise<void> | void;
  /** Throws for a text that could not be read again. */
  refuseUnreadable?(text: string, file: string): void;
}

export interface EditOptions {
  readonly context: ConfigContext;
  /** Of a file that is created; default 0600. A shared file must be readable by others. */
  readonly mode?: number;
  readonly dryRun?: boolean;
  /** Default: JSON, within the limits of our own files. */
  readonly format?: EditedFormat;
}

/**
 * Changes one configuration file: whole or not at all, under its lock, so that two writers lose nothing. The previous
 * version is kept in the state folder. A file that cannot be parsed is refused and not changed.
 */
export async function editFile(file: string, change: (text: string) => string, options: EditOptions): Promise<Edit> {
  const { format = jsonFormat(FILE_BYTES_LIMIT) } = options;
  const { limit } = format;
  let edit: Edit = { file, before: undefined, after: '', changed: false };
  const apply = (before: string | undefined): string => {
    const text = before === undefined || before.trim() === '' ? format.empty : before;
    const after = bounded(
      file,
      named(file, () => change(text)),
      format,
    );
    edit = { file, before, after, changed: after !== text };
    return after;
  };
  const read = readBounded(file, { limit });
  if (options.dryRun === true && read.kind === 'refused') throw read.error;
  const text = read.kind === 'text' ? read.text : undefined;
  // Checked before the lock to report a line number; under the lock `change` still refuses what it cannot parse.
  if (text !== undefined && text.trim() !== '') await format.refuseBroken(text, file);
  if (options.dryRun === true) {
    apply(text);
    return edit;
  }
  await updateFile(file, (before) => (apply(before), edit.changed ? edit.after : undefined), {
    mode: options.mode ?? 0o600,
    limit,
  });
  await keepPrevious(options.context, edit);
  return edit;
}

/** Adds the file's name to errors: `change` knows only the text. */
function named(file: string, change: () => string): string {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== 'config-invalid') throw error;
    const hint = error.hint ?? 'Nothing was changed. Fix the file and run the command again';
    throw new HostError('config-invalid', `${file}: ${error.message}`, { hint, cause: error });
  }
}

/** Refuses a text that exceeds the limits for reading it again. */
function bounded(file: string, text: string, format: EditedFormat): string {
  const size = Buffer.byteLength(text);
  if (size > format.limit)
    throw new HostError('config-too-large', `${file} would have ${size} bytes; the limit is ${format.limit}`);
  format.refuseUnreadable?.(text, file);
  return text;
}

/** JSON, with comments and trailing commas. */
export function jsonFormat(limit: number): EditedFormat {
  return { empty: '{}\n', limit, refuseBroken, refuseUnreadable: refuseDeep };
}

function refuseDeep(text: string, file: string): void {
  const { depth } = scanJson(text);
  if (depth <= FILE_DEPTH_LIMIT) return;
  throw new HostError(
    'config-invalid',
    `${file} would be nested ${depth} levels deep; the limit is ${FILE_DEPTH_LIMIT}`,
  );
}

async function refuseBroken(text: string, file: string): Promise<void> {
  const reading = await parseDocument(text, file);
  if (reading.kind !== 'broken') return;
  throw new HostError('config-invalid', `${showPlace(file, reading.problem)}: ${reading.problem.message}`, {
    hint: 'Nothing was changed. Fix the file and run the command again',
  });
}

/** Keeps one previous version per file, outside the project, so that an edit can be reverted by hand. */
async function keepPrevious({ places }: ConfigContext, { file, before, changed }: Edit): Promise<void> {
  if (before === undefined || !changed || places.state === undefined) return;
  const name = `${digest(file).slice(0, 16)}-${basename(file)}`;
  try {
    await replaceFile(join(places.state, 'previous', name), before, { mode: 0o600 });
  } catch {
    // The edit itself is done; only the previous version is missing.
  }
}
