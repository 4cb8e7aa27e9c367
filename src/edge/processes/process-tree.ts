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
  /** The server's name, for messages. */
  readonly name: string;
  /** An absolute path: not searched for, and not read by a shell. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** `cwd` is the server's own folder: visible and writable for it in a sandbox. */
  readonly ownsCwd?: boolean | undefined;
  /** The whole environment: only the host's mark is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly registry: ProcessRegistry;
  /** Content that the server can read from descriptor 3. */
  readonly handed?: Buffer | undefined;
  /** A log file for stderr, besides the excerpt in memory. */
  readonly stderrFile?: string | undefined;
  /** Secrets that the server was given, masked when they appear in its stderr. */
  readonly secrets?: readonly Secret[] | undefined;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServerProcess extends AsyncDisposable {
  readonly pid: number;
  /** When the server no longer reads, writes fail through their callbacks; nothing is thrown. */
  readonly stdin: Writable;
  /** Keeps the server's output until it is read, even after the exit. */
  readonly stdout: Readable;
  /** The server itself has exited. Its output may still be in the pipe, and its children may hold stdout open. */
  readonly exited: Promise<ProcessExit>;
  /** The server has exited and its output has arrived: stdout and stderr have ended, or nothing came for 200 ms. */
  readonly drained: Promise<void>;
  /** The first 10 and the last 30 lines of stderr, through the text gate, at most 8 KB. Complete once `drained`. */
  lastStderr(): string;
  /** Ends the group within 5 s (stdin, SIGINT, SIGTERM, SIGKILL), then what has left it. Idempotent, never rejects. */
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
    child.on('error', () => {}); // after the start, `exit` reports the same
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
  /** How long the server may take to exit. */
  readonly waitMs: number;
}

/** Closing stdin is how MCP ends a server; the signals are for servers that ignore it. 4 s in all. */
const STEPS: readonly Step[] = [
  { waitMs: 500 },
  { signal: 'SIGINT', waitMs: 1000 },
  { signal: 'SIGTERM', waitMs: 1500 },
  { signal: 'SIGKILL', waitMs: 1000 },
];
const ORPHAN_MS = 500; // ms for each step after the server itself has exited: its children have no more work
const LONGEST_LOOK_MS = 50;
const FILE_MS = 500; // ms; a disk that hangs must not delay a close
const QUIET_MS = 200;
const DRAIN_MS = 5000; // ms for a slow reader; also the limit for a child that keeps writing
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
  /** Created with the first byte, because most servers write nothing. */
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
    // At a child's exit Node reads the rest of every pipe in this list, and drops it if there is no listener yet.
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
      // Redacting a chunk of escapes takes milliseconds, and Node emits up to 32 chunks in one turn.
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
    // At once, while the pid cannot be reused: kills what the server left behind.
    void this.exited.then(() => this.#end());
    this.drained = this.exited.then(() => this.#drain());
  }

  lastStderr(): string {
    this.#redactor?.flush(); // the last line may never end
    return this.#ring.excerpt();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    // The clock's timers do not keep the process alive; a program that waits only for this close must not exit early.
    const alive = setInterval(() => {}, KEEP_ALIVE_MS);
    await this.#end();
    // Without waiting for their end: a child that escaped may hold the other side open for ever.
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
    // Also when a process is left: it has been killed, and the pid may be reused later.
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
      // After a blocked turn, the event loop runs its timers before it reads what has arrived.
      await nextTurn();
      if (this.#arrived === before && this.stdout.readableLength === 0) return;
    }
  }

  get #arrived(): number {
    return this.stdout.bytesRead + this.#stderr.bytesRead;
  }

  /** Whether the promise resolved in time. */
  #within(ms: number, event: Promise<unknown>): Promise<boolean> {
    return within(
      event.then(() => true),
      { deadline: (expire) => this.#clock.after(ms, expire), instead: () => false },
    );
  }
}

/** A secret of several lines, such as a key, appears line by line in stderr. */
function linesOf(secrets: readonly Secret[]): readonly Secret[] {
  const lines = secrets.flatMap((secret) => secret.reveal().split(/\r?\n/u)).map((line) => new Secret(line));
  return [...secrets, ...lines];
}
