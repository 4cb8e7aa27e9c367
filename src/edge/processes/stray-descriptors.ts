import { readdirSync, readFileSync } from 'node:fs';

/** What the host's own parent left open: node closes those up to 15 for its children, and none beyond a gap. */
export function findStrayDescriptors(): readonly number[] {
  if (process.platform !== 'linux') return [];
  try {
    // A descriptor can be put in place of another only well below the limit; above, it stays as it is.
    const highest = Math.min(HIGHEST_STRAY, openFilesLimit() / 2);
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && descriptor < highest && isInherited(descriptor))
      .toSorted((one, other) => one - other);
  } catch {
    return []; // no /proc: there is no way to tell
  }
}

const HIGHEST_STRAY = 1024; // a start pays for a table up to the highest number
const CLOSE_ON_EXEC = 0o2000000; // Linux, whose /proc is the only one that tells

function openFilesLimit(): number {
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
  return limit === undefined ? Infinity : Number(limit);
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false; // the one that read the folder, closed by now
  }
}
