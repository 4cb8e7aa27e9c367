// What the kernel says of other processes.
import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10; // CLK_TCK is 100 on every Linux that node runs on

/** ms of CPU, user + system of all threads, of these processes so far. Their children do not count. */
export function cpuOf(pids) {
  return pids.reduce((sum, pid) => {
    // The name of the program is in parentheses and may have spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}

/** Resident bytes of these processes. */
export function memoryOf(pids) {
  return pids.reduce((sum, pid) => {
    return sum + Number(/^VmRSS:\s+(\d+) kB/mu.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))[1]) * 1024;
  }, 0);
}

/** The processes that this one has started. */
export function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  );
}
