import { called, answers } from '../../../src/testing/expectation.js';
import { answer, initializeResult, success, toolList } from '../../../src/testing/healthy.js';
import { type HttpMode, httpMode, wsMode, type WsMode } from '../../../src/testing/mode.js';
import type { HttpHandlers } from '../../../src/testing/http/http-turn.js';
import type { WsHandler, WsHandlers } from '../../../src/testing/ws/ws-turn.js';

export const IS_FULL = process.env['PLUGBOARD_FULL'] !== undefined;

/** As many as the long version has; otherwise a twentieth. */
export function many(count: number): number {
  return IS_FULL ? count : Math.ceil(count / 20);
}

const NORMAL = called(answers('in time'));

/** A server of 2025-11-25 that can speak at any time. Stateless, unless `handlers` is a function. */
export function spoken(name: string, summary: string, handlers: WsHandlers | (() => WsHandlers)): WsMode {
  return wsMode(name, summary, NORMAL, handlers);
}

/** A server that attacks when its tool is called. */
export function onCall(name: string, summary: string, attack: WsHandler): WsMode {
  return spoken(name, summary, { attack });
}

/** A server of 2026-07-28. */
export function newer(name: string, summary: string, handlers: HttpHandlers | (() => HttpHandlers)): HttpMode {
  return httpMode(name, summary, NORMAL, handlers, { era: 'modern' });
}

/** Says all of this, some at a time, and then answers the call. */
export function sayingFirst(messages: (turn: Parameters<WsHandler>[0]) => readonly string[]): WsHandler {
  return async (turn) => {
    const all = messages(turn);
    for (let at = 0; at < all.length; at += AT_ONCE) await turn.say(...all.slice(at, at + AT_ONCE));
    await turn.say(answer(turn.id));
  };
}

/** Lists these after the usual tools. */
export function withTools(more: readonly unknown[]): WsHandlers {
  return { list: ({ id, say }) => say(toolList(id, more)) };
}

/** Declares this beside tools. */
export function declaring(capabilities: object, more: object = {}): WsHandlers {
  const all = { tools: { listChanged: true }, logging: {}, ...capabilities };
  return { initialize: (turn) => turn.say(initializeResult(turn, { capabilities: all, ...more })) };
}

/** Answers these methods with these results. */
export function resulting(results: Readonly<Record<string, unknown>>): NonNullable<WsHandlers['methods']> {
  return Object.fromEntries(
    Object.entries(results).map(([method, result]): [string, WsHandler] => [
      method,
      ({ id, say }) => say(success(id, result)),
    ]),
  );
}

export function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at);
}

const AT_ONCE = 200; // messages in a write
