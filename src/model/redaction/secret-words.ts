import { MASK } from '../../base/secret.js';

/** The words to remove from a text for these secrets: of "Bearer abc" the whole and "abc". Longest first. */
export function secretWords(secrets: readonly string[]): readonly string[] {
  const all = secrets.flatMap((secret) => [secret, secret.replace(/^\S+ /u, '')]);
  return [...new Set(all)].filter(({ length }) => length >= SHORTEST).toSorted((a, b) => b.length - a.length);
}

export function withoutWords(text: string, words: readonly string[]): string {
  return words.reduce((clean, word) => clean.replaceAll(word, MASK), text);
}

const SHORTEST = 8; // shorter ones are ordinary words like "true"
