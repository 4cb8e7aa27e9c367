export function median(values) {
  return quantile(values, 0.5);
}

export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)];
  return below + (sorted[Math.ceil(at)] - below) * (at % 1);
}

/** The median and the middle half: what lies outside is mostly due to other work on a shared machine. */
export function summarize(values) {
  return { median: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75), count: values.length };
}
