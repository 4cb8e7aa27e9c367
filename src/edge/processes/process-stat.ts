// https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
import { readFileSync } from 'node:fs';

export interface ProcessStat {
  /** A zombie: dead, but not waited for by its parent; in a container without init it stays for ever. */
  readonly dead: boolean;
  readonly parent: number;
  readonly group: number;
  /** Start in ticks since boot. Pids are reused; with this, a pid names one process. */
  readonly started: string;
}

/** Undefined when the process is gone, or the system is not Linux. */
export function readStat(pid: number | string): ProcessStat | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name and may contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group] = fields;
    const started = fields[19];
    if (started === undefined) return undefined;
    return { dead: state === 'Z' || state === 'X', parent: Number(parent), group: Number(group), started };
  } catch {
    return undefined;
  }
}
