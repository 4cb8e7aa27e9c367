import type { ServerResponse } from 'node:http';
import { systemClock } from '../../edge/clock.js';

/**
 * Ends a response, with its last text, though the client may still send its request. If the connection were closed at
 * once, the system would reset it, and the client would fail at its next write without having read the answer. What
 * still comes is thrown away for a moment. The head of the response has its length.
 */
export function endWhileSending(response: ServerResponse, text: string): void {
  const { req } = response;
  if (req.complete) return void response.end(text);
  response.write(text);
  const end = (): void => {
    ending[Symbol.dispose]();
    response.end();
  };
  const ending = systemClock.after(LINGER_MS, end);
  req.once('end', end);
  response.once('close', () => ending[Symbol.dispose]());
  req.resume();
  return undefined;
}

const LINGER_MS = 1_000;
