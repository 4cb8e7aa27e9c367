import { type Connected, exactly, type Expectation } from '../expectation.js';
import { STATELESS } from '../attacks/good.js';
import type { Handlers } from '../http/handler-of.js';
import type { HostRequest } from '../healthy.js';
import type { HttpHandler, HttpHandlers } from '../http/http-turn.js';
import { type HttpMode, httpMode, type Mode, type Setup } from '../mode.js';
import type { StdioHandler } from '../stdio-turn.js';

/** A hostile behaviour in the modern era that does not depend on the channel. */
export interface ModernMode {
  readonly name: string;
  readonly summary: string;
  readonly expect: Expectation;
  /** The expectation over HTTP, where a host may know more. */
  readonly overHttp?: Expectation;
  readonly setup?: Setup;
  /** Called once for each server that is started. */
  readonly behave: () => Handlers<ModernHandler>;
}

export type ModernHandler = (turn: ModernTurn) => unknown;

/** One request from the host, over stdio or HTTP. */
export interface ModernTurn extends HostRequest {
  /** Sends the only response: a line on stdout, or an HTTP body with this status. */
  readonly tell: (text: string, status?: number) => Promise<unknown>;
  /** Opens a stream for several messages: lines on stdout, or events of an HTTP response. */
  readonly talk: () => Promise<MessageWriter>;
}

export interface MessageWriter {
  /** Resolves with false when the host is gone. */
  readonly say: (...messages: readonly string[]) => Promise<boolean>;
  /** Ends the stream; does nothing on stdout. */
  readonly end: () => Promise<unknown>;
}

export type TalkTurn = ModernTurn & MessageWriter;

/** A handler that answers with several messages. */
export function talking(handler: (turn: TalkTurn) => unknown): ModernHandler {
  return async (turn) => handler({ ...turn, ...(await turn.talk()) });
}

/** One mode over stdio, `modern-NAME`, one over HTTP, `http-modern-NAME`. No host may send `initialize` to either. */
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

function wrap<Handler>(
  { initialize, list, attack, methods = {} }: Handlers<ModernHandler>,
  adapt: (handler: ModernHandler) => Handler,
): Handlers<Handler> {
  return {
    ...(initialize && { initialize: adapt(initialize) }),
    ...(list && { list: adapt(list) }),
    ...(attack && { attack: adapt(attack) }),
    methods: Object.fromEntries(Object.entries(methods).map(([method, handler]) => [method, adapt(handler)])),
  };
}

function fromStdio(handler: ModernHandler): StdioHandler {
  return ({ id, method, params, say }) => {
    const tell: ModernTurn['tell'] = (text) => say(text);
    return handler({ id, method, params, tell, talk: async () => ({ say, end: () => Promise.resolve() }) });
  };
}

function fromHttp(handler: ModernHandler): HttpHandler {
  return ({ id, method, params, reply, stream }) => {
    const tell: ModernTurn['tell'] = (body, status = 200) =>
      reply({ status, headers: { 'Content-Type': 'application/json' }, body });
    return handler({ id, method, params, tell, talk: () => stream() });
  };
}

/** A mode without state: all servers that are started share its handlers. */
export function modernMode(
  name: string,
  summary: string,
  expect: Expectation,
  handlers: Handlers<ModernHandler>,
  setup?: Setup,
): ModernMode {
  return { name, summary, expect, ...(setup && { setup }), behave: () => handlers };
}

/** A mode over HTTP only. */
export function modernHttp(
  name: string,
  summary: string,
  expect: Expectation,
  handlers: HttpHandlers | (() => HttpHandlers),
  setup?: Setup,
): HttpMode {
  return httpMode(`http-modern-${name}`, summary, expect, handlers, { era: 'modern', ...(setup && { setup }) });
}
