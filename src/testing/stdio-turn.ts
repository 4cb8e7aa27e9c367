import type { Readable, Writable } from 'node:stream';
import type { Handlers } from './http/handler-of.js';
import type { ServedRequest } from './received-messages.js';
import type { Bytes } from './write.js';

export interface StdioHandlers extends Handlers<StdioHandler> {
  /** Before anything is read. */
  readonly start?: StdioHandler;
  /** The first request, whichever it is: some hosts ask `server/discover` before they shake hands. */
  readonly first?: StdioHandler;
}

export type StdioHandler = (turn: StdioTurn) => unknown;

/** One request of the host, and everything a bad server needs to answer it badly. At the start there is no request yet. */
export interface StdioTurn extends ServedRequest {
  /** Bytes onto stdout as they are. False: the host is gone. */
  readonly send: (bytes: Bytes) => Promise<boolean>;
  /** Messages, a line each. */
  readonly say: (...messages: readonly string[]) => Promise<boolean>;
  /** Bytes onto stderr. */
  readonly log: (bytes: Bytes) => Promise<boolean>;
  /** The address of something that counts who comes. */
  readonly trap: () => Promise<string>;
  readonly streams: StdioStreams;
}

export interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}
