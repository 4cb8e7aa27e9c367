import { statSync } from 'node:fs';
import { dirname } from 'node:path';

const WORLD_WRITABLE = 0o002;

/**
 * Why a file above the working directory should not be believed: someone else may have put it there. Undefined when
 * it belongs to this user or to root, in a folder that not everyone can write to.
 */
export function distrustOf(file: string): string | undefined {
  const self = process.getuid?.();
  if (self === undefined) return undefined; // Windows guards its folders in another way
  try {
    const { uid } = statSync(file);
    if (uid !== self && uid !== 0) return `it belongs to another user (uid ${uid})`;
    if ((statSync(dirname(file)).mode & WORLD_WRITABLE) !== 0) return 'everyone may write to its folder';
  } catch {
    return undefined; // it vanished meanwhile; whoever reads it will say so
  }
  return undefined;
}
