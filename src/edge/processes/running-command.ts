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
  /** A command line for the shell. */
  readonly command: string;
  /** Content of stdin. A command need not read it. */
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Runs the command in this sandbox, without network, or not at all. */
  readonly sandbox?: SandboxHost | undefined;
  /** What the command belongs to, for messages. */
  readonly name?: string;
}

export type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'cancelled' }
  /** It printed more than the limit. */
  | { readonly kind: 'too-much'; readonly bytes: number }
  | { readonly kind: 'not-started'; readonly error: Error };

export interface CommandEnvironment {
  readonly clock: Clock;
  readonly registry: ProcessRegistry;
  readonly mark: string;
  readonly stray: readonly number[];
  /** The sandboxed command to start instead, if it runs in a sandbox. */
  readonly words?: SandboxedWords | undefined;
}

/** One running command. Its whole group is killed, unless it exits by itself. */
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
      this.end({ kind: 'not-started', error: error as Error }); // a zero byte in the command, or no descriptors left
    }
  }

  /** Ends the command; only the first call counts. */
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
      // From now on the pid may be reused. On Linux the mark finds what is left; elsewhere that is killed at once.
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

  /** Reads what the command had written. Background processes may hold its output open and are not waited for. */
  async #drain({ stdout, stderr }: StartedChild): Promise<void> {
    const { clock } = this.#environment;
    using _ = clock.hold(); // the clock's own timers do not keep the process alive
    const ended = Promise.all([stdout, stderr].map(whenEnded)).then(() => true);
    while (this.#tell) {
      const before = this.#stdout.seen + this.#stderr.seen;
      if (await within(ended, { deadline: (expire) => clock.after(QUIET_MS, expire), instead: () => false })) return;
      // After a blocked turn, the event loop runs its timers before it reads what has arrived.
      await nextTurn();
      if (this.#stdout.seen + this.#stderr.seen === before) return;
    }
  }
}

type StartedChild = ChildProcessByStdio<Writable, Readable, Readable> & { readonly pid: number };

const STDOUT_BYTES = 1_048_576; // bytes; a result that a hook replaces must fit
const STDERR_BYTES = 65_536; // bytes; enough for a reason, the rest is read and dropped
const QUIET_MS = 50;

function startShell({ command, cwd, env }: CommandOptions, { stray, words }: CommandEnvironment): ChildProcess {
  const stdio = ['pipe', 'pipe', 'pipe'] as const;
  if (words) return spawnApart({ ...words, cwd, stdio, stray });
  if (process.platform !== 'win32')
    return spawnApart({ command: '/bin/sh', args: ['-c', command], cwd, env, stdio, stray });
  // cmd has quoting rules of its own: only the user may add quotes.
  const args = ['/d', '/s', '/c', `"${command}"`];
  const options = { cwd, env, windowsHide: true, windowsVerbatimArguments: true };
  const { spawn } = process.getBuiltinModule('node:child_process');
  return spawn(env['ComSpec'] ?? 'cmd.exe', args, options);
}

/** Keeps the beginning of a stream. */
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

/** Resolves when the stream has ended or is closed. */
export function whenEnded(stream: Readable): Promise<void> {
  return new Promise((done) => {
    if (stream.readableEnded || stream.destroyed) done();
    stream.once('end', done);
    stream.once('close', done);
  });
}
