import { onAbort } from '../../base/on-abort.js';
import type { Clock } from '../../model/clock.js';
import type { ProcessRegistry } from './process-registry.js';
import type { SandboxedWords } from '../sandbox/sandbox.js';
import { type CommandEnd, type CommandOptions, RunningCommand } from './running-command.js';

export interface CommandRunnerOptions {
  readonly clock: Clock;
  readonly registry: ProcessRegistry;
  /** How many commands may run at the same time; the others wait. 16 by default. */
  readonly atOnce?: number;
}

/** Runs command lines of the user's own, a few at a time, each in a shell and process group of its own. */
export class CommandRunner implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #registry: ProcessRegistry;
  readonly #atOnce: number;
  readonly #running = new Set<RunningCommand>();
  /** Marks of commands that have exited and may have left processes, with the timer that ends these. */
  readonly #left = new Map<string, Disposable>();
  #waiting: (() => void)[] = [];
  /** Commands that are running or about to start. */
  #count = 0;
  #isClosed = false;

  constructor({ clock, registry, atOnce = AT_ONCE }: CommandRunnerOptions) {
    this.#clock = clock;
    this.#registry = registry;
    this.#atOnce = atOnce;
  }

  /** Runs one command and returns how it ended. Never rejects. Takes at most its timeout and those before it. */
  async run(options: CommandOptions): Promise<CommandEnd> {
    if (this.#count >= this.#atOnce) await this.#waitForSlot(options.signal);
    this.#count++;
    try {
      await this.#registry.ready();
      if (this.#isClosed || options.signal?.aborted === true) return { kind: 'cancelled' };
      return await this.#start(options);
    } catch (error) {
      return { kind: 'not-started', error: error as Error }; // there is no sandbox, or none for this folder
    } finally {
      this.#count--;
      this.#waiting.shift()?.();
    }
  }

  /** Ends all commands, with all that they have started. Idempotent, never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const go of this.#waiting.splice(0)) go();
    for (const command of this.#running) command.end({ kind: 'cancelled' });
    const left = [...this.#left];
    this.#left.clear();
    for (const [, timer] of left) timer[Symbol.dispose]();
    await Promise.all(left.map(([mark]) => this.#registry.sweep(mark)));
  }

  async #start(options: CommandOptions): Promise<CommandEnd> {
    const { mark, env } = this.#registry.nextMark();
    const stray = this.#registry.strayDescriptors;
    const startedAt = this.#clock.monotonic();
    const marked = { ...options, env: { ...options.env, ...env } };
    const words = await this.#wrap(marked);
    if (this.#isClosed) return { kind: 'cancelled' };
    const command = new RunningCommand(marked, { clock: this.#clock, registry: this.#registry, mark, stray, words });
    this.#running.add(command);
    const end = await command.ended;
    this.#running.delete(command);
    if (end.kind === 'exited') this.#sweepLater(mark, startedAt + options.timeoutMs - this.#clock.monotonic());
    else void this.#registry.sweep(mark); // not awaited; never rejects
    return end;
  }

  async #wrap({ sandbox, name = '', command, cwd, ownsCwd, env }: CommandOptions): Promise<SandboxedWords | undefined> {
    // The host's own temporary folder is not writable in the sandbox.
    const inside = { ...env, TMPDIR: '/tmp' };
    return sandbox?.wrap({ name, command: '/bin/sh', args: ['-c', command], cwd, ownsCwd, env: inside }, {});
  }

  /** Background processes of the command may use up the rest of its timeout; then they are killed. */
  #sweepLater(mark: string, ms: number): void {
    if (this.#isClosed) return void this.#registry.sweep(mark);
    const timer = this.#clock.after(Math.max(ms, 0), () => {
      this.#left.delete(mark);
      void this.#registry.sweep(mark);
    });
    this.#left.set(mark, timer);
  }

  /** Resolves when another command has ended, or when the signal aborts. */
  #waitForSlot(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((done) => {
      const go = (): void => {
        listening?.[Symbol.dispose]();
        done();
      };
      const listening = onAbort(signal, () => {
        this.#waiting = this.#waiting.filter((other) => other !== go);
        done();
      });
      this.#waiting.push(go);
    });
  }
}

const AT_ONCE = 16; // a shell each; more would only share the processors
