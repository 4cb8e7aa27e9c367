import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStream } from '../http/event-stream.js';
import { FORGED } from '../expectation.js';
import { answer } from '../healthy.js';
import type { Headers, HttpHandler, HttpTurn } from '../http/http-turn.js';
import { pour } from '../write.js';

/** A request that is being answered with a stream of events. */
export interface StreamingTurn extends HttpTurn {
  readonly events: EventStream;
  /** Sends each message as an event. */
  readonly say: EventStream['say'];
}

/** Opens a stream of events and runs `handler` on it. */
export function streaming(handler: (turn: StreamingTurn) => unknown, headers: Headers = {}): HttpHandler {
  return async (turn) => {
    const events = await turn.stream(headers);
    return handler({ ...turn, events, say: events.say });
  };
}

/** Like `streaming`, and ends the stream properly after `handler`. */
export function streamed(handler: (turn: StreamingTurn) => unknown, headers: Headers = {}): HttpHandler {
  return streaming(async (turn) => {
    await handler(turn);
    await turn.events.end();
  }, headers);
}

/** Begins a line of an event and never ends it. */
export const endlessLine: HttpHandler = streaming(async ({ events }) => {
  await events.text('data: ');
  await pour(events.text, 'x', Infinity);
});

/** Sends responses to requests that the host never made, until the host disconnects. */
export const forgedAnswers: HttpHandler = streaming(async ({ say }) => {
  for (let id = 0; await say(answer(id % 1000, FORGED)); id++) await sleep(1);
});
