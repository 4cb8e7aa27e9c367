import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { onTestFinished, type TestContext } from 'vitest';
import { untilFound } from '../hang-guard.js';

/** A pty whose other end is the test: it reads what the program writes, and replies as a terminal would. */
export interface PlayedTerminal {
  /** Everything that the program has written so far, one character for each byte. */
  readonly written: () => string;
  /** Sends bytes as if they were typed, or as a reply of the terminal. */
  readonly send: (bytes: string) => void;
  /** Resolves with everything written when it matches. */
  readonly until: (pattern: RegExp) => Promise<string>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

export interface PlayOptions {
  /** A shell script. */
  readonly script: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
}

/** Runs a shell script on a pty of its own. */
export function playTerminal(context: TestContext, { script, cwd, env, columns = 80 }: PlayOptions): PlayedTerminal {
  if (spawnSync('script', ['--version']).status !== 0) context.skip('script (util-linux) is not installed');
  const sized = `stty cols ${columns} rows 24; ${script}`;
  const child: ChildProcess = spawn('script', ['-qfec', sized, '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', TERM: 'xterm-256color', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let all = '';
  child.stdout!.setEncoding('latin1').on('data', (text: string) => void (all += text));
  child.stdin!.on('error', () => {}); // the program may have ended
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  onTestFinished(async () => {
    child.stdin!.end();
    child.kill('SIGHUP');
    await ended;
  });
  return {
    written: () => all,
    send: (bytes) => void child.stdin!.write(bytes, 'latin1'),
    until: (pattern) => untilFound(() => (pattern.test(all) ? all : undefined), { show: () => JSON.stringify(all) }),
    ended,
  };
}
