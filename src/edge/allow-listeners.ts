import { setMaxListeners } from 'node:events';

/**
 * A program gives one signal to all its calls, and to the client of its model, which may leave a listener behind for each request: node
 * would warn from the eleventh on.
 */
export function allowListeners(signal: AbortSignal): void {
  setMaxListeners(0, signal);
}
