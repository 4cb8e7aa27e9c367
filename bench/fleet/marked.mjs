import { readFileSync, readdirSync } from 'node:fs';

/** The variable that marks every server that a fleet starts, and no other process. */
export const MARK = 'PLUGBOARD_BENCH_FLEET';

/** The processes with this mark; none on systems without /proc. */
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
    return ''; // gone meanwhile, or a process of another user
  }
}
