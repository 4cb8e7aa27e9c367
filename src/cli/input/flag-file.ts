import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { usageError } from './usage-error.js';

/** The text of a flag that takes JSON or the path of a JSON file. Rejects with `usage`. */
export async function readFlagText(
  flag: string,
  value: string,
  { cwd, hint }: { readonly cwd: string; readonly hint: string },
): Promise<string> {
  if (value.trimStart().startsWith('{')) return value;
  const file = resolve(cwd, value);
  try {
    const { size } = await stat(file);
    if (size > FILE_LIMIT) throw new Error(`the file has ${size} bytes, the limit is ${FILE_LIMIT}`);
    return await readFile(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw usageError(`--${flag} ${file} cannot be read: ${why}`, { hint, cause });
  }
}

const FILE_LIMIT = 1_000_000; // bytes, as for a configuration file
