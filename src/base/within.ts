import { onAbort } from './on-abort.js';

export interface WithinOptions<Instead> {
  readonly signal?: AbortSignal | undefined;
  /** Starts the time, on a clock that the caller has: `(expire) => clock.after(ms, expire)`. Without one the time is unlimited. */
  readonly deadline?: ((expire: () => void) => Disposable) | undefined;
  /** What the wait comes to when the signal or the deadline is first; it throws where the wait is to reject. */
  readonly instead: (why: 'aborted' | 'timeout') => Instead | PromiseLike<Instead>;
}

/** Waits for a promise no longer than the signal and the deadline allow. The work itself goes on for others, and its rejection is heard. */
export function within<Value, Instead>(
  work: Promise<Value>,
  { signal, deadline, instead }: WithinOptions<Instead>,
): Promise<Value | Instead> {
  if (!signal && !deadline) return work;
  return new Promise((resolve, reject) => {
    let listening: Disposable | undefined;
    let timer: Disposable | undefined;
    const leave = (): void => {
      listening?.[Symbol.dispose]();
      timer?.[Symbol.dispose]();
    };
    const giveUp = (why: 'aborted' | 'timeout'): void => {
      leave();
      try {
        resolve(instead(why));
      } catch (error) {
        reject(error);
      }
    };
    work.then(
      (value) => (leave(), resolve(value)),
      (error: unknown) => (leave(), reject(error)),
    );
    if (signal?.aborted === true) return giveUp('aborted');
    listening = onAbort(signal, () => giveUp('aborted'));
    timer = deadline?.(() => giveUp('timeout'));
  });
}
