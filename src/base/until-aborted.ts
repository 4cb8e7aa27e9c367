/** What a promise comes to, or `instead` when the signal aborts first: the work itself goes on for others. */
export function untilAborted<T, U>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  instead: () => U,
): Promise<T | U> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(instead());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    // Also of what nobody waits for any more: a rejection that is not heard ends the program.
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
