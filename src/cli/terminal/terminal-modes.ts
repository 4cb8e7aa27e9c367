import { constants } from 'node:os';
import { exitWithoutTerminal } from './lost-terminal.js';
import type { TerminalStreams } from './screen.js';

export interface TerminalModesOptions extends TerminalStreams {
  /** What has to be written before the terminal is given back: it takes away what was drawn. */
  readonly lastRows: () => string;
  /** The terminal is ours again, and whatever stands on it: draw. */
  readonly onResume: () => void;
  /** Nobody sits at the terminal any more. False: nobody here cares, and the process ends. */
  readonly onHangup: () => boolean;
}

/**
 * A terminal whose keys come one by one, unechoed. However the process ends, short of being killed, the terminal is as it was found: a shell
 * that does not show what is typed is of no use.
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

  /** Ctrl-Z: the shell has the terminal until somebody continues this process. */
  suspend(): void {
    if (!HAS_JOBS) return;
    this.#leave();
    // The whole group, as the terminal itself would do it: `npm start` is in it, too.
    process.kill(0, 'SIGTSTP');
    // Where there is no shell that could continue it, nothing is stopped, and no signal says so.
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
    // The timer and the signal both say so: the second of them finds everything done.
    if (this.#isOurs && performance.now() - this.#resumedAt < AWAKE_MS) return;
    this.#resumedAt = performance.now();
    // A shell in between may have changed the modes back, whatever we think of them.
    this.#isOurs = false;
    this.#setRaw(false);
    this.#enter();
    // The size may have changed while others had the terminal.
    process.kill(process.pid, 'SIGWINCH');
    this.#options.onResume();
  };

  /** Whoever else listens to a signal knows better how to end; the terminal is given back when they do. */
  readonly #end = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGHUP' && this.#options.onHangup()) return;
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  };

  #setRaw(isRaw: boolean): void {
    try {
      this.#options.input.setRawMode(isRaw);
    } catch {
      // The terminal is gone: there is nothing to set.
    }
  }
}

const HAS_JOBS = process.platform !== 'win32';
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const ENTER = '\u001B[?2004h'; // what is pasted comes between marks
const LEAVE = '\u001B[?2004l\u001B[?25h';
const AWAKE_MS = 100;
