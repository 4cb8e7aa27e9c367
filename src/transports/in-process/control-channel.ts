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
   * Called once, for the first server or by `listen`, which has none: until then nobody reads. Throws a HostError where there is
   * nobody to talk to.
   */
  readonly open: (server?: string) => ControlStreams;
  readonly clock: Clock;
  /** Lines that are no server's. True: taken care of. */
  readonly onOther?: ((message: unknown) => boolean) | undefined;
  /** A line that nobody could use, fit to be shown; only the first few. */
  readonly onWarning?: ((line: string) => void) | undefined;
  /** Nothing more will be heard. Contract: must not throw. */
  readonly onEnd?: (() => void) | undefined;
}

export interface ControlStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** The host's end of one server behind a channel. Contract of every method: does not throw. */
export interface ControlServerHandler {
  /** What the server answered, as it came. */
  answered(id: RequestId, response: unknown): void;
  /** The embedding program could not ask its server, and says why; not cleaned. */
  failed(id: RequestId, text: string): void;
  refused(id: RequestId, refusal: RejectedMessage): void;
  /** A request or a note that the server sent by itself. */
  said(message: JsonObject): void;
  ended(reason: CloseReason): void;
}

/**
 * Control messages with the program that embeds the host, on the host's own stdin and stdout, as published agent SDKs
 * speak them: one JSON object on each line. One for all servers of a host; an answer is found by the id of its envelope.
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

  /** Somebody may be written to. */
  get isOpen(): boolean {
    return this.#output !== undefined;
  }

  get backlog(): number {
    return this.#output?.backlog ?? 0;
  }

  /** Reads from now on, whether there is a server or not. Throws a HostError. */
  listen(): void {
    if (!this.#input && !this.#over) this.#start();
  }

  /** May be written to from now on; nobody is read yet. Throws a HostError. */
  speak(): void {
    if (!this.#output && !this.#over) this.#openOutput(this.#options.open());
  }

  /** Resolves when everything that was written is out, or can never be. */
  async flush(): Promise<void> {
    await this.#output?.flush();
  }

  /** A line of our own between those of servers. Throws a HostError when nobody reads, or is far behind. */
  write(line: string): void {
    if (!this.#output) throw new HostError('connection-closed', 'Nobody is written to yet');
    if (this.#isUnread) throw new HostError('connection-closed', 'Whoever read what is written is gone');
    this.#output.write(line);
  }

  /** Something that this program wants to know itself: gives the body of the answer. Rejects with a HostError. */
  question(request: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    if (this.#over) {
      const error = new HostError('connection-closed', 'The embedding program closed its end', { hint: HINT });
      return Promise.reject(error);
    }
    return this.#questions.ask(request, signal);
  }

  /** Answers a request that `onOther` was given. Never throws. */
  reply(key: unknown, answer: { readonly response: object } | { readonly error: string }): void {
    if (typeof key !== 'string' || key.length > FOREIGN_ID_LIMIT || this.backlog > REPLY_BACKLOG) return;
    const subtype = 'error' in answer ? 'error' : 'success';
    const response = { subtype, request_id: key, ...answer };
    try {
      this.#output?.write(JSON.stringify({ type: 'control_response', response }));
    } catch {
      // Nobody reads any more, which everybody is about to hear.
    }
  }

  /** From now on this end hears what that server says. Throws a HostError. */
  attach(server: string, end: ControlServerHandler): void {
    if (!this.#input && !this.#over) this.#start(server);
    if (this.#over) {
      const why = this.#over.kind === 'lost' ? this.#over.error.message : 'its host is closed';
      throw new HostError('connect-failed', `Server "${server}" cannot be reached: ${why}`, { hint: HINT });
    }
    if (this.#ends.has(server)) {
      throw new HostError('connect-failed', `Server "${server}" is open already, and its messages have one way only`, {
        hint: 'Use the connection there is, or close it first',
      });
    }
    this.#ends.set(server, end);
  }

  detach(server: string, end: ControlServerHandler): void {
    if (this.#ends.get(server) === end) this.#ends.delete(server);
    for (const [key, waiting] of this.#waiting) if (waiting.end === end) this.#waiting.delete(key);
  }

  /** Sends a message whose answer that end waits for under that id. Gives the key to `forget` it by; throws a HostError. */
  ask(server: string, message: string, waiting: PendingControlRequest): string {
    const key = this.#send(server, message);
    this.#waiting.set(key, waiting);
    return key;
  }

  /** Sends a message that has no answer: what the embedding program says about it is not listened to. Throws a HostError. */
  tell(server: string, message: string): void {
    this.#send(server, message);
  }

  forget(key: string): void {
    this.#waiting.delete(key);
  }

  /** Nothing is read any more, and everything that was to be sent is. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#close({ kind: 'disposed' });
    // Not for ever: a program that has stopped reading must not keep us.
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
      giveUp: (reason) => this.#lose(`the embedding program cannot be understood: ${reason}`),
    });
    this.#lines = lines;
    const leave = (): void => this.#lose('the embedding program closed its end');
    if (input.readableEnded || input.destroyed) return leave();
    input.once('end', () => void lines.finish().then(leave)).once('close', () => void lines.idle().then(leave));
    input.on('error', (cause) => this.#lose('the embedding program cannot be heard', cause));
    input.on('data', (bytes: Buffer) => lines.push(bytes));
  }

  #openOutput({ output }: ControlStreams): void {
    this.#output ??= new ControlOutput(output, (cause) => {
      this.#isUnread = true; // stdout itself goes on taking what nobody reads
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
    // We answer such a request as soon as it comes, so that there is never anything to take back.
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

  /** Something that a server says by itself. Whoever brought it is told at once that it has arrived. */
  #onServerMessage(key: unknown, { server_name: server, message }: JsonObject): void {
    const end = typeof server === 'string' ? this.#ends.get(server) : undefined;
    if (!end) return this.reply(key, { error: 'no server of that name is connected here' });
    if (!isObject(message) || typeof message['method'] !== 'string') {
      return this.reply(key, { error: 'expected a request or a notification' });
    }
    end.said(message);
    return this.reply(key, { response: {} });
  }

  /** A line that is broken, too deep or too large names the request that it was to answer near its beginning or end. */
  #refuse(refusal: RejectedMessage, edges: string): boolean {
    for (const [, key] of edges.matchAll(/"request_id"\s{0,8}:\s{0,8}"([\w-]{1,64})"/gu)) {
      const waiting = this.#waiting.get(key!);
      if (!waiting && this.#questions.refuse(key!, refusal.reason)) return true;
      if (!waiting) continue;
      this.#waiting.delete(key!);
      waiting.end.refused(waiting.id, refusal);
      return true;
    }
    // How it begins does not show what is wrong with it then.
    this.#note(refusal.code === 'answer-too-large' ? `${refusal.reason}: ${edges}` : edges);
    return false;
  }

  /** A fault in what listens there is not the channel's. */
  #isOther(message: unknown): boolean {
    return attempt(() => this.#options.onOther?.(message) === true, true); // the listener had it, and has failed at it
  }

  #note(line: string): void {
    if (this.#noted++ >= NOTES_SHOWN) return;
    try {
      this.#options.onWarning?.(gateLine(line, { limit: NOTE_LENGTH }).text);
    } catch {
      // A fault in what listens there is not the channel's.
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

/** A request that is not answered yet. */
export interface PendingControlRequest {
  readonly end: ControlServerHandler;
  readonly id: RequestId;
}

const HINT = 'The program that started Plugboard has to answer its control messages for as long as it runs';
const MALFORMED = { code: 'bad-answer', ids: [], isAnswer: true } as const;
const FOREIGN_ID_LIMIT = 1_000; // the reply repeats it
const REPLY_BACKLOG = 1_000_000;
const FLUSH_MS = 1_000;
const NOTES_SHOWN = 20;
const NOTE_LENGTH = 200;
