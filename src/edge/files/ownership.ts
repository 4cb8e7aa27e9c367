import { lstatSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';

const WORLD_WRITABLE = 0o002;

/**
 * Why a file above the working directory must not be trusted: another user may have put it there. Undefined when file,
 * link and folder belong to this user or root, and the folder is not world-writable.
 */
export function whyUntrusted(file: string): string | undefined {
  const self = process.getuid?.();
  if (self === undefined) return undefined; // Windows protects its folders in another way
  try {
    // A user who can write beside `.plugboard` can put another folder of that name in its place.
    const folders = [dirname(file), ...(basename(dirname(file)) === '.plugboard' ? [dirname(dirname(file))] : [])];
    const owners = [statSync(file), lstatSync(file), ...folders.map((folder) => statSync(folder))];
    const foreign = owners.find(({ uid }) => uid !== self && uid !== 0);
    if (foreign) return `it belongs to another user (uid ${foreign.uid})`;
    if (folders.some((folder) => (statSync(folder).mode & WORLD_WRITABLE) !== 0))
      return 'everyone may write to its folder';
  } catch {
    return undefined; // the file vanished meanwhile; reading it will report that
  }
  return undefined;
}
