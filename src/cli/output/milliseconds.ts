/** A number of milliseconds from a flag or a variable; undefined for anything else. */
export function toMs(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/u.test(text) ? Number(text) : undefined;
}
