/** Durations in whole milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

export function percentiles(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

export function showPercentiles({ p50, p95, max }: Percentiles): string {
  return `${p50}/${p95}/${max} ms`;
}
