import { readdirSync, readFileSync } from 'node:fs';

/** Servers are started with this variable, and so is whatever they start themselves; what has no variables has its value as an argument. */
export const MARK = 'PLUGBOARD_MARK';
const GONE_MS = 60_000; // a guard: the host ends them, and the kernel on a busy machine takes its time

const LOOK_MS = 20;

/** The commands of all that still runs with this mark, after a time that is more than enough for ending. Kills them. */
export async function processesLeft(mark: string): Promise<string[]> {
  const until = performance.now() + GONE_MS;
  for (;;) {
    const left = marked(mark);
    if (left.length === 0) return [];
    if (performance.now() > until) {
      for (const { pid } of left) process.kill(pid, 'SIGKILL');
      return left.map(({ command }) => command);
    }
    await new Promise((resolve) => void setTimeout(resolve, LOOK_MS));
  }
}

interface Marked {
  readonly pid: number;
  readonly command: string;
}

function marked(mark: string): Marked[] {
  if (process.platform !== 'linux') return []; // only /proc tells what belongs to whom
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/u.test(entry))
    .flatMap((pid) => readMarked(pid, mark));
}

function readMarked(pid: string, mark: string): Marked[] {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    const isMarked = readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${MARK}=${mark}\0`);
    if (!isMarked && !words.includes(`\0${mark}\0`)) return [];
    const command = words.replaceAll('\0', ' ').trim();
    return [{ pid: Number(pid), command: command.slice(0, 200) }];
  } catch {
    return []; // gone meanwhile, or somebody else's
  }
}
