import { Secret } from '../base/secret.js';
import { secretWords, withoutWords } from '../model/secret-words.js';

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
      words = secretWords(secrets.map((secret) => secret.reveal()));
    }
    return withoutWords(text, words);
  };
}
