import { constants } from 'node:os';
import { exitWithoutTerminal } from './lost-terminal.js';
import type { TerminalStreams } from './screen.js';

export interface TerminalModesOptions extends TerminalStreams {
  /** Text to write before the terminal is given back: removes what was drawn. */
  readonly lastRows: () => string;
  /** The terminal is Plugboard's again, with unknown content: draw everything. */
  readonly onResume: () => void;
  /** The terminal has hung up. False: the hangup is not handled, and the process ends. */
  readonly onHangup: () => boolean;
}

/**
 * Puts the terminal into raw mode: single keys, no echo. However the process ends, except by SIGKILL, the terminal is
 * restored: a shell without echo would be useless.
 */
export class TerminalModes implements Disposable {
  readonly #options: TerminalModesOptions;
  #isOurs = false;
  #waking: NodeJS.Timeout | undefined;
  #resumedAt = -Infinity;

  constructor(options: TerminalModesOptions) {
    this.#options = options;
    process.on('exit', this.#leave);
    if (HAS_JOBS) process.on('SIGCONT', this.#resume);
    for (const signal of ENDING) process.on(signal, this.#end);
    this.#enter();
  }

  /** Ctrl-Z: the shell has the terminal until this process is continued. */
  suspend(): void {
    if (!HAS_JOBS) return;
    this.#leave();
    // The whole process group, as the terminal itself would do: `npm start` is in it too.
    process.kill(0, 'SIGTSTP');
    // Without a job-control shell nothing is stopped and no SIGCONT comes, so a timer resumes.
    clearTimeout(this.#waking);
    this.#waking = setTimeout(this.#resume, AWAKE_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#waking);
    process.off('exit', this.#leave).off('SIGCONT', this.#resume);
    for (const signal of ENDING) process.off(signal, this.#end);
    this.#leave();
    exitWithoutTerminal(this.#options.output);
  }

  #enter(): void {
    if (this.#isOurs) return;
    this.#isOurs = true;
    this.#setRaw(true);
    this.#options.output.write(ENTER);
  }

  readonly #leave = (): void => {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    this.#options.output.write(this.#options.lastRows() + LEAVE);
    this.#setRaw(false);
  };

  readonly #resume = (): void => {
    clearTimeout(this.#waking);
    // Timer and SIGCONT may both call this; the second call has nothing to do.
    if (this.#isOurs && performance.now() - this.#resumedAt < AWAKE_MS) return;
    this.#resumedAt = performance.now();
    // A shell may have reset the modes meanwhile, whatever `#isOurs` says.
    this.#isOurs = false;
    this.#setRaw(false);
    this.#enter();
    // The size may have changed while another program had the terminal.
    process.kill(process.pid, 'SIGWINCH');
    this.#options.onResume();
  };

  /** Where another listener handles the signal, that one ends the process; the terminal is restored at exit. */
  readonly #end = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGHUP' && this.#options.onHangup()) return;
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  };

  #setRaw(isRaw: boolean): void {
    try {
      this.#options.input.setRawMode(isRaw);
    } catch {
      // The terminal is gone: no mode to set.
    }
  }
}

const HAS_JOBS = process.platform !== 'win32';
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const ENTER = '\u001B[?2004h'; // bracketed paste: pasted text comes between marks
const LEAVE = '\u001B[?2004l\u001B[?25h';
const AWAKE_MS = 100;
