import { setMaxListeners } from 'node:events';

/**
 * For the signal of a caller, who may give the same one to many calls and to libraries of its own. Ours share one listener (`onAbort`),
 * which must not be the eleventh, of which Node warns.
 */
export function allowListeners(signal: AbortSignal | undefined): void {
  if (signal) setMaxListeners(0, signal);
}
