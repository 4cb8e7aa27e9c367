/** A bit for each letter of a word, and its length in the highest bits: a cheap test that rules out most words. */
export function toLetters(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << ((word.charCodeAt(at) & 31) % LENGTH_BIT);
  return letters | (Math.min(word.length, LONGEST) << LENGTH_BIT);
}

/** Indexes of words that may be within the edits, by `toLetters`: an edit removes and adds at most one letter. */
export function mayBeWithin(all: Int32Array, word: number, edits: number): readonly number[] {
  const found: number[] = [];
  const length = word >>> LENGTH_BIT;
  for (let at = 0; at < all.length; at++) {
    const has = all[at]!;
    const longer = (has >>> LENGTH_BIT) - length;
    if (longer > edits || longer < -edits) continue;
    // Clears the lowest bit.
    let more = has & ~word & LETTERS;
    let fewer = word & ~has & LETTERS;
    more &= more - 1;
    fewer &= fewer - 1;
    if ((more | fewer) === 0 || (edits > 1 && ((more & (more - 1)) | (fewer & (fewer - 1))) === 0)) found.push(at);
  }
  return found;
}

/**
 * Whether `edits` edits turn one word into the other; swapping neighbours counts as one. Compares while they agree and
 * tries every edit where they do not: for two edits this is faster than a table of distances.
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
