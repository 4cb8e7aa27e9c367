/** A number of tokens in few letters: 950, 1.2k, 30k, 1.5M. All counts are estimates. */
export function tokenText(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 9_950) return `${(count / 1_000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}
