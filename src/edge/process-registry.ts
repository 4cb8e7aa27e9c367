import { readdirSync, readFileSync } from 'node:fs';
import { killGroupNow } from './process-group.js';

/**
 * The servers that one host has running. Should the host's process end, by itself, by process.exit or by an error that
 * nobody caught, they are killed. Signals are the program's own business: it turns them into an exit.
 */
export class ProcessRegistry {
  readonly #living = new Set<number>();
  #stray: readonly number[] | undefined;

  add(pid: number): void {
    if (this.#living.size === 0) process.on('exit', this.#killAll);
    this.#living.add(pid);
  }

  delete(pid: number): void {
    this.#living.delete(pid);
    if (this.#living.size === 0) process.off('exit', this.#killAll);
  }

  /** Descriptors above 2 that a server would inherit. Looked for once: all that node opens itself is not inherited. */
  get strayDescriptors(): readonly number[] {
    return (this.#stray ??= findStrayDescriptors());
  }

  readonly #killAll = (): void => {
    for (const pid of this.#living) killGroupNow(pid);
  };
}

const HIGHEST_STRAY = 1024; // a start pays for a table up to the highest number
const CLOSE_ON_EXEC = 0o2000000; // Linux, whose /proc is the only one that tells

/** What the host's own parent left open: node closes those up to 15 for its children, and none beyond a gap. */
function findStrayDescriptors(): readonly number[] {
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
