import type { Expectation } from './expectation.js';
import type { HttpHandler, HttpHandlers } from './http/http-turn.js';
import type { SseHandler, SseHandlers } from './sse/sse-turn.js';
import type { StdioHandler, StdioHandlers } from './stdio-turn.js';
import type { WsHandler, WsHandlers } from './ws/ws-turn.js';

/** One hostile behaviour of a server, and what a correct host does with it. */
export type Mode = StdioMode | HttpMode | SseMode | WsMode;

/** The transport of a mode. A stdio mode is a process, the others have a URL. */
export type Channel = Mode['channel'];

/** A hostile server over stdio. */
export type StdioMode = ModeOver<'stdio', StdioHandlers>;
/** A hostile server over HTTP. */
export type HttpMode = ModeOver<'http', HttpHandlers>;
/** HTTP+SSE of 2024-11-05. */
export type SseMode = ModeOver<'sse', SseHandlers>;
/** WebSocket with the subprotocol `mcp`. */
export type WsMode = ModeOver<'ws', WsHandlers>;

/** A hostile server over one transport. */
export interface ModeOver<Over extends string, Handlers> extends ModeFacts {
  readonly channel: Over;
  /** Called once for each server that is started, so that servers share no state. */
  readonly behave: () => Handlers;
}

/** What is known of every hostile server. */
export interface ModeFacts {
  readonly name: string;
  /** What the server does, in one line. */
  readonly summary: string;
  readonly expect: Expectation;
  /** The server speaks only 2026-07-28; when absent, only the legacy versions, with a handshake. */
  readonly era?: 'modern';
  /** The bytes that the checker sends with `attack`, as its argument `padding`. */
  readonly padding?: number;
  readonly setup?: Setup;
  /** What a host must support to be able to pass. */
  readonly needs?: 'sandbox';
}

/** What the checker does besides, because without it the mode has nothing to attack. */
export interface Setup {
  /** The arguments of `attack`. */
  readonly input?: { readonly [name: string]: unknown };
  /** The checker declares that it can show forms (`elicitation`), and declines each of them. */
  readonly forms?: true;
  /** The checker subscribes to changes of the tools, and calls without waiting long for the acknowledgement. */
  readonly watches?: true;
}

export const { mode: stdioMode, attack: stdioAttack } = over<'stdio', StdioHandler, StdioHandlers>('stdio');
export const { mode: httpMode, attack: httpAttack } = over<'http', HttpHandler, HttpHandlers>('http');
export const { mode: sseMode, attack: sseAttack } = over<'sse', SseHandler, SseHandlers>('sse');
export const { mode: wsMode, attack: wsAttack } = over<'ws', WsHandler, WsHandlers>('ws');

type Maker<Over extends string, Given, Handlers> = (
  name: string,
  summary: string,
  expect: Expectation,
  given: Given,
  more?: Pick<ModeFacts, 'era' | 'padding' | 'setup' | 'needs'>,
) => ModeOver<Over, Handlers>;

/**
 * Makers of modes for one channel. Handlers given as an object serve all servers that are started and must be
 * stateless; a function makes new ones for each. `attack` makes a mode that misbehaves only when `attack` is called.
 */
function over<Over extends string, Handler, Handlers extends object>(
  channel: Over,
): {
  readonly mode: Maker<Over, Handlers | (() => Handlers), Handlers>;
  readonly attack: Maker<Over, Handler, { readonly attack: Handler }>;
} {
  return {
    mode: (name, summary, expect, handlers, more) => {
      const behave = typeof handlers === 'function' ? handlers : (): Handlers => handlers;
      return { name, channel, summary, expect, ...more, behave };
    },
    attack: (name, summary, expect, attack, more) => {
      return { name, channel, summary, expect, ...more, behave: () => ({ attack }) };
    },
  };
}

/** A mode as plain data, for JSON: patterns are strings. */
export interface ModeListing extends Omit<ModeFacts, 'expect'> {
  readonly channel: Channel;
  readonly expect: object;
}

/** A mode as plain data. */
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

/** Makes a value fit for JSON: a pattern becomes its source, an infinite limit is left out. */
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
