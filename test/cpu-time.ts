/**
 * CPU time of `run` in ms, the least of several runs: without what other programs do on the machine, and without
 * one-time work such as compiling.
 */
export function cpuMs(run: () => unknown, times = 3): number {
  let least = Infinity;
  for (let at = 0; at < times; at++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

/**
 * Whether eight times the length costs far more than eight times the CPU time. A short run counts as not steep: a
 * quadratic cost at hundreds of thousands of characters takes minutes.
 */
export function isSteep(run: (length: number) => unknown, length = 400_000): boolean {
  if (cpuMs(() => run(length), 1) < MOMENT_MS) return false;
  const [short, long] = [length / 8, length].map((one) => cpuMs(() => run(one)));
  return long! > short! * STEEP;
}

const MOMENT_MS = 500;
const STEEP = 30; // 8 for linear, 64 for quadratic cost
