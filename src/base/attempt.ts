/** What a look gives, or `instead` when it throws: where a failure tells as much as an answer. */
export function attempt<T>(look: () => T): T | undefined;
export function attempt<T, U>(look: () => T, instead: U): T | U;
export function attempt<T, U>(look: () => T, instead?: U): T | U | undefined {
  try {
    return look();
  } catch {
    return instead;
  }
}

/** Whether a step goes through without throwing. */
export function succeeds(step: () => unknown): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}
