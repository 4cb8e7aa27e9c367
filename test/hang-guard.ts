/**
 * How long a test waits for something that comes, in ms. It only ends a test that hangs: it is many times what the slowest of these things
 * takes on a machine that is busy with other work, so that no test depends on how fast its machine is.
 */
export const HANG_GUARD_MS = 300_000;

/** Asks again and again until there is something. `show` says what there was instead, when it never came. */
export async function untilFound<Found>(
  look: () => Found | undefined,
  { show = () => '', everyMs = 10 }: { readonly show?: () => string; readonly everyMs?: number } = {},
): Promise<Found> {
  const deadline = performance.now() + HANG_GUARD_MS;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`It never was so: ${show()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
