import { readFileSync, writeFileSync } from 'node:fs';

/** From here on the peak of this process is counted anew. */
export function forgetPeak(pid: number): void {
  if (process.platform === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** The most memory that a process has had, in MB; 0 where there is no /proc. */
export function peakMb(pid: number): number {
  if (process.platform !== 'linux') return 0;
  return Math.round(Number(/^VmHWM:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024);
}
