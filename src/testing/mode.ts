import type { Expectation } from './expectation.js';
import type { HttpHandlers } from './http-turn.js';
import type { StdioHandlers } from './stdio-turn.js';

/** One way in which a server can be bad, and what a right host makes of it. */
export type Mode = StdioMode | HttpMode;

export interface StdioMode extends ModeFacts {
  readonly channel: 'stdio';
  /** Called once for each server that is started: what it remembers is its own. */
  readonly behave: () => StdioHandlers;
}

export interface HttpMode extends ModeFacts {
  readonly channel: 'http';
  readonly behave: () => HttpHandlers;
}

interface ModeFacts {
  readonly name: string;
  /** What the server does, in one line. */
  readonly summary: string;
  readonly expect: Expectation;
  /** How many bytes the caller of `attack` sends along, as its argument `padding`. */
  readonly padding?: number;
  /** What a host must have before it can pass. */
  readonly needs?: 'sandbox';
}

/** A mode as data alone, for JSON: patterns as texts. */
export interface ModeListing {
  readonly name: string;
  readonly channel: 'stdio' | 'http';
  readonly summary: string;
  readonly expect: object;
  readonly padding?: number;
  readonly needs?: string;
}

export function toListing({ name, channel, summary, expect, padding, needs }: Mode): ModeListing {
  return {
    name,
    channel,
    summary,
    expect: plain(expect) as object,
    ...(padding !== undefined && { padding }),
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
