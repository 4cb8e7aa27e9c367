import type { HostError } from '../base/errors.js';
import type { CredentialsRefusal } from '../model/credentials.js';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, RequestId } from './message.js';
import type { LargeResponseStore } from '../model/spilled.js';

/** One open transport to one server. It alone turns bytes into messages, and bounds them while it does. */
export interface Pipe {
  /** Called once, before anything is sent. Nothing is delivered before. */
  open(receiver: Receiver): void;
  /**
   * Sends a request. The receiver gets its outcome: a response, a refusal, or a failure with its id. Contract: does not
   * throw.
   */
  request(request: JsonRpcRequest, options: RequestOptions): void;
  /** Sends a message without a response. Resolves when it is handed over (HTTP: accepted); rejects with a HostError. */
  notify(message: JsonRpcNotification | JsonRpcResponse): Promise<void>;
  /**
   * The caller gave up the request: a stream that serves only it may close. Returns true when that tells the server, so
   * that no cancellation needs to be sent.
   */
  abandon(id: RequestId, why: AbandonReason): boolean;
  /** Sets the negotiated protocol; HTTP sends the version with every later request. */
  adopt(agreement: NegotiatedProtocol): void;
  /** Called after the handshake: HTTP opens the stream for unsolicited messages, without waiting for it. */
  listen(): void;
  /** Whether a server may lose the session while the pipe is open; requests then fail with `session-lost`. */
  readonly losesSessions: boolean;
  /** Whether requests have headers, which repeat parts of the body for proxies in front of a modern server. */
  readonly hasHeaders: boolean;
  /** Bytes handed over that the server has not accepted yet. */
  readonly backlog: number;
  /** Resolves when either side closes the pipe; never rejects. */
  readonly closed: Promise<CloseReason>;
  /** Idempotent, never rejects. Afterwards everything that was started for the pipe has ended. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Why a request was given up. */
export interface AbandonReason {
  /** The request timed out; otherwise its caller cancelled it. */
  readonly isTimedOut: boolean;
  /** The number of other requests in flight. */
  readonly others: number;
}

export interface NegotiatedProtocol {
  readonly era: 'legacy' | 'modern';
  readonly version: string;
}

export interface RequestOptions {
  /** Milliseconds until the request's deadline; Infinity for a request that lasts until it is abandoned. */
  readonly timeoutMs: number;
  /** Headers of this request only, names and values alternating; for a pipe that has headers. */
  readonly headers?: readonly string[] | undefined;
}

/** Receives what a pipe reads: the peer. Contract of every method: does not throw. */
export interface Receiver {
  /**
   * Takes one message, parsed and within bounds. `origin`: the request whose own channel it came on (HTTP). Returns
   * false for an unsolicited message, which the pipe throttles.
   */
  message(message: unknown, origin?: RequestId): boolean;
  /** A message arrived that cannot be used. */
  refused(refusal: RejectedMessage, origin?: RequestId): void;
  /** This request gets no response, although the pipe stays open. */
  failed(id: RequestId, error: HostError): void;
  /** Something odd but harmless: noise on stdout, invalid UTF-8. */
  warning(note: PipeWarning): void;
  isPending(id: RequestId): boolean;
  /** Who takes a large response to this request; with no id known yet, to any request that has a store. */
  spillFor(id: RequestId | undefined): LargeResponseStore | undefined;
}

/** Why a message cannot be used. The peer, which knows the server's name, turns it into an error. */
export interface RejectedMessage {
  readonly code: 'bad-answer' | 'answer-too-large';
  /** Completes the sentence "Server x sent something that cannot be used: ...". */
  readonly reason: string;
  /** Numbers that the message has as ids. Ours are random, so one of ours among them is no accident. */
  readonly ids: readonly number[];
  /** The message looks like a response rather than a log line. */
  readonly isAnswer: boolean;
  /** What the user can do, where it is not a matter of the server. */
  readonly hint?: string | undefined;
}

/** A harmless irregularity in what a server sends. */
export interface PipeWarning {
  /**
   * `noise`: output that is no message. `oddity`: a deviation from the protocol. `stream-off`: the server will not send
   * notifications of changes; requests still work.
   */
  readonly kind: 'noise' | 'oddity' | 'replaced-bytes' | 'stream-off';
  /** What was noticed, in a sentence, with the server's words cleaned. */
  readonly text: string;
  /** What the user can do, if known. */
  readonly hint?: string;
  /** 401 or 403, when the server refused the credentials. */
  readonly status?: number;
  /** The refusal, for renewing credentials; never shown. `hasLasted`: the credentials were accepted for a while. */
  readonly denial?: CredentialsRefusal & { readonly hasLasted: boolean };
}

/** Why a pipe closed. */
export type CloseReason =
  /** `stderr`: the last output of the process, cleaned for display. */
  | { readonly kind: 'disposed'; readonly stderr?: string }
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null; readonly stderr: string }
  | { readonly kind: 'lost'; readonly error: HostError; readonly stderr?: string };
