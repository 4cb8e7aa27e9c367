/** A number of milliseconds, as a flag or a variable says it; anything else is as if it were not there. */
export function toMs(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/u.test(text) ? Number(text) : undefined;
}
