import { readdirSync, readFileSync } from 'node:fs';

/** Environment variable of every server, inherited by its children; without an environment, an argument. */
export const MARK = 'PLUGBOARD_MARK';
const GONE_MS = 60_000; // guards against a hang: the kernel of a busy machine ends processes late

const LOOK_MS = 20;

/** Waits until no process has this mark, a minute at most. Kills those that are left and returns their commands. */
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
  if (process.platform !== 'linux') return []; // only Linux has /proc
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
    return []; // the process has ended, or belongs to another user
  }
}
