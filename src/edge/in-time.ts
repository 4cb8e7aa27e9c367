import type { Clock } from '../model/clock.js';

/** What a promise comes to, or `instead` when that takes longer: the work itself goes on for others, and has to keep the program alive. */
export async function inTime<T, U>(
  clock: Clock,
  ms: number,
  { work, instead }: { readonly work: Promise<T>; readonly instead: () => U },
): Promise<T | U> {
  let timer: Disposable | undefined;
  const late = new Promise<U>((resolve) => {
    timer = clock.after(ms, () => resolve(instead()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.[Symbol.dispose]();
  }
}
