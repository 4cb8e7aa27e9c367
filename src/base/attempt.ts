/** Returns what `look` returns, or `instead` when it throws. */
export function attempt<T>(look: () => T): T | undefined;
export function attempt<T, U>(look: () => T, instead: U): T | U;
export function attempt<T, U>(look: () => T, instead?: U): T | U | undefined {
  try {
    return look();
  } catch {
    return instead;
  }
}

export function succeeds(step: () => unknown): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}
