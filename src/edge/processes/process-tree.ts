import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { pause } from '../../base/pause.js';
import { Secret } from '../../base/secret.js';
import { within } from '../../base/within.js';
import type { Clock } from '../../model/clock.js';
import { textRedactor } from '../../model/redaction/redact-text.js';
import { ChunkMemory } from '../logs/chunk-memory.js';
import { nextTurn } from '../clock.js';
import { isGroupRunning, signalGroup } from './process-group.js';
import type { ProcessRegistry } from './process-registry.js';
import { whenEnded } from './running-command.js';
import { spawnApart } from './spawn-apart.js';
import { toStartError } from './start-error.js';
import { StderrFile } from '../logs/stderr-file.js';
import { StderrRedactor } from '../logs/stderr-redactor.js';
import { StderrRing } from '../logs/stderr-ring.js';

export interface StartProcessOptions {
  /** The server's, for messages. */
  readonly name: string;
  /** An absolute path: nothing is searched for, and no shell reads it. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** That folder is the server's own: in a sandbox it sees it and may write to it. */
  readonly ownsCwd?: boolean | undefined;
  /** All of it: nothing is added from the host's own, but for the mark by which it is found again. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly registry: ProcessRegistry;
  /** What it can read from descriptor 3. */
  readonly handed?: Buffer | undefined;
  /** Where stderr is kept besides the last of it in memory. */
  readonly stderrFile?: string | undefined;
  /** What the server was told in confidence, and may not be kept or shown when it says it again. */
  readonly secrets?: readonly Secret[] | undefined;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running server, with everything that it starts. */
export interface ServerProcess extends AsyncDisposable {
  readonly pid: number;
  /** A server that no longer reads makes writes fail through their callbacks; nothing is thrown. */
  readonly stdin: Writable;
  /** Keeps what the server wrote until somebody reads it, its exit notwithstanding. */
  readonly stdout: Readable;
  /** The server itself is gone. What it wrote may still be on its way, and children of it may hold its stdout. */
  readonly exited: Promise<ProcessExit>;
  /** It is gone, and what it had written has arrived: stdout and stderr have ended, or nothing more came for a while. */
  readonly drained: Promise<void>;
  /** The last lines of stderr, fit to be shown: at most 20 and 4 KB. Complete once `drained`. */
  lastStderr(): string;
  /**
   * Ends the whole group within 5 s: stdin closed, SIGINT, SIGTERM, SIGKILL; then what has left the group. Idempotent, never
   * rejects.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a server in a process group of its own, with a mark in its environment. Rejects with `start-failed`. */
export async function startProcess(options: StartProcessOptions): Promise<ServerProcess> {
  const { registry } = options;
  try {
    await registry.ready();
    const { mark, env } = registry.nextMark();
    const stray = registry.strayDescriptors;
    const child = spawnApart({ ...options, env: { ...options.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'], stray });
    child.on('error', () => {}); // after the start there is nothing in it that `exit` does not tell
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    return new RunningServer(child as StartedChild, { ...options, mark });
  } catch (error) {
    throw await toStartError(options, error);
  }
}

type StartedChild = ChildProcess & {
  readonly pid: number;
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
};

interface Step {
  readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  /** How long the server may take. */
  readonly waitMs: number;
}

/** The end of stdin is how the protocol says goodbye; a signal is for those that did not listen. 4 s in all. */
const STEPS: readonly Step[] = [
  { waitMs: 500 },
  { signal: 'SIGINT', waitMs: 1000 },
  { signal: 'SIGTERM', waitMs: 1500 },
  { signal: 'SIGKILL', waitMs: 1000 },
];
const ORPHAN_MS = 500; // for each step, once the server itself is gone: its children have nobody to work for
const LONGEST_LOOK_MS = 50;
const FILE_MS = 500; // a disk that hangs does not hold up a close
const QUIET_MS = 200;
const DRAIN_MS = 5000; // whoever reads slowly gets this long; a child that keeps writing no longer
const KEEP_ALIVE_MS = 60_000;

class RunningServer implements ServerProcess {
  readonly pid: number;
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly exited: Promise<ProcessExit>;
  readonly drained: Promise<void>;
  readonly #stderr: Socket;
  readonly #clock: Clock;
  readonly #registry: ProcessRegistry;
  readonly #mark: string;
  readonly #ring = new StderrRing();
  readonly #file: StderrFile | undefined;
  #isGoneItself = false;
  /** Made with the first byte, because most servers say nothing. */
  #redactor: StderrRedactor | undefined;
  #ending: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(child: StartedChild, options: StartProcessOptions & { readonly mark: string }) {
    const { clock, registry, stderrFile, mark, secrets } = options;
    this.pid = child.pid;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    this.#stderr = child.stderr;
    this.#clock = clock;
    this.#registry = registry;
    this.#file = stderrFile === undefined ? undefined : new StderrFile(stderrFile, { clock });
    this.#mark = mark;
    registry.add(this.pid, mark);
    // At a child's exit node reads the rest of every pipe in this list, and throws away what nobody listens to yet.
    (child.stdio as unknown[])[1] = null;
    for (const stream of [this.stdin, this.stdout, this.#stderr]) stream.on('error', () => {}); // EPIPE, ECONNRESET
    const memory = new ChunkMemory();
    this.#stderr.on('data', (chunk: Buffer) => {
      this.#redactor ??= new StderrRedactor(textRedactor({ secrets: linesOf(secrets ?? []) }), (clean) => {
        this.#ring.push(clean);
        this.#file?.push(clean);
      });
      this.#redactor.push(chunk);
      memory.free(chunk);
      // Cleaning takes milliseconds for a chunk of escapes, and node hands out up to 32 chunks in one turn.
      this.#stderr.pause();
      void nextTurn().then(() => this.#stderr.resume());
    });
    this.#stderr.once('close', () => void this.#closeFile());
    this.exited = new Promise((done) => {
      child.once('exit', (code, signal) => {
        this.#isGoneItself = true;
        done({ code, signal });
      });
    });
    // At once, while the pid surely is nobody else's: what the server left behind goes after it.
    void this.exited.then(() => this.#end());
    this.drained = this.exited.then(() => this.#drain());
  }

  lastStderr(): string {
    this.#redactor?.flush(); // it may never end its last line
    return this.#ring.excerpt();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    // The clock's timers keep no process alive, and a program that waits only for this must not end before it is done.
    const alive = setInterval(() => {}, KEEP_ALIVE_MS);
    await this.#end();
    // Not when they end: a child that got away may hold the other side for ever.
    for (const stream of [this.stdin, this.stdout, this.#stderr]) stream.destroy();
    if (this.#file) await this.#within(FILE_MS, this.#closeFile());
    clearInterval(alive);
  }

  async #closeFile(): Promise<void> {
    this.#redactor?.flush();
    await this.#file?.[Symbol.asyncDispose]();
  }

  #end(): Promise<void> {
    return (this.#ending ??= this.#endGroup());
  }

  async #endGroup(): Promise<void> {
    const alive = setInterval(() => {}, KEEP_ALIVE_MS);
    if (!this.#isGoneItself) await this.#registry.look();
    this.stdin.end();
    for (const { signal, waitMs } of STEPS) {
      if (signal) signalGroup(this.pid, signal);
      if (await this.#isGone(waitMs)) break;
    }
    // Also when something is left: killed is all that it can be, and the pid may be somebody else's later.
    this.#registry.delete(this.pid);
    await this.#registry.sweep(this.#mark);
    clearInterval(alive);
  }

  async #isGone(waitMs: number): Promise<boolean> {
    const deadline = this.#clock.monotonic() + waitMs;
    if (!(await this.#within(waitMs, this.exited))) return false;
    const giveUpAt = Math.min(deadline, this.#clock.monotonic() + ORPHAN_MS);
    for (let pauseMs = 5; isGroupRunning(this.pid); pauseMs = Math.min(2 * pauseMs, LONGEST_LOOK_MS)) {
      if (this.#clock.monotonic() >= giveUpAt) return false;
      await pause(pauseMs, { clock: this.#clock });
    }
    return true;
  }

  async #drain(): Promise<void> {
    const ended = Promise.all([this.stdout, this.#stderr].map(whenEnded));
    const deadline = this.#clock.monotonic() + DRAIN_MS;
    while (this.#clock.monotonic() < deadline) {
      const before = this.#arrived;
      if (await this.#within(QUIET_MS, ended)) return;
      // A loop that stood still comes to its timers first, and only then to what has arrived meanwhile.
      await nextTurn();
      if (this.#arrived === before && this.stdout.readableLength === 0) return;
    }
  }

  get #arrived(): number {
    return this.stdout.bytesRead + this.#stderr.bytesRead;
  }

  /** Whether it came about in time. */
  #within(ms: number, event: Promise<unknown>): Promise<boolean> {
    return within(
      event.then(() => true),
      { deadline: (expire) => this.#clock.after(ms, expire), instead: () => false },
    );
  }
}

/** A key of several lines is said line by line. */
function linesOf(secrets: readonly Secret[]): readonly Secret[] {
  const lines = secrets.flatMap((secret) => secret.reveal().split(/\r?\n/u)).map((line) => new Secret(line));
  return [...secrets, ...lines];
}
