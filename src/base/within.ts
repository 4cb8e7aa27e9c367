import { onAbort } from './on-abort.js';

export interface WithinOptions<Instead> {
  readonly signal?: AbortSignal | undefined;
  /** Starts the timeout on the caller's clock: `(expire) => clock.after(ms, expire)`. Unlimited by default. */
  readonly deadline?: ((expire: () => void) => Disposable) | undefined;
  /** Gives the result when the signal or the deadline comes first; throws where the wait is to reject. */
  readonly instead: (why: 'aborted' | 'timeout') => Instead | PromiseLike<Instead>;
}

/** Waits for a promise until an abort or the deadline. The work goes on, and its rejection is handled. */
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
