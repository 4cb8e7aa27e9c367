import { Secret } from '../base/secret.js';
import { secretWords, withoutWords } from '../model/redaction/secret-words.js';

/**
 * Every secret of an entry, whatever field it stands in. All variables and headers are kept as if they were secrets; one that is
 * called `NODE_ENV` and says `production` is none, and a tool's description may say that word.
 */
export function entrySecrets(value: unknown, name = ''): Secret[] {
  if (value instanceof Secret) return isPlain(value) && !TELLING.test(name) ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => entrySecrets(one, key));
}

function isPlain(secret: Secret): boolean {
  return PLAIN.test(secret.reveal());
}

const PLAIN = /^[A-Za-z][A-Za-z -]{0,29}$/;
const TELLING = /key|token|secret|pass|pwd|auth|cred|cookie|session|private|signature|login|bearer/i;

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
