// Milliseconds of CPU that this thread has used: what a clock would show on an otherwise idle machine.
import { readFileSync } from 'node:fs';

const FILE = '/proc/thread-self/schedstat';
const cell = new Int32Array(new SharedArrayBuffer(4));
const PAUSE_MS = 0.02;

export const threadTime = process.platform === 'linux' && hasFile() ? readTime : () => performance.now();

/** The kernel updates the figure when a thread yields, so this thread waits for a moment first. */
function readTime() {
  Atomics.wait(cell, 0, 0, PAUSE_MS);
  return Number(readFileSync(FILE, 'latin1').split(' ')[0]) / 1e6;
}

function hasFile() {
  try {
    return Number(readFileSync(FILE, 'latin1').split(' ')[0]) > 0;
  } catch {
    return false;
  }
}
