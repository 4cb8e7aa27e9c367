import { setMaxListeners } from 'node:events';

/**
 * Lifts Node's limit of ten abort listeners on this signal. A program passes one signal to all its calls and to its
 * model client, which may leave a listener behind for each request: Node would warn from the eleventh on.
 */
export function allowListeners(signal: AbortSignal): void {
  setMaxListeners(0, signal);
}
