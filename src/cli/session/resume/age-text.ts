/** How long ago something was, in the largest unit that fits: `3 min ago`. */
export function ageText(ms: number): string {
  const [count, unit] = UNITS.map(([size, name]) => [Math.floor(ms / size), name] as const).find(([n]) => n > 0) ?? [];
  if (count === undefined) return 'just now';
  return `${count} ${unit}${count === 1 || unit === 'min' || unit === 'h' ? '' : 's'} ago`;
}

const MINUTE_MS = 60_000;
const UNITS = [
  [86_400_000, 'day'],
  [60 * MINUTE_MS, 'h'],
  [MINUTE_MS, 'min'],
] as const;
