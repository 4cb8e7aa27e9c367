import { within } from './within.js';

export interface PauseOptions {
  readonly clock: { after(ms: number, run: () => void): Disposable };
  readonly signal?: AbortSignal | undefined;
}

/** Resolves that much later, or when the signal aborts; never rejects. Keeps a program alive no more than the clock's timers do. */
export function pause(ms: number, { clock, signal }: PauseOptions): Promise<void> {
  return within(new Promise<never>(() => {}), {
    signal,
    deadline: (expire) => clock.after(ms, expire),
    instead: () => undefined,
  });
}
