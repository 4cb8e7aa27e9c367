import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SIZE = { rows: 30, columns: 100 };
const LIMIT_S = 30; // for one run; every step comes within this time on a busy machine, too

/** Why no terminal can be opened here; undefined when one can. */
export function lackOfTerminals() {
  if (process.platform !== 'linux') return 'needs Linux: memory and CPU of a process that runs are read there';
  const probe = 'import os; os.openpty; os.posix_spawn';
  const { status } = spawnSync('python3', ['-c', probe], { stdio: 'ignore' });
  return status === 0 ? undefined : 'needs Python 3, which gives the programs a terminal';
}

/** Runs programs on a terminal, one after the other, until `close` is called. */
export function openTerminals() {
  const script = fileURLToPath(new URL('pty.py', import.meta.url));
  const python = spawn('python3', ['-I', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  return {
    /** Returns what was measured at each step; throws when a step does not come. */
    async run({ name, typed = '', steps, ...rest }) {
      python.stdin.write(`${JSON.stringify({ ...SIZE, limit: LIMIT_S, typed, steps, ...rest })}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`pty.py ended in the middle of "${name}"`);
      const { steps: noted, why, seen } = JSON.parse(value);
      if (why !== undefined) throw new Error(`"${name}": ${why}. On the terminal: ${seen}`);
      return Object.fromEntries(steps.map((step, index) => [step.name, noted[index]]));
    },
    async close() {
      const ended = new Promise((done) => python.once('close', done));
      python.stdin.end();
      await ended;
    },
  };
}
