import { MASK, Secret } from '../base/secret.js';

/** Every secret of an entry, whatever field it stands in. */
export function secretsIn(value: unknown): Secret[] {
  if (value instanceof Secret) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretsIn) : [];
}

/** Takes them out of a text, which a server may have made of what it was told. There may be more of them by and by. */
export function redactorOf(secrets: readonly Secret[]): (text: string) => string {
  let known = -1;
  let words: readonly string[] = [];
  return (text) => {
    if (secrets.length !== known) {
      known = secrets.length;
      words = toWords(secrets);
    }
    return words.reduce((clean, word) => clean.replaceAll(word, MASK), text);
  };
}

/** "Bearer abc" is a secret, and "abc" is one. The longest first, so that none is left over in part. */
function toWords(secrets: readonly Secret[]): readonly string[] {
  const all = secrets.flatMap((secret) => [secret.reveal(), secret.reveal().replace(/^\S+ /u, '')]);
  return [...new Set(all)].filter(({ length }) => length >= SECRET_LENGTH).toSorted((a, b) => b.length - a.length);
}

const SECRET_LENGTH = 8; // shorter ones are words like "true"
