// stdio: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
import type { Writable } from 'node:stream';
import { HostError } from '../../base/errors.js';
import { within } from '../../base/within.js';
import type { ServerProcess } from '../../edge/processes/process-tree.js';
import type { SandboxVerdict } from '../../edge/sandbox/sandbox.js';
import type { Clock } from '../../model/clock.js';
import { deadline, deadlineIn } from '../../wire/deadline.js';
import { encode, encodeRequest } from '../../wire/json/encode.js';
import { LineReader } from '../../wire/line-reader.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, RequestId } from '../../wire/message.js';
import type { CloseReason, Pipe, Receiver } from '../../wire/pipe.js';
import { isOverloaded, overload } from '../http/overload.js';

export interface StdioPipeOptions {
  readonly name: string;
  readonly process: ServerProcess;
  /** After the exit: whether the sandbox caused it, and how. */
  readonly verdict?: () => SandboxVerdict | undefined;
  readonly clock: Clock;
}

/** The pipe to a child process: one message per line on its stdin and stdout. */
export class StdioPipe implements Pipe {
  readonly losesSessions = false;
  readonly hasHeaders = false;
  readonly closed: Promise<CloseReason>;
  readonly #options: StdioPipeOptions;
  readonly #stdin: Writable;
  #receiver: Receiver | undefined;
  #lines: LineReader | undefined;
  /** Bytes received on stdout. */
  #bytesReceived = 0;
  #bag: string[] = [];
  #bagged = 0;
  /** What waited in the stream when the first message came into `#bag`. */
  #unwritten = 0;
  /** The ids of the requests in `#bag`. */
  #ids: RequestId[] = [];
  /** Something was written in this turn of the event loop: what follows goes together at its end. */
  #hasWritten = false;
  #end: CloseReason | undefined;
  #resolveLost: (reason: CloseReason) => void = () => {};

  constructor(options: StdioPipeOptions) {
    this.#options = options;
    this.#stdin = options.process.stdin;
    // After `#giveUp`, `closed` does not wait for the process to exit; disposing does.
    const lost = new Promise<CloseReason>((resolve) => (this.#resolveLost = resolve));
    this.closed = Promise.race([this.#watch(), lost]);
  }

  get backlog(): number {
    return this.#stdin.writableLength + this.#bagged;
  }

  /** Whether messages wait for the end of this turn: then the stream was looked at, and nothing has changed since. */
  get #isBagging(): boolean {
    return this.#bag.length > 0;
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
    const { stdout } = this.#options.process;
    const lines = new LineReader({
      clock: this.#options.clock,
      receiver,
      pause: () => void stdout.pause(),
      resume: () => void stdout.resume(),
      giveUp: (reason) => this.#giveUp(reason),
    });
    this.#lines = lines;
    stdout.on('data', (bytes: Buffer) => {
      this.#bytesReceived += bytes.length;
      lines.push(bytes);
    });
    stdout.once('end', () => void this.#onStdoutEnd());
  }

  request(request: JsonRpcRequest): void {
    if (!this.#isBagging && !this.#stdin.writable) return void this.#failUnread([request.id]);
    try {
      this.#write(encodeRequest(request));
      this.#ids.push(request.id);
    } catch (error) {
      this.#receiver?.failed(request.id, error as HostError);
    }
  }

  async notify(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    this.#write(encode(message));
  }

  abandon(): boolean {
    return false;
  }

  adopt(): void {}

  listen(): void {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end ??= { kind: 'disposed' };
    this.#flush();
    this.#lines?.end();
    await this.#options.process[Symbol.asyncDispose]();
  }

  /**
   * At most two writes in a turn of the event loop, because a system call costs more than a message: the first at once,
   * so that nobody waits, and one for all that follow, such as the calls of many clients of a gateway.
   */
  #write(text: string): void {
    if (!this.#isBagging) {
      if (!this.#stdin.writable) throw this.#unread();
      this.#unwritten = this.#stdin.writableLength;
    }
    const backlog = this.#unwritten + this.#bagged;
    const { length } = text;
    if (isOverloaded(backlog, length)) throw overload({ label: `Server "${this.#options.name}"`, backlog, length })!;
    this.#bagged += text.length;
    if (this.#bag.push(text) === 1 && !this.#hasWritten) queueMicrotask(this.#flush);
  }

  readonly #endTurn = (): void => {
    this.#hasWritten = false;
    if (this.#isBagging) this.#flush();
  };

  readonly #flush = (): void => {
    // Disposed of before the end of the turn.
    if (!this.#isBagging) return;
    this.#hasWritten = true;
    this.#options.clock.soon(this.#endTurn);
    const bag = this.#bag;
    const ids = this.#ids;
    this.#bag = [];
    this.#bagged = 0;
    this.#ids = [];
    bag.push('');
    this.#stdin.write(bag.join('\n'), (error) => {
      if (error) void this.#failUnread(ids);
    });
  };

  /** Fails these requests, unless the server exits now: then the exit, whose code says more, fails them. */
  async #failUnread(ids: readonly RequestId[]): Promise<void> {
    if (await this.#hasExited()) return;
    for (const id of ids) this.#receiver?.failed(id, this.#unread());
  }

  async #hasExited(): Promise<boolean> {
    return (await this.#within(this.#options.process.exited, EXIT_MS)) !== false;
  }

  #unread(): HostError {
    const { name } = this.#options;
    return new HostError('connection-closed', `Server "${name}" no longer reads its input`, {
      hint: 'Restart the server',
    });
  }

  /** Gives up a server that closed its stdout: it cannot respond. If it exits now, its exit code says more. */
  async #onStdoutEnd(): Promise<void> {
    if (!(await this.#hasExited())) this.#giveUp('it closed its stdout, but still ran');
  }

  #giveUp(reason: string): void {
    const { name, process } = this.#options;
    this.#end ??= {
      kind: 'lost',
      error: new HostError('connection-closed', `Server "${name}" was ended: ${reason}`, {
        hint: 'A stdio server may print nothing but MCP messages on its stdout',
      }),
    };
    this.#resolveLost({ ...this.#end, stderr: process.lastStderr() });
    void process[Symbol.asyncDispose]();
  }

  /** Waits until all output has been parsed: a large response takes several turns of the event loop. */
  async #drainStdout(): Promise<void> {
    const { clock, process } = this.#options;
    const { stdout } = process;
    const over = new Promise<true>((resolve) => {
      const end = (): void => resolve(true);
      clock.after(TAKE_IN_MS, end);
      if (stdout.readableEnded || stdout.destroyed) end();
      else stdout.once('end', end).once('close', end);
    });
    // A surviving child process may hold stdout open; then output ends with the first quiet period.
    for (;;) {
      await Promise.race([this.#lines?.idle(), over]);
      const isEnded = await Promise.race([over, this.#isQuiet()]);
      if (isEnded) break;
    }
    if (this.#lines) await this.#within(this.#lines.idle(), TAKE_IN_MS);
  }

  /** Whether no byte arrives within `QUIET_MS`. */
  async #isQuiet(): Promise<boolean> {
    const now = this.#bytesReceived;
    await new Promise<void>((resolve) => void deadline(this.#options.clock, QUIET_MS, resolve));
    return now === this.#bytesReceived;
  }

  /** Resolves with false after `ms`. */
  #within<Value>(event: Promise<Value>, ms: number): Promise<Value | false> {
    return within(event, { deadline: deadlineIn(this.#options.clock, ms), instead: () => false as const });
  }

  async #watch(): Promise<CloseReason> {
    const { process } = this.#options;
    const { code, signal } = await process.exited;
    // Output before the exit may still hold a response, or say why the process exited.
    if (!this.#end) await this.#drainStdout();
    if (!this.#end) await this.#within(process.drained, QUIET_MS);
    this.#lines?.end();
    const stderr = process.lastStderr();
    if (this.#end) return { ...this.#end, stderr };
    const verdict = this.#options.verdict?.();
    if (!verdict) return { kind: 'exited', code, signal, stderr };
    const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
    const message = `Server "${this.#options.name}" ${how}: ${verdict.reason}`;
    return { kind: 'lost', error: new HostError('connection-closed', message, { hint: verdict.hint }), stderr };
  }
}

const QUIET_MS = 50; // the output of a dead server is already in the pipe
const EXIT_MS = 300; // on a busy machine the exit event comes later than the end of the pipes
const TAKE_IN_MS = 5_000;
