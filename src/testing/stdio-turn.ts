import type { Readable, Writable } from 'node:stream';
import type { Handlers } from './http/handler-of.js';
import type { ServedRequest } from './received-messages.js';
import type { Bytes } from './write.js';

/** What a server over stdio does. */
export interface StdioHandlers extends Handlers<StdioHandler> {
  /** Runs before anything is read. */
  readonly start?: StdioHandler;
  /** Answers the first request, whichever it is: some hosts send `server/discover` before `initialize`. */
  readonly first?: StdioHandler;
}

/** Answers a message to a server over stdio. */
export type StdioHandler = (turn: StdioTurn) => unknown;

/** One request from the host, with the means to answer it badly. For `start` it only stands for a request. */
export interface StdioTurn extends ServedRequest {
  /** Writes bytes to stdout unchanged. Resolves with false when the host is gone. */
  readonly send: (bytes: Bytes) => Promise<boolean>;
  /** Sends each message as a line. */
  readonly say: (...messages: readonly string[]) => Promise<boolean>;
  /** Writes bytes to stderr. */
  readonly log: (bytes: Bytes) => Promise<boolean>;
  /** The URL of a server that counts every request as `strayed`. */
  readonly trap: () => Promise<string>;
  readonly streams: StdioStreams;
}

/** The streams that a server over stdio uses in place of its own. */
export interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}
