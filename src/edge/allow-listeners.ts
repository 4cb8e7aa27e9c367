import { setMaxListeners } from 'node:events';

/** One signal for many calls is how it should be; node would warn from the eleventh listener on. */
export function allowListeners(signal: AbortSignal): void {
  setMaxListeners(0, signal);
}
