import { MASK } from '../../base/secret.js';

/** What has to be taken out of a text for these secrets not to be in it: "Bearer abc" is one, and "abc" is one. Longest first. */
export function secretWords(secrets: readonly string[]): readonly string[] {
  const all = secrets.flatMap((secret) => [secret, secret.replace(/^\S+ /u, '')]);
  return [...new Set(all)].filter(({ length }) => length >= SHORTEST).toSorted((a, b) => b.length - a.length);
}

export function withoutWords(text: string, words: readonly string[]): string {
  return words.reduce((clean, word) => clean.replaceAll(word, MASK), text);
}

const SHORTEST = 8; // shorter ones are words like "true"
