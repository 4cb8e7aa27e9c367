import type { ChildProcess, ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { onAbort } from '../../base/on-abort.js';
import { within } from '../../base/within.js';
import type { Clock } from '../../model/clock.js';
import { nextTurn } from '../clock.js';
import { signalGroup } from './process-group.js';
import type { ProcessRegistry } from './process-registry.js';
import type { StartProcessOptions } from './process-tree.js';
import type { SandboxedWords, SandboxHost } from '../sandbox/sandbox.js';
import { spawnApart } from './spawn-apart.js';

export interface CommandOptions extends Pick<StartProcessOptions, 'cwd' | 'ownsCwd' | 'env'> {
  /** As a shell reads it. */
  readonly command: string;
  /** All that it gets to read. One that reads none of it is no mistake. */
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** It runs in a sandbox of this host's, without network, or not at all. */
  readonly sandbox?: SandboxHost | undefined;
  /** Whose it is, for messages. */
  readonly name?: string;
}

export type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'cancelled' }
  /** It printed more than anybody reads. */
  | { readonly kind: 'too-much'; readonly bytes: number }
  | { readonly kind: 'not-started'; readonly error: Error };

export interface CommandEnvironment {
  readonly clock: Clock;
  readonly registry: ProcessRegistry;
  readonly mark: string;
  readonly stray: readonly number[];
  /** What is started for it where it is to run in a sandbox. */
  readonly words?: SandboxedWords | undefined;
}

/** One command line while it runs. Whatever ends it takes its whole group with it, unless it ends by itself. */
export class RunningCommand {
  readonly ended: Promise<CommandEnd>;
  readonly #environment: CommandEnvironment;
  readonly #stdout = new Head(STDOUT_BYTES);
  readonly #stderr = new Head(STDERR_BYTES);
  #child: StartedChild | undefined;
  #timer: Disposable | undefined;
  #listening: Disposable | undefined;
  #tell: ((end: CommandEnd) => void) | undefined;

  constructor(options: CommandOptions, environment: CommandEnvironment) {
    this.#environment = environment;
    this.ended = new Promise((done) => {
      this.#tell = done;
    });
    try {
      this.#start(startShell(options, environment), options);
    } catch (error) {
      this.end({ kind: 'not-started', error: error as Error }); // a zero byte in the command, no descriptors left
    }
  }

  /** Only the first one counts. */
  end(end: CommandEnd): void {
    const tell = this.#tell;
    if (!tell) return;
    this.#tell = undefined;
    this.#timer?.[Symbol.dispose]();
    this.#listening?.[Symbol.dispose]();
    const child = this.#child;
    if (child) {
      if (end.kind !== 'exited' && end.kind !== 'signalled') signalGroup(child.pid, 'SIGKILL');
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    }
    tell(end);
  }

  #start(child: ChildProcess, { input, timeoutMs, signal }: CommandOptions): void {
    child.on('error', (error) => this.end({ kind: 'not-started', error }));
    if (child.pid === undefined) return;
    const started = child as StartedChild;
    this.#child = started;
    const { clock, registry, mark } = this.#environment;
    const { pid } = started;
    registry.add(pid, mark);
    child.once('exit', (code, by) => {
      // From now on the number may be somebody else's: what is left is found by its mark, and goes at once where there are none.
      registry.delete(pid);
      if (process.platform !== 'linux') signalGroup(pid, 'SIGKILL');
      if (this.#tell) void this.#drain(started).then(() => this.end(this.#exit(code, by)));
    });
    for (const stream of [started.stdin, started.stdout, started.stderr]) stream.on('error', () => {}); // EPIPE
    started.stdout.on('data', (chunk: Buffer) => {
      this.#stdout.push(chunk);
      if (this.#stdout.seen > STDOUT_BYTES) this.end({ kind: 'too-much', bytes: STDOUT_BYTES });
    });
    started.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    started.stdin.end(input);
    this.#timer = clock.after(timeoutMs, () => this.end({ kind: 'timed-out' }));
    this.#listening = onAbort(signal, () => this.end({ kind: 'cancelled' }));
  }

  #exit(code: number | null, signal: NodeJS.Signals | null): CommandEnd {
    if (code === null) return { kind: 'signalled', signal: signal ?? 'an unknown signal' };
    return { kind: 'exited', code, stdout: this.#stdout.text(), stderr: this.#stderr.text() };
  }

  /** What it had written is read; what it left in the background may keep its output open for ever and is not waited for. */
  async #drain({ stdout, stderr }: StartedChild): Promise<void> {
    const { clock } = this.#environment;
    using _ = clock.hold(); // a clock's timers keep no program alive
    const ended = Promise.all([stdout, stderr].map(whenEnded)).then(() => true);
    while (this.#tell) {
      const before = this.#stdout.seen + this.#stderr.seen;
      if (await within(ended, { deadline: (expire) => clock.after(QUIET_MS, expire), instead: () => false })) return;
      // A loop that stood still comes to its timers first, and only then to what has arrived meanwhile.
      await nextTurn();
      if (this.#stdout.seen + this.#stderr.seen === before) return;
    }
  }
}

type StartedChild = ChildProcessByStdio<Writable, Readable, Readable> & { readonly pid: number };

const STDOUT_BYTES = 1_048_576; // a result that a hook replaces has to fit
const STDERR_BYTES = 65_536; // a reason; what comes after is read and forgotten
const QUIET_MS = 50;

function startShell({ command, cwd, env }: CommandOptions, { stray, words }: CommandEnvironment): ChildProcess {
  const stdio = ['pipe', 'pipe', 'pipe'] as const;
  if (words) return spawnApart({ ...words, cwd, stdio, stray });
  if (process.platform !== 'win32')
    return spawnApart({ command: '/bin/sh', args: ['-c', command], cwd, env, stdio, stray });
  // cmd has rules of its own for quotes: nobody but the user may add any.
  const args = ['/d', '/s', '/c', `"${command}"`];
  const options = { cwd, env, windowsHide: true, windowsVerbatimArguments: true };
  const { spawn } = process.getBuiltinModule('node:child_process');
  return spawn(env['ComSpec'] ?? 'cmd.exe', args, options);
}

/** The beginning of a stream. */
class Head {
  readonly #limit: number;
  readonly #chunks: Buffer[] = [];
  seen = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const room = this.#limit - this.seen;
    if (room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.seen += chunk.length;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/** Resolves when nothing more comes out of it. */
export function whenEnded(stream: Readable): Promise<void> {
  return new Promise((done) => {
    if (stream.readableEnded || stream.destroyed) done();
    stream.once('end', done);
    stream.once('close', done);
  });
}
