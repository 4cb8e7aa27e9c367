import type { HostError } from '../base/errors.js';
import type { CredentialsRefusal } from '../model/credentials.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, RequestId } from './message.js';
import type { SpillStore } from '../model/spilled.js';

/** A two-way road to one server. Bytes become bounded messages behind it and nowhere else. */
export interface Pipe {
  /** Called once, before anything is sent. Nothing reaches the receiver before. */
  open(receiver: Receiver): void;
  /**
   * Sends a request. What becomes of it reaches the receiver: an answer, a refusal, or a failure under its id.
   * Contract: does not throw.
   */
  request(request: JsonRpcRequest, options: RequestOptions): void;
  /** Sends what nobody answers. Resolves when it is handed over (HTTP: accepted); rejects with a HostError. */
  notify(message: JsonRpcNotification | JsonRpcResponse): Promise<void>;
  /**
   * Nobody waits for this answer any more: a stream that only it kept open may close. True: by that the server learns of
   * it, and is not to be told again.
   */
  abandon(id: RequestId, why: AbandonReason): boolean;
  /** What the handshake agreed on; HTTP tells it with every later request. */
  adopt(agreement: NegotiatedProtocol): void;
  /** The handshake is over: HTTP opens the stream for what nobody asked for. Never waited for. */
  listen(): void;
  /** Whether a server may forget us while the pipe lives on: requests then fail as `session-lost`. */
  readonly losesSessions: boolean;
  /** Whether a request has headers, which have to repeat what is in it for those that stand before a modern server. */
  readonly hasHeaders: boolean;
  /** Bytes handed over that the server has not taken yet. */
  readonly backlog: number;
  /** Resolves, and never rejects, when the road ends, from whichever side. */
  readonly closed: Promise<CloseReason>;
  /** Idempotent, never rejects; whatever was started for this pipe is gone afterwards. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Why nobody waits for an answer any more. */
export interface AbandonReason {
  /** It took too long; otherwise whoever asked has thought better of it. */
  readonly isLate: boolean;
  /** How many others still wait. */
  readonly others: number;
}

export interface NegotiatedProtocol {
  readonly era: 'legacy' | 'modern';
  readonly version: string;
}

export interface RequestOptions {
  /** When the answer is wanted at the latest, in milliseconds from now; Infinity for one that lasts until it is abandoned. */
  readonly timeoutMs: number;
  /** Headers for this request alone, names and values in turn; for a pipe that has any. */
  readonly headers?: readonly string[] | undefined;
}

/** What a pipe tells: the peer. Contract of every method: does not throw. */
export interface Receiver {
  /**
   * One message, parsed and within bounds. `origin`: the request whose own channel it came on (HTTP). False: nobody had
   * asked for it, so that a pipe can ration what a server sends by itself.
   */
  message(message: unknown, origin?: RequestId): boolean;
  /** Something came that cannot be taken. */
  refused(refusal: RejectedMessage, origin?: RequestId): void;
  /** This request will not be answered, while the pipe lives on. */
  failed(id: RequestId, error: HostError): void;
  /** Something odd that harms nobody: noise on stdout, bytes that are no text. */
  note(note: PipeWarning): void;
  isPending(id: RequestId): boolean;
  /** Where a large answer may go: to this request, or, while its id has not been seen, to any that could take it. */
  spillFor(id: RequestId | undefined): SpillStore | undefined;
}

/** Why a message cannot be taken. The peer makes the error of it: it knows the server's name. */
export interface RejectedMessage {
  readonly code: 'bad-answer' | 'answer-too-large';
  /** Ends the sentence "Server x sent something that cannot be used: ...". */
  readonly reason: string;
  /** Numbers that it gives as ids. Ours are random, so that one of ours among them is no accident. */
  readonly ids: readonly number[];
  /** It has the looks of an answer, as opposed to a line of somebody's log. */
  readonly isAnswer: boolean;
}

export interface PipeWarning {
  /**
   * `noise`: it prints what is no message. `oddity`: it does something in another way than it should. `stream-off`: it will not tell
   * by itself what changes; requests are answered all the same.
   */
  readonly kind: 'noise' | 'oddity' | 'replaced-bytes' | 'stream-off';
  readonly text: string;
  /** What can be done about it, where that is known. */
  readonly hint?: string;
  /** Because the server refuses who asks: 401 or 403. */
  readonly status?: number;
  /** The whole refusal, for whoever keeps the credentials: never shown. `hasLasted`: what was sent was good enough for a while. */
  readonly denial?: CredentialsRefusal & { readonly hasLasted: boolean };
}

/** Why a road ended. */
export type CloseReason =
  /** `stderr`: the last that a process said, fit to be shown. */
  | { readonly kind: 'disposed'; readonly stderr?: string }
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null; readonly stderr: string }
  | { readonly kind: 'lost'; readonly error: HostError; readonly stderr?: string };
