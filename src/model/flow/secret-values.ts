import { MASK } from '../../base/secret.js';
import { maskForms } from '../redaction/redact-forms.js';
import { maskPairs } from '../redaction/redact-pairs.js';

/** What looks like a credential in a text: the values that a redactor would mask. Time is linear in the text. */
export function secretValues(text: string): readonly string[] {
  const values = new Set<string>();
  for (const value of maskedValues(text)) {
    values.add(value);
    // The password of `user:password`, as in a connection string, is one without the user, too.
    const [, password] = USER_AND_PASSWORD.exec(value) ?? [];
    if (password !== undefined) values.add(password);
    // So is the token of `Bearer token` and of `name=token; Path=/`.
    for (const [run] of value.matchAll(RUNS)) if (run !== value && TOKEN_LIKE.test(run)) values.add(run);
  }
  return [...values].filter(({ length }) => length >= SHORTEST).flatMap(withEncoded);
}

const SHORTEST = 8; // characters; a shorter one would be found in ordinary words

/** A short one is not recognised as something encoded. */
function withEncoded(value: string): readonly string[] {
  if (value.length > SHORT) return [value];
  const bytes = Buffer.from(value);
  return [value, bytes.toString('base64'), bytes.toString('hex')];
}

const SHORT = 24;

const RUNS = /[\w+/=.~-]{8,}/gu;
const TOKEN_LIKE = /\d.*[a-z]|[a-z].*\d|.{20}/isu;
const USER_AND_PASSWORD = /^[^\s:/]{1,64}:(\S+)$/u;

function maskedValues(given: string): readonly string[] {
  // A text that has the mask itself could not be told from a masked one.
  const text = given.replaceAll(MASK[0]!, '·');
  const masked = maskPairs(maskForms(text));
  if (masked === text) return [];
  const [first = '', ...rest] = masked.split(MASK);
  const values: string[] = [];
  let from = first.length;
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const end = isLast ? text.length - part.length : part === '' ? from : text.indexOf(part, from);
    if (end < from) break;
    values.push(text.slice(from, end));
    from = end + part.length;
  }
  return values;
}
