import type { Expectation } from './expectation.js';
import type { HttpHandler, HttpHandlers } from './http-turn.js';
import type { SseHandler, SseHandlers } from './sse/sse-turn.js';
import type { StdioHandler, StdioHandlers } from './stdio-turn.js';
import type { WsHandler, WsHandlers } from './ws/ws-turn.js';

/** One way in which a server can be bad, and what a right host makes of it. */
export type Mode = StdioMode | HttpMode | SseMode | WsMode;

/** What a mode is spoken to over. The first is a process, the others have an address. */
export type Channel = Mode['channel'];

export interface StdioMode extends ModeFacts {
  readonly channel: 'stdio';
  /** Called once for each server that is started: what it remembers is its own. */
  readonly behave: () => StdioHandlers;
}

export interface HttpMode extends ModeFacts {
  readonly channel: 'http';
  readonly behave: () => HttpHandlers;
}

/** HTTP+SSE of 2024-11-05. */
export interface SseMode extends ModeFacts {
  readonly channel: 'sse';
  readonly behave: () => SseHandlers;
}

/** WebSocket with the subprotocol `mcp`. */
export interface WsMode extends ModeFacts {
  readonly channel: 'ws';
  readonly behave: () => WsHandlers;
}

interface ModeFacts {
  readonly name: string;
  /** What the server does, in one line. */
  readonly summary: string;
  readonly expect: Expectation;
  /** The server speaks 2026-07-28 and nothing else; without it, it knows only the eras with a handshake. */
  readonly era?: 'modern';
  /** How many bytes the caller of `attack` sends along, as its argument `padding`. */
  readonly padding?: number;
  readonly setup?: Setup;
  /** What a host must have before it can pass. */
  readonly needs?: 'sandbox';
}

/** What whoever checks a mode does besides, because without it the mode has nothing to be bad at. */
export interface Setup {
  /** The arguments of `attack`. */
  readonly input?: { readonly [name: string]: unknown };
  /** Says that it can show forms (`elicitation`), and declines every one. */
  readonly forms?: true;
  /** Asks to be told when the tools change, and calls without waiting long for the server's consent. */
  readonly watches?: true;
}

/** Modes that remember nothing: the same handlers do for every server that is started. */
export function stdioMode(name: string, summary: string, expect: Expectation, handlers: StdioHandlers): StdioMode {
  return { name, channel: 'stdio', summary, expect, behave: () => handlers };
}

/** Bad only when `attack` is called. */
export function stdioAttack(name: string, summary: string, expect: Expectation, attack: StdioHandler): StdioMode {
  return stdioMode(name, summary, expect, { attack });
}

export function httpMode(name: string, summary: string, expect: Expectation, handlers: HttpHandlers): HttpMode {
  return { name, channel: 'http', summary, expect, behave: () => handlers };
}

export function httpAttack(name: string, summary: string, expect: Expectation, attack: HttpHandler): HttpMode {
  return httpMode(name, summary, expect, { attack });
}

export function sseMode(name: string, summary: string, expect: Expectation, handlers: SseHandlers): SseMode {
  return { name, channel: 'sse', summary, expect, behave: () => handlers };
}

export function sseAttack(name: string, summary: string, expect: Expectation, attack: SseHandler): SseMode {
  return sseMode(name, summary, expect, { attack });
}

export function wsMode(name: string, summary: string, expect: Expectation, handlers: WsHandlers): WsMode {
  return { name, channel: 'ws', summary, expect, behave: () => handlers };
}

export function wsAttack(name: string, summary: string, expect: Expectation, attack: WsHandler): WsMode {
  return wsMode(name, summary, expect, { attack });
}

/** A mode as data alone, for JSON: patterns as texts. */
export interface ModeListing {
  readonly name: string;
  readonly channel: Channel;
  readonly summary: string;
  readonly expect: object;
  readonly era?: 'modern';
  readonly padding?: number;
  readonly setup?: Setup;
  readonly needs?: string;
}

export function toListing({ name, channel, summary, expect, era, padding, setup, needs }: Mode): ModeListing {
  return {
    name,
    channel,
    summary,
    expect: plain(expect) as object,
    ...(era !== undefined && { era }),
    ...(padding !== undefined && { padding }),
    ...(setup !== undefined && { setup }),
    ...(needs !== undefined && { needs }),
  };
}

/** What JSON cannot hold becomes a text, or is left out: a limit that is not there. */
function plain(value: unknown): unknown {
  if (value instanceof RegExp) return value.source;
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== Infinity)
      .map(([key, part]) => [key, plain(part)]),
  );
}
