/**
 * CPU time that something takes, in ms, the least of several times: what other programs do on the same machine meanwhile is not in it, and
 * what this process does once, such as compiling, is not either.
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
 * Whether eight times as much costs far more than eight times the CPU time. What is over in a moment is not looked at: a cost that grows
 * with the square of a length of hundreds of thousands takes minutes.
 */
export function isSteep(run: (length: number) => unknown, length = 400_000): boolean {
  if (cpuMs(() => run(length), 1) < MOMENT_MS) return false;
  const [short, long] = [length / 8, length].map((one) => cpuMs(() => run(one)));
  return long! > short! * STEEP;
}

const MOMENT_MS = 500;
const STEEP = 30; // 8 for what grows with the length, 64 with its square
