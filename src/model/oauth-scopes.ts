// https://www.rfc-editor.org/rfc/rfc6749#section-3.3

/** The valid OAuth scopes among these words, without duplicates, `SCOPE_COUNT` at most. */
export function toScopes(words: Iterable<unknown>): readonly string[] {
  const scopes = new Set<string>();
  let seen = 0;
  for (const word of words) {
    if (scopes.size >= SCOPE_COUNT || ++seen > WORDS_READ) break;
    if (typeof word === 'string' && word.length <= SCOPE_LENGTH && SCOPE.test(word)) scopes.add(word);
  }
  return [...scopes];
}

/** Splits a space-separated list of scopes. */
export function splitScopes(text: string): readonly string[] {
  return toScopes(text.slice(0, TEXT_READ).split(' '));
}

const SCOPE_COUNT = 100;
const SCOPE_LENGTH = 200;
const WORDS_READ = 10_000;
const TEXT_READ = 65_536;
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/u;
