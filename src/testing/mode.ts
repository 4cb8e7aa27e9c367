import type { Expectation } from './expectation.js';
import type { HttpHandler, HttpHandlers } from './http/http-turn.js';
import type { SseHandler, SseHandlers } from './sse/sse-turn.js';
import type { StdioHandler, StdioHandlers } from './stdio-turn.js';
import type { WsHandler, WsHandlers } from './ws/ws-turn.js';

/** One way in which a server can be bad, and what a right host makes of it. */
export type Mode = StdioMode | HttpMode | SseMode | WsMode;

/** What a mode is spoken to over. The first is a process, the others have an address. */
export type Channel = Mode['channel'];

export type StdioMode = ModeOver<'stdio', StdioHandlers>;
export type HttpMode = ModeOver<'http', HttpHandlers>;
/** HTTP+SSE of 2024-11-05. */
export type SseMode = ModeOver<'sse', SseHandlers>;
/** WebSocket with the subprotocol `mcp`. */
export type WsMode = ModeOver<'ws', WsHandlers>;

interface ModeOver<Over extends string, Handlers> extends ModeFacts {
  readonly channel: Over;
  /** Called once for each server that is started: what it remembers is its own. */
  readonly behave: () => Handlers;
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
 * Modes that remember nothing: the same handlers do for every server that is started; a function makes them for each. `attack`: bad
 * only when that is called.
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

/** A mode as data alone, for JSON: patterns as texts. */
export interface ModeListing extends Omit<ModeFacts, 'expect'> {
  readonly channel: Channel;
  readonly expect: object;
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
