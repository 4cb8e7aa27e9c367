import { within } from './within.js';

export interface PauseOptions {
  readonly clock: { after(ms: number, run: () => void): Disposable };
  readonly signal?: AbortSignal | undefined;
}

/** Resolves after `ms` or on abort; never rejects. Keeps the process alive only if the clock's timers do. */
export function pause(ms: number, { clock, signal }: PauseOptions): Promise<void> {
  return within(new Promise<never>(() => {}), {
    signal,
    deadline: (expire) => clock.after(ms, expire),
    instead: () => undefined,
  });
}
