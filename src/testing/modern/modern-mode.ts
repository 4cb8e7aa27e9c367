import { type Connected, exactly, type Expectation } from '../expectation.js';
import { STATELESS } from '../good.js';
import type { Ask } from '../healthy.js';
import type { Hear } from '../hearing.js';
import type { HttpHandler } from '../http-turn.js';
import type { Mode, Setup } from '../mode.js';
import type { StdioHandler } from '../stdio-turn.js';

/** A way to be bad in the newer era that has nothing to do with the channel. */
export interface ModernMode {
  readonly name: string;
  readonly summary: string;
  readonly expect: Expectation;
  /** Where HTTP lets a host know more. */
  readonly overHttp?: Expectation;
  readonly setup?: Setup;
  readonly behave: () => ModernHandlers;
}

/** Where a mode does otherwise than a good server would. What is absent is done well. */
export interface ModernHandlers {
  readonly initialize?: ModernHandler;
  readonly list?: ModernHandler;
  readonly attack?: ModernHandler;
  /** Other requests, by their method. */
  readonly methods?: Readonly<Record<string, ModernHandler>>;
}

export type ModernHandler = (turn: ModernTurn) => unknown;

/** One request of the host, on whichever channel. */
export interface ModernTurn extends Ask {
  /** The one answer: a line of stdout, or the body of a response with this status. */
  readonly tell: (text: string, status?: number) => Promise<unknown>;
  /** Room for several messages: lines of stdout, or the events of a response. */
  readonly talk: () => Promise<Talk>;
  readonly hear: Hear;
  readonly count: (what: string) => void;
}

export interface Talk {
  /** False: the host is gone. */
  readonly say: (...messages: readonly string[]) => Promise<boolean>;
  /** Nothing follows; of no meaning on stdout. */
  readonly end: () => Promise<unknown>;
}

/** One mode over stdio, and one over HTTP whose name begins with `http-`. Nobody shakes hands with either. */
export function overStdioAndHttp({ name, summary, expect, overHttp, setup, behave }: ModernMode): readonly Mode[] {
  const facts = { summary, era: 'modern', ...(setup && { setup }) } as const;
  return [
    {
      ...facts,
      name: `modern-${name}`,
      channel: 'stdio',
      expect: withCounts(expect, [exactly('initialize', 0)]),
      behave: () => wrap(behave(), fromStdio),
    },
    {
      ...facts,
      name: `http-modern-${name}`,
      channel: 'http',
      expect: withCounts(overHttp ?? expect, [exactly('initialize', 0), ...STATELESS]),
      behave: () => wrap(behave(), fromHttp),
    },
  ];
}

function withCounts(expect: Expectation, counts: Connected['counts']): Expectation {
  return expect.connect === 'ok' ? { ...expect, counts: [...expect.counts, ...counts] } : expect;
}

type Wrapped<Handler> = {
  readonly [Key in 'initialize' | 'list' | 'attack']?: Handler;
} & { readonly methods: Readonly<Record<string, Handler>> };

function wrap<Handler>(handlers: ModernHandlers, adapt: (handler: ModernHandler) => Handler): Wrapped<Handler> {
  const { initialize, list, attack, methods = {} } = handlers;
  return {
    ...(initialize && { initialize: adapt(initialize) }),
    ...(list && { list: adapt(list) }),
    ...(attack && { attack: adapt(attack) }),
    methods: Object.fromEntries(Object.entries(methods).map(([method, handler]) => [method, adapt(handler)])),
  };
}

function fromStdio(handler: ModernHandler): StdioHandler {
  return ({ id, method, params, say, hear, count }) =>
    handler({
      id,
      method,
      params,
      hear,
      count,
      tell: (text) => say(text),
      talk: () => Promise.resolve({ say, end: () => Promise.resolve() }),
    });
}

function fromHttp(handler: ModernHandler): HttpHandler {
  return ({ id, method, params, reply, stream, hear, count }) =>
    handler({
      id,
      method,
      params,
      hear,
      count,
      tell: (body, status = 200) => reply({ status, headers: { 'Content-Type': 'application/json' }, body }),
      async talk() {
        const { text, end } = await stream();
        return { say: (...messages) => text(messages.map((message) => `data: ${message}\n\n`).join('')), end };
      },
    });
}
