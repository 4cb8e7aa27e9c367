/** Which letters a word has, and in the highest bits how long it is: most words are ruled out by one look at it. */
export function toLetters(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << ((word.charCodeAt(at) & 31) % LENGTH_BIT);
  return letters | (Math.min(word.length, LONGEST) << LENGTH_BIT);
}

/** Which of them may be so close to a word, by what toLetters says: an edit, of one or two, takes away one letter at most and brings one at most. */
export function mayBeWithin(all: Int32Array, word: number, edits: number): readonly number[] {
  const found: number[] = [];
  const length = word >>> LENGTH_BIT;
  for (let at = 0; at < all.length; at++) {
    const has = all[at]!;
    const longer = (has >>> LENGTH_BIT) - length;
    if (longer > edits || longer < -edits) continue;
    // All bits but the lowest one.
    let more = has & ~word & LETTERS;
    let fewer = word & ~has & LETTERS;
    more &= more - 1;
    fewer &= fewer - 1;
    if ((more | fewer) === 0 || (edits > 1 && ((more & (more - 1)) | (fewer & (fewer - 1))) === 0)) found.push(at);
  }
  return found;
}

/**
 * Whether so many edits make one word of the other, a swap of neighbours being one. Goes along both while they agree and tries every
 * edit where they do not: with two edits that is faster than a table of distances.
 */
export function isWithinEdits(a: string, b: string, edits: number): boolean {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (Math.abs(a.length - b.length) > edits) return false;
  if (Math.max(a.length, b.length) - at <= edits) return true;
  if (edits === 0) return false;
  const goOn = (stepA: number, stepB: number): boolean =>
    isWithinEdits(a.slice(at + stepA), b.slice(at + stepB), edits - 1);
  const isSwapped = a[at] === b[at + 1] && a[at + 1] === b[at];
  return goOn(1, 1) || goOn(1, 0) || goOn(0, 1) || (isSwapped && goOn(2, 2));
}

const LENGTH_BIT = 27;
const LONGEST = 31;
const LETTERS = (1 << LENGTH_BIT) - 1;
