import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStream } from '../http/event-stream.js';
import { FORGED } from '../expectation.js';
import { answer } from '../healthy.js';
import type { Headers, HttpHandler, HttpTurn } from '../http/http-turn.js';
import { pour } from '../write.js';

/** A request whose answer is a stream of events that has begun. */
export interface StreamingTurn extends HttpTurn {
  readonly events: EventStream;
  /** Messages, an event each. */
  readonly say: EventStream['say'];
}

/** Begins a stream of events and does this with it. */
export function streaming(handler: (turn: StreamingTurn) => unknown, headers: Headers = {}): HttpHandler {
  return async (turn) => {
    const events = await turn.stream(headers);
    return handler({ ...turn, events, say: events.say });
  };
}

/** The same, and the stream ends then, in good order. */
export function streamed(handler: (turn: StreamingTurn) => unknown, headers: Headers = {}): HttpHandler {
  return streaming(async (turn) => {
    await handler(turn);
    await turn.events.end();
  }, headers);
}

/** Begins a line and never ends it. */
export const endlessLine: HttpHandler = streaming(async ({ events }) => {
  await events.text('data: ');
  await pour(events.text, 'x', Infinity);
});

/** Answers requests that nobody has made, as long as somebody listens. */
export const forgedAnswers: HttpHandler = streaming(async ({ say }) => {
  for (let id = 0; await say(answer(id % 1000, FORGED)); id++) await sleep(1);
});
