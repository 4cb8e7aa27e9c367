import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { errorCodeOf } from '../files/write-error.js';
import { isResultName } from './result-names.js';

/**
 * Reads a file that a result names, in pieces of at most 64 KB, in memory that does not grow with the file. Takes each
 * entry of `saved`, and each `Spilled` of a `serverResult`. The file is closed when all is read, or when the loop is left.
 * Throws a HostError: `bad-input` where the file is not there any more, because saved results are bounded; `usage` where
 * `file` is something else, as `saved[0]` is where nothing was saved.
 */
export async function* readSaved(file: SavedPlace): AsyncGenerator<Uint8Array, void, void> {
  const path = pathOf(file);
  try {
    await using opened = await open(path, READ_FLAGS);
    if (!(await opened.stat()).isFile())
      throw new HostError('bad-input', `The saved result ${path} is not a regular file`);
    for (;;) {
      // A new one for each piece: the reader may keep it.
      const { buffer, bytesRead } = await opened.read(Buffer.allocUnsafeSlow(PIECE_BYTES), 0, PIECE_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    throw toReadError(path, error);
  }
}

/** A file by its path, as `SavedFile` and `Spilled` have it. */
export type SavedPlace = { readonly path: string } | { readonly place: string };

function pathOf(file: unknown): string {
  const { path, place }: { readonly [name: string]: unknown } = isObject(file) ? file : {};
  const found = path ?? place;
  if (typeof found === 'string' && found !== '') return found;
  throw new HostError('usage', `readSaved takes an entry of "saved" or a Spilled; it was given ${kindOf(file)}`, {
    hint: '"saved" is empty where nothing of the result went to a file',
  });
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object without a path' : `a ${typeof value}`;
}

function toReadError(path: string, cause: unknown): unknown {
  const code = errorCodeOf(cause);
  if (cause instanceof HostError || code === undefined) return cause; // what the loop itself threw
  if (code !== 'ENOENT') {
    return new HostError('bad-input', `The saved result ${path} cannot be read (${code})`, { cause });
  }
  if (!isResultName(basename(path))) {
    return new HostError('bad-input', `There is no file ${path}, and it has no name of a saved result`, {
      hint: 'Pass an entry of "saved" as it is',
      cause,
    });
  }
  return new HostError('bad-input', `The saved result ${path} was deleted: there is a bound for all of them together`, {
    hint: 'Read it sooner, or raise "mb" and "days" of "results" in the settings',
    cause,
  });
}

// A pipe in the place of the file must not have the reader wait for a writer.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const PIECE_BYTES = 65_536;
