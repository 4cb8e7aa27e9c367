import { setMaxListeners } from 'node:events';

/** One signal for many calls and servers is how it should be; node would warn from the eleventh on. */
export function allowListeners(signal: AbortSignal): void {
  setMaxListeners(0, signal);
}
