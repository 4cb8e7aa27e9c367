import { attempt } from '../../base/attempt.js';
import { randomUUID } from '../../edge/random-hex.js';
import type { Readable, Writable } from 'node:stream';
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { within } from '../../base/within.js';
import type { Clock } from '../../model/clock.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { RequestId } from '../../wire/message.js';
import type { CloseReason, RejectedMessage } from '../../wire/pipe.js';
import { ControlLines } from './control-lines.js';
import { ControlOutput } from './control-output.js';
import { ControlQuestions } from './control-questions.js';

export interface ControlChannelOptions {
  /**
   * Returns the streams; called when the first `attach` (with its server's name), `listen` or `speak` needs them.
   * Throws a HostError when no program embeds this one.
   */
  readonly open: (server?: string) => ControlStreams;
  readonly clock: Clock;
  /** Called with messages that belong to no server. Returns true when the message was handled. */
  readonly onOther?: ((message: unknown) => boolean) | undefined;
  /** Called with each of the first `NOTES_SHOWN` unusable lines, cleaned for display. */
  readonly onWarning?: ((line: string) => void) | undefined;
  /** No more messages will arrive. Contract: must not throw. */
  readonly onEnd?: (() => void) | undefined;
}

export interface ControlStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Receives what the channel gets from one server. Contract of every method: does not throw. */
export interface ControlServerHandler {
  /** The server's response, unchecked. */
  answered(id: RequestId, response: unknown): void;
  /** The embedding program could not pass the request to its server. `text`: its reason, not cleaned. */
  failed(id: RequestId, text: string): void;
  refused(id: RequestId, refusal: RejectedMessage): void;
  /** An unsolicited request or notification from the server. */
  messageReceived(message: JsonObject): void;
  ended(reason: CloseReason): void;
}

/**
 * Control messages of published agent SDKs, between the host and the program that embeds it, over the host's stdin and
 * stdout: one JSON object per line. One channel for all servers; the envelope's id matches responses to requests.
 */
export class ControlChannel implements AsyncDisposable {
  readonly #options: ControlChannelOptions;
  readonly #ends = new Map<string, ControlServerHandler>();
  readonly #waiting = new Map<string, PendingControlRequest>();
  readonly #questions = new ControlQuestions((line) => this.write(line));
  #input: Readable | undefined;
  #output: ControlOutput | undefined;
  #lines: ControlLines | undefined;
  #over: CloseReason | undefined;
  #isUnread = false;
  #noted = 0;

  constructor(options: ControlChannelOptions) {
    this.#options = options;
  }

  /** Whether the output has been opened. */
  get isOpen(): boolean {
    return this.#output !== undefined;
  }

  get backlog(): number {
    return this.#output?.backlog ?? 0;
  }

  /** Starts reading, even without a server. Throws a HostError. */
  listen(): void {
    if (!this.#input && !this.#over) this.#start();
  }

  /** Opens the output only; nothing is read yet. Throws a HostError. */
  speak(): void {
    if (!this.#output && !this.#over) this.#openOutput(this.#options.open());
  }

  /** Resolves when all output has been written, or can no longer be. */
  async flush(): Promise<void> {
    await this.#output?.flush();
  }

  /** Writes a line that belongs to no server. Throws a HostError when the reader is gone or far behind. */
  write(line: string): void {
    if (!this.#output) throw new HostError('connection-closed', 'The control channel is not open yet');
    if (this.#isUnread) throw new HostError('connection-closed', 'The embedding program no longer reads');
    this.#output.write(line);
  }

  /** Sends the host's own request to the embedding program. Returns the response body; rejects with a HostError. */
  question(request: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    if (this.#over) {
      const error = new HostError('connection-closed', 'The embedding program closed its end', { hint: HINT });
      return Promise.reject(error);
    }
    return this.#questions.ask(request, signal);
  }

  /** Responds to a control request that `onOther` received. Never throws. */
  reply(key: unknown, answer: ControlReply): void {
    if (typeof key !== 'string' || key.length > FOREIGN_ID_LIMIT || this.backlog > REPLY_BACKLOG) return;
    const subtype = 'error' in answer ? 'error' : 'success';
    const response = { subtype, request_id: key, ...answer };
    try {
      this.#output?.write(JSON.stringify({ type: 'control_response', response }));
    } catch {
      // The reader is gone; `lost` reports it.
    }
  }

  /** Registers the handler of a server's messages. Throws a HostError. */
  attach(server: string, end: ControlServerHandler): void {
    if (!this.#input && !this.#over) this.#start(server);
    if (this.#over) {
      const why = this.#over.kind === 'lost' ? this.#over.error.message : 'its host is closed';
      throw new HostError('connect-failed', `Server "${server}" cannot be reached: ${why}`, { hint: HINT });
    }
    if (this.#ends.has(server)) {
      throw new HostError('connect-failed', `Server "${server}" is open already, and can have only one connection`, {
        hint: 'Use the open connection, or close it first',
      });
    }
    this.#ends.set(server, end);
  }

  detach(server: string, end: ControlServerHandler): void {
    if (this.#ends.get(server) === end) this.#ends.delete(server);
    for (const [key, waiting] of this.#waiting) if (waiting.end === end) this.#waiting.delete(key);
  }

  /** Sends a request; its response goes to `waiting.end`. Returns the key for `forget`. Throws a HostError. */
  ask(server: string, message: string, waiting: PendingControlRequest): string {
    const key = this.#send(server, message);
    this.#waiting.set(key, waiting);
    return key;
  }

  /** Sends a message without a response; the embedding program's acknowledgement is ignored. Throws a HostError. */
  tell(server: string, message: string): void {
    this.#send(server, message);
  }

  forget(key: string): void {
    this.#waiting.delete(key);
  }

  /** Stops reading, and waits until the output has been written. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#close({ kind: 'disposed' });
    // Bounded: a program that has stopped reading must not delay the exit.
    await within(this.flush(), {
      deadline: (expire) => this.#options.clock.after(FLUSH_MS, expire),
      instead: () => {},
    });
  }

  #start(server?: string): void {
    const { clock } = this.#options;
    const streams = this.#options.open(server);
    const { input } = streams;
    this.#input = input;
    this.#openOutput(streams);
    const lines = new ControlLines({
      clock,
      take: (message) => this.#take(message),
      refuse: (refusal, edges) => this.#refuse(refusal, edges),
      pause: () => void input.pause(),
      resume: () => void input.resume(),
      giveUp: (reason) => this.#lose(`the embedding program sends no valid control messages: ${reason}`),
    });
    this.#lines = lines;
    const leave = (): void => this.#lose('the embedding program closed its end');
    if (input.readableEnded || input.destroyed) return leave();
    input.once('end', () => void lines.finish().then(leave)).once('close', () => void lines.idle().then(leave));
    input.on('error', (cause) => this.#lose('the input from the embedding program failed', cause));
    input.on('data', (bytes: Buffer) => lines.push(bytes));
  }

  #openOutput({ output }: ControlStreams): void {
    this.#output ??= new ControlOutput(output, (cause) => {
      this.#isUnread = true; // stdout accepts writes even when its reader is gone
      this.#lose('the embedding program no longer reads', cause);
    });
  }

  #send(server: string, message: string): string {
    const key = randomUUID();
    const head = `{"type":"control_request","request_id":"${key}","request":{"subtype":"mcp_message"`;
    this.#output!.write(`${head},"server_name":${JSON.stringify(server)},"message":${message}}}`, server);
    return key;
  }

  #take(message: unknown): boolean {
    const { type, response, request } = isObject(message) ? message : {};
    if (type === 'control_response' && isObject(response)) return this.#answer(response);
    // Nothing to cancel: such requests are answered as soon as they arrive.
    if (type === 'control_cancel_request') return false;
    if (type === 'control_request' && isObject(request) && request['subtype'] === 'mcp_message') {
      this.#onServerMessage((message as JsonObject)['request_id'], request);
      return false;
    }
    if (this.#isOther(message)) return true;
    if (type === 'control_request') this.reply((message as JsonObject)['request_id'], { error: 'not supported here' });
    else this.#note(typeof type === 'string' ? `{"type":"${type.slice(0, NOTE_LENGTH)}", ...}` : 'JSON without a type');
    return false;
  }

  #answer(response: JsonObject): boolean {
    const { request_id: key, subtype, response: body, error } = response;
    const waiting = typeof key === 'string' ? this.#waiting.get(key) : undefined;
    if (!waiting) return typeof key === 'string' && this.#questions.answer(key, response);
    this.#waiting.delete(key as string);
    const { end, id } = waiting;
    if (subtype === 'error') end.failed(id, typeof error === 'string' ? error : '');
    else if (subtype === 'success' && isObject(body)) end.answered(id, body['mcp_response']);
    else end.refused(id, { ...MALFORMED, reason: 'its control_response says neither success nor error' });
    return true;
  }

  /** Passes an unsolicited message to its server's handler, and acknowledges it to the embedding program at once. */
  #onServerMessage(key: unknown, { server_name: server, message }: JsonObject): void {
    const end = typeof server === 'string' ? this.#ends.get(server) : undefined;
    if (!end) return this.reply(key, { error: 'no server of that name is connected here' });
    if (!isObject(message) || typeof message['method'] !== 'string') {
      return this.reply(key, { error: 'expected a request or a notification' });
    }
    end.messageReceived(message);
    return this.reply(key, { response: {} });
  }

  /** A line that is invalid, too deep or too large names the id of its request near its start or its end. */
  #refuse(refusal: RejectedMessage, edges: string): boolean {
    for (const [, key] of edges.matchAll(/"request_id"\s{0,8}:\s{0,8}"([\w-]{1,64})"/gu)) {
      const waiting = this.#waiting.get(key!);
      if (!waiting && this.#questions.refuse(key!, refusal.reason)) return true;
      if (!waiting) continue;
      this.#waiting.delete(key!);
      waiting.end.refused(waiting.id, refusal);
      return true;
    }
    // The start of a line that is too large does not show what is wrong with it.
    this.#note(refusal.code === 'answer-too-large' ? `${refusal.reason}: ${edges}` : edges);
    return false;
  }

  /** An exception in the listener must not break the channel. */
  #isOther(message: unknown): boolean {
    return attempt(() => this.#options.onOther?.(message) === true, true); // true: the listener received it and failed
  }

  #note(line: string): void {
    if (this.#noted++ >= NOTES_SHOWN) return;
    try {
      this.#options.onWarning?.(gateLine(line, { limit: NOTE_LENGTH }).text);
    } catch {
      // An exception in the listener must not break the channel.
    }
  }

  #lose(text: string, cause?: unknown): void {
    this.#close({ kind: 'lost', error: new HostError('connection-closed', text, { hint: HINT, cause }) });
  }

  #close(reason: CloseReason): void {
    if (this.#over) return;
    this.#over = reason;
    this.#lines?.end();
    this.#input?.destroy();
    this.#waiting.clear();
    const ends = [...this.#ends.values()];
    this.#ends.clear();
    for (const end of ends) end.ended(reason);
    this.#questions.close(reason.kind === 'lost' ? reason.error.message : 'this program is ending');
    this.#options.onEnd?.();
  }
}

/** The response to a control request; `error_code` is for programs. */
export type ControlReply =
  | { readonly response: object }
  | { readonly error: string; readonly error_code?: string | undefined };

/** A request in flight. */
export interface PendingControlRequest {
  readonly end: ControlServerHandler;
  readonly id: RequestId;
}

const HINT = 'The program that started Plugboard must answer its control messages for as long as it runs';
const MALFORMED = { code: 'bad-answer', ids: [], isAnswer: true } as const;
const FOREIGN_ID_LIMIT = 1_000; // characters; the reply repeats the id
const REPLY_BACKLOG = 1_000_000;
const FLUSH_MS = 1_000;
const NOTES_SHOWN = 20;
const NOTE_LENGTH = 200;
