import { readdirSync, readFileSync } from 'node:fs';

/** Descriptors that the host's parent left open. Node closes those up to 15 for its children, none after a gap. */
export function findStrayDescriptors(): readonly number[] {
  if (process.platform !== 'linux') return [];
  try {
    // A descriptor can be replaced only well below the limit of open files; a higher one stays as it is.
    const highest = Math.min(HIGHEST_STRAY, openFilesLimit() / 2);
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && descriptor < highest && isInherited(descriptor))
      .toSorted((one, other) => one - other);
  } catch {
    return []; // unknown without /proc
  }
}

const HIGHEST_STRAY = 1024; // a start pays for a table up to the highest descriptor
const CLOSE_ON_EXEC = 0o2000000; // on Linux, the only system whose /proc has it

function openFilesLimit(): number {
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
  return limit === undefined ? Infinity : Number(limit);
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false; // the descriptor of `readdirSync`, closed by now
  }
}
