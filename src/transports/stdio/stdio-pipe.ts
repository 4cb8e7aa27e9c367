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
import { overload } from '../http/overload.js';

export interface StdioPipeOptions {
  readonly name: string;
  readonly process: ServerProcess;
  /** Once it has exited: what its sandbox had to do with it. */
  readonly verdict?: () => SandboxVerdict | undefined;
  readonly clock: Clock;
}

/** The pipe to a process that was started for it: one message on each line of its stdin and stdout. */
export class StdioPipe implements Pipe {
  readonly losesSessions = false;
  readonly hasHeaders = false;
  readonly closed: Promise<CloseReason>;
  readonly #options: StdioPipeOptions;
  readonly #stdin: Writable;
  #receiver: Receiver | undefined;
  #lines: LineReader | undefined;
  /** Bytes of what it wrote. */
  #bytesReceived = 0;
  #bag: string[] = [];
  #bagged = 0;
  /** The requests among them. */
  #ids: RequestId[] = [];
  #end: CloseReason | undefined;
  #resolveLost: (reason: CloseReason) => void = () => {};

  constructor(options: StdioPipeOptions) {
    this.#options = options;
    this.#stdin = options.process.stdin;
    // Who has given up does not wait for the process to be gone; whoever disposes of the pipe does.
    const lost = new Promise<CloseReason>((resolve) => (this.#resolveLost = resolve));
    this.closed = Promise.race([this.#watch(), lost]);
  }

  get backlog(): number {
    return this.#stdin.writableLength + this.#bagged;
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
    stdout.once('end', () => void this.#outlive());
  }

  request(request: JsonRpcRequest): void {
    if (!this.#stdin.writable) return void this.#failUnread([request.id]);
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
    this.#lines?.end();
    await this.#options.process[Symbol.asyncDispose]();
  }

  /** Everything of one turn goes out in one write: a system call costs more than a message. */
  #write(text: string): void {
    const { name } = this.#options;
    if (!this.#stdin.writable) throw this.#unread();
    const refusal = overload({ label: `Server "${name}"`, backlog: this.backlog, length: text.length });
    if (refusal) throw refusal;
    this.#bagged += text.length;
    if (this.#bag.push(text) === 1) queueMicrotask(this.#flush);
  }

  readonly #flush = (): void => {
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

  /** A server that has just died says more by its exit code: then the end of the connection ends these, too. */
  async #failUnread(ids: readonly RequestId[]): Promise<void> {
    if (await this.#hasExited()) return;
    for (const id of ids) this.#receiver?.failed(id, this.#unread());
  }

  async #hasExited(): Promise<boolean> {
    return (await this.#within(this.#options.process.exited, EXIT_MS)) !== false;
  }

  #unread(): HostError {
    const { name } = this.#options;
    return new HostError('connection-closed', `Server "${name}" no longer reads its input`, { hint: 'Start it again' });
  }

  /** A server whose stdout has ended will never answer; one that is about to exit says more by its exit code. */
  async #outlive(): Promise<void> {
    if (!(await this.#hasExited())) this.#giveUp('it closed its stdout and runs on');
  }

  #giveUp(reason: string): void {
    const { name, process } = this.#options;
    this.#end ??= {
      kind: 'lost',
      error: new HostError('connection-closed', `Server "${name}" was ended: ${reason}`, {
        hint: 'A server on stdio may print nothing but messages on its stdout',
      }),
    };
    this.#resolveLost({ ...this.#end, stderr: process.lastStderr() });
    void process[Symbol.asyncDispose]();
  }

  /** Until the last of what it wrote has been looked at: a large answer takes several turns. */
  async #takeIn(): Promise<void> {
    const { clock, process } = this.#options;
    const { stdout } = process;
    const over = new Promise<true>((resolve) => {
      const end = (): void => resolve(true);
      clock.after(TAKE_IN_MS, end);
      if (stdout.readableEnded || stdout.destroyed) end();
      else stdout.once('end', end).once('close', end);
    });
    // A child that got away may hold it open: then what has come by now is all.
    for (;;) {
      await Promise.race([this.#lines?.idle(), over]);
      const isEnded = await Promise.race([over, this.#isQuiet()]);
      if (isEnded) break;
    }
    if (this.#lines) await this.#within(this.#lines.idle(), TAKE_IN_MS);
  }

  /** Whether nothing has come since, nor comes for a while. */
  async #isQuiet(): Promise<boolean> {
    const now = this.#bytesReceived;
    await new Promise<void>((resolve) => void deadline(this.#options.clock, QUIET_MS, resolve));
    return now === this.#bytesReceived;
  }

  /** False: it took longer. */
  #within<Value>(event: Promise<Value>, ms: number): Promise<Value | false> {
    return within(event, { deadline: deadlineIn(this.#options.clock, ms), instead: () => false as const });
  }

  async #watch(): Promise<CloseReason> {
    const { process } = this.#options;
    const { code, signal } = await process.exited;
    // What it wrote before it went is still an answer, and may be why it went.
    if (!this.#end) await this.#takeIn();
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

const QUIET_MS = 50; // what a dead server had written is in its pipe already
const EXIT_MS = 300; // on a busy machine the word of an exit comes later than the end of its pipes
const TAKE_IN_MS = 5_000;
