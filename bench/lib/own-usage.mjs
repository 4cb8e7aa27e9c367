// What a bench's child process says of itself and of its calls.
import { readFileSync } from 'node:fs';

/** ms of CPU, user + system of all threads, since `process.cpuUsage()` returned `used`. */
export function cpuSince(used) {
  const { user, system } = process.cpuUsage(used);
  return (user + system) / 1000;
}

/** The peak resident MB of this process. Not rusage's figure: a child starts with its parent's. */
export function peakMegabytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1024;
  return Number(/^VmHWM:\s+(\d+) kB/mu.exec(readFileSync('/proc/self/status', 'latin1'))[1]) / 1024;
}

/** The median of the times that single calls took. */
export function middle(values) {
  return values.toSorted()[Math.floor(values.length / 2)];
}

export function sizeOfText({ content }) {
  return content[0].text.length;
}
