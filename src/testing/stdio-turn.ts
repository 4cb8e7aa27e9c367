import type { Readable, Writable } from 'node:stream';
import type { Ask } from './healthy.js';
import type { Hear } from './hearing.js';
import type { Bytes } from './write.js';

/** Where a mode does otherwise than a good server would. What is absent is done well. */
export interface StdioHandlers {
  /** Before anything is read. */
  readonly start?: StdioHandler;
  readonly initialize?: StdioHandler;
  readonly list?: StdioHandler;
  /** `tools/call attack`. */
  readonly attack?: StdioHandler;
  /** The first request, whichever it is: some hosts ask `server/discover` before they shake hands. */
  readonly first?: StdioHandler;
  /** Other requests, by their method. */
  readonly methods?: Readonly<Record<string, StdioHandler>>;
}

export type StdioHandler = (turn: StdioTurn) => unknown;

/** One request of the host, and everything a bad server needs to answer it badly. At the start there is no request yet. */
export interface StdioTurn extends Ask {
  /** Bytes onto stdout as they are. False: the host is gone. */
  readonly send: (bytes: Bytes) => Promise<boolean>;
  /** Messages, a line each. */
  readonly say: (...messages: readonly string[]) => Promise<boolean>;
  /** Bytes onto stderr. */
  readonly log: (bytes: Bytes) => Promise<boolean>;
  readonly hear: Hear;
  /** For what only this mode looks out for. */
  readonly count: (what: string) => void;
  /** Aborted when the host has closed our stdin or our stdout. */
  readonly gone: AbortSignal;
  /** The address of something that counts who comes. */
  readonly trap: () => Promise<string>;
  readonly streams: StdioStreams;
}

export interface StdioStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}
