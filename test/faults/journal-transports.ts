import type { ServerConfig } from '../../src/transports/kinds.js';
import { type AnswerStyle, serveJournal } from './journal-http.js';
import type { Serving } from './journal-listen.js';
import { serveJournalOverSse } from './journal-sse.js';
import { serveJournalOverWs } from './journal-ws.js';
import type { Era, Journal } from './journal.js';

/** A transport over which clients reach a `Journal` through a faulty network. */
export interface FaultyTransport {
  readonly name: string;
  readonly era: Era;
  serve(journal: Journal): Promise<Serving>;
  /** The entry for a server at this local port, which may be the proxy's. */
  toConfig(port: number): ServerConfig;
  /** Each request has its own exchange, independent of earlier faults. False: one connection carries all requests. */
  readonly isApart: boolean;
}

function overHttp(name: string, style: AnswerStyle, era: Era = 'legacy'): FaultyTransport {
  return {
    name: `HTTP, ${name}`,
    era,
    serve: (journal) => serveJournal(journal, style),
    toConfig: (port) => ({ type: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: {}, era }),
    isApart: true,
  };
}

export const inJson = overHttp('answers in JSON', 'json');
export const inEvents = overHttp('answers in events', 'events');
export const resumable = overHttp('events with ids', 'resumable');
export const modern = overHttp('2026-07-28, events with ids', 'resumable', 'modern');
export const sse: FaultyTransport = {
  name: 'HTTP+SSE',
  era: 'legacy',
  serve: serveJournalOverSse,
  toConfig: (port) => ({ type: 'sse', url: `http://127.0.0.1:${port}/sse`, headers: {} }),
  isApart: false,
};
export const webSocket: FaultyTransport = {
  name: 'WebSocket',
  era: 'legacy',
  serve: serveJournalOverWs,
  toConfig: (port) => ({ type: 'ws', url: `ws://127.0.0.1:${port}/mcp`, headers: {} }),
  isApart: false,
};

export const transports: readonly FaultyTransport[] = [inJson, inEvents, resumable, modern, sse, webSocket];
