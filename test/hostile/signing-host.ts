import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { SignInFigures, SignInJob, Toll } from './sign-in-figures.js';

/** Hosts that sign in, in a separate process, many at a time. */
export interface SignInHost {
  /** undefined: the host process died. */
  suffer(job: SignInJob): Promise<SignInFigures | undefined>;
  /** The toll of everything since the last call. */
  toll(): Promise<Toll>;
  end(): Promise<void>;
}

export function startSignInHost(script: string): SignInHost {
  const child = spawn(process.execPath, ['--expose-gc', script], { env: { PATH: process.env['PATH'] } });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-4000)));
  child.stdin.on('error', () => {}); // the process died, which the end of its stdout reports
  const waiting = new Map<string, (figures: SignInFigures | undefined) => void>();
  let tell: ((toll: Toll) => void) | undefined;
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const said = JSON.parse(line) as SignInFigures | Toll;
    if (!('mode' in said)) return tell?.(said);
    waiting.get(said.mode)?.(said);
    waiting.delete(said.mode);
  });
  lines.once('close', () => {
    if (waiting.size > 0) process.stderr.write(stderr);
    for (const resolve of waiting.values()) resolve(undefined);
  });
  return {
    suffer: (job) =>
      new Promise((resolve) => {
        waiting.set(job.mode, resolve);
        child.stdin.write(`${JSON.stringify(job)}\n`);
      }),
    toll: () =>
      new Promise((resolve) => {
        tell = resolve;
        child.stdin.write('\n');
      }),
    async end() {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
