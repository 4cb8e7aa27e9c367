import { spawn } from 'node:child_process';

export interface ChildOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Sends the child's output to our stderr, for children that run long. */
  readonly isReceived?: boolean;
}

export interface ChildEnd {
  /** Null when a signal ended the child. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly isTimedOut: boolean;
}

/** Runs a program to its end. On timeout or abort, kills the program and all processes that it started. */
export function runChild(argv: readonly [string, ...string[]], options: ChildOptions): Promise<ChildEnd> {
  const { cwd, env, timeoutMs, signal, isReceived = false } = options;
  signal.throwIfAborted();
  const [command, ...args] = argv;
  const through = isReceived ? 2 : 'pipe';
  // A process group of its own: the suite starts its client in a shell, and kills only the shell.
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', through, through] });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout = `${stdout}${text}`.slice(0, OUTPUT_LIMIT)));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = `${stderr}${text}`.slice(0, OUTPUT_LIMIT)));
  let isTimedOut = false;
  const end = (): void => endGroup(child.pid);
  const timer = setTimeout(() => {
    isTimedOut = true;
    end();
  }, timeoutMs);
  signal.addEventListener('abort', end);
  return new Promise<ChildEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', end); // a process that the child left behind would keep the output open
    child.once('close', (code) => {
      if (signal.aborted) reject(new Error(`${command} was ended before its time`));
      else resolve({ code, stdout, stderr, isTimedOut });
    });
  }).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  });
}

const OUTPUT_LIMIT = 1_000_000;

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group is already gone.
  }
}
