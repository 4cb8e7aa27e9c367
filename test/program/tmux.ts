import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished, type TestContext } from 'vitest';
import { untilFound } from '../hang-guard.js';

export interface Tmux {
  readonly type: (...keys: string[]) => void;
  /** Types a line literally, then Enter. */
  readonly line: (text: string) => void;
  /** Resolves with the screen and its scrollback, without trailing blanks, when the text is there that many times. */
  readonly until: (text: string, times?: number) => Promise<string>;
}

export interface TmuxOptions {
  readonly home: string;
  readonly cwd: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
}

/** A real terminal: tmux on its own socket, running a shell script. */
export function openTmux(context: TestContext, { home, cwd, script, env, columns = 120 }: TmuxOptions): Tmux {
  if (spawnSync('tmux', ['-V']).status !== 0) context.skip('tmux is not installed');
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(home, 'tmux'), ...args], {
      env: { HOME: home, PATH: process.env['PATH'], LANG: 'C.UTF-8', TERM: 'xterm-256color', ...env },
      encoding: 'utf8',
    });
  // Ctrl-C must not end the shell, which prints the program's exit code.
  const shown = `trap : INT; ${script}; echo "[ended $?]"; exec sleep 600`;
  tmux('new-session', '-d', '-x', String(columns), '-y', '50', '-c', cwd, 'sh', '-c', shown);
  onTestFinished(async () => {
    const shell = Number(tmux('display-message', '-p', '#{pane_pid}'));
    const running = [shell, ...childrenOf(shell)];
    tmux('kill-server');
    await ended(running);
  });
  const capture = (): string => tmux('capture-pane', '-p', '-S', '-500');
  return {
    type: (...keys) => void tmux('send-keys', ...keys),
    line: (text) => void tmux('send-keys', '-l', `${text}\r`),
    until(text, times = 1) {
      const look = (): string | undefined => [capture()].find((screen) => screen.split(text.trimEnd()).length > times);
      return untilFound(look, { show: () => `"${text}" ${times} times on:\n${capture()}`, everyMs: POLL_MS });
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
}

/** A program whose terminal was closed writes to its home folder until it ends. One that does not end is left alone. */
async function ended(pids: readonly number[]): Promise<void> {
  const deadline = performance.now() + ENDING_MS;
  while (pids.some(isRunning) && performance.now() < deadline) await pause(POLL_MS);
}

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/**
 * Presses now, and again on calls 10 s or more later: the program ignores a key that may have come before its question
 * was visible. An accepted key shows by then even on a slow machine, so it is not pressed twice.
 */
export function again(press: () => unknown): () => undefined {
  let pressed = -Infinity;
  return () => {
    if (performance.now() - pressed < PRESS_AGAIN_MS) return undefined;
    pressed = performance.now();
    press();
    return undefined;
  };
}

const PRESS_AGAIN_MS = 10_000;
const ENDING_MS = 10_000;
const POLL_MS = 100; // each look at the screen starts a process
