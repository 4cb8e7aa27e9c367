/** Sends `count` messages, 1,000 per write, so that few are in memory. Resolves with false when the host is gone. */
export async function flood<Part>(
  send: (...parts: readonly Part[]) => Promise<boolean>,
  count: number,
  part: (index: number) => Part,
): Promise<boolean> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const parts = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => part(from + index));
    if (!(await send(...parts))) return false;
  }
  return true;
}

const AT_ONCE = 1000;
