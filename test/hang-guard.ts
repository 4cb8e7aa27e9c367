/**
 * How long a test waits for an event, in ms. It only ends a test that hangs: many times what the slowest event takes on
 * a busy machine, so that no test depends on the speed of its machine.
 */
export const HANG_GUARD_MS = 300_000;

/** Polls `look` until it returns something. On a timeout `show` describes the last state for the error. */
export async function untilFound<Found>(
  look: () => Found | undefined | Promise<Found | undefined>,
  { show = () => '', everyMs = 10 }: { readonly show?: () => string; readonly everyMs?: number } = {},
): Promise<Found> {
  const deadline = performance.now() + HANG_GUARD_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`It never was so: ${show()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
