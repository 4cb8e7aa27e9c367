import { readFileSync, readdirSync } from 'node:fs';

/** In the environment of every server that a fleet starts, and in nobody else's. */
export const MARK = 'PLUGBOARD_BENCH_FLEET';

/** Processes that carry this mark; none where there is no /proc to find them in. */
export function findMarked(mark) {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => environmentOf(pid).includes(`${MARK}=${mark}\0`));
}

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // gone meanwhile, or somebody else's
  }
}
