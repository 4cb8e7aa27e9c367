// https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
import { readFileSync } from 'node:fs';

export interface ProcessStat {
  /** Dead, and nobody has waited for it yet: in a container without init it stays like this for ever. */
  readonly dead: boolean;
  readonly parent: number;
  readonly group: number;
  /** In ticks since boot. A pid alone is used again; with this it names one process. */
  readonly started: string;
}

/** What the system tells of a process. Undefined: it is gone, or this is not Linux. */
export function readStat(pid: number | string): ProcessStat | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name and may hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group] = fields;
    const started = fields[19];
    if (started === undefined) return undefined;
    return { dead: state === 'Z' || state === 'X', parent: Number(parent), group: Number(group), started };
  } catch {
    return undefined;
  }
}
