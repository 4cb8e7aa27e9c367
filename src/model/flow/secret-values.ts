import { MASK } from '../../base/secret.js';
import { maskForms } from '../redaction/redact-forms.js';
import { maskPairs } from '../redaction/redact-pairs.js';

/**
 * What looks like a credential in a text: values that a redactor would mask, without those of them that are code or
 * words, which a redactor masks to be sure. Time is linear in the text.
 */
export function secretValues(text: string): readonly string[] {
  const values = new Set<string>();
  for (const masked of maskedValues(text)) for (const value of secretsIn(masked)) values.add(value);
  return [...values].filter(({ length }) => length >= SHORTEST).flatMap(withEncoded);
}

function secretsIn({ value, before }: MaskedValue): readonly string[] {
  if (LINE_END.test(value)) return KEY_BLOCK.test(value) ? [value] : [];
  if (CODE.test(value)) return [];
  // The token of `Bearer token` and of `name=token; Path=/`.
  const [, token] = AUTHORIZATION.exec(value) ?? COOKIE.exec(value) ?? [];
  if (token !== undefined) return TOKEN_LIKE.test(token) ? [token] : [];
  if (/\s/u.test(value) || (CODE_NAME.test(value) && !LITERAL.test(before))) return [];
  if (HYPHENED.test(value) && !ASSIGNED.test(before)) return [];
  // The password of `user:password`, as in a connection string, is one without the user, too.
  const [, password] = USER_AND_PASSWORD.exec(value) ?? [];
  const runs = [...value.matchAll(RUNS)].map(([run]) => run).filter((run) => run !== value && TOKEN_LIKE.test(run));
  return [value, ...(password === undefined ? [] : [password]), ...runs];
}

const SHORTEST = 8; // characters; a shorter one would be found in ordinary words

/** A short one is not recognised as something encoded. */
function withEncoded(value: string): readonly string[] {
  if (value.length > SHORT) return [value];
  const bytes = Buffer.from(value);
  return [value, bytes.toString('base64'), bytes.toString('hex')];
}

const SHORT = 24;

const LINE_END = /[\r\n]/u;
const KEY_BLOCK = /[\w+/=]{40}/u;
/** Signs that a value of a configuration does not have, and an expression does. */
const CODE = /[(){}`<>]|\$\{|=>|&&|\|\|/u;
const AUTHORIZATION = /^(?:bearer|basic|token|digest)\s+(\S+)$/iu;
const COOKIE = /^[^\s=;,]{1,64}=([^\s;]+)(?:;.*)?$/u;
/** A name in code, or an ordinary word: a credential only where it is written as a text or for a shell. */
const CODE_NAME = /^[a-z_$][a-z_$.]*[,;]?$/iu;
const LITERAL = /["']$|[A-Z][A-Z0-9_]*=$/u;
const HYPHENED = /^[a-z]+(?:-[a-z]+)+[,;]?$/iu;
const ASSIGNED = /=["']?$/u;
const RUNS = /[\w+/=.~-]{8,}/gu;
const TOKEN_LIKE = /\d.*[a-z]|[a-z].*\d/isu;
const USER_AND_PASSWORD = /^[^\s:/]{1,64}:(\S+)$/u;

/** A value that was masked, and the end of what stands before it. */
interface MaskedValue {
  readonly value: string;
  readonly before: string;
}

function maskedValues(given: string): readonly MaskedValue[] {
  // A text that has the mask itself could not be told from a masked one.
  const text = given.replaceAll(MASK[0]!, '·');
  const masked = maskPairs(maskForms(text));
  if (masked === text) return [];
  const [first = '', ...rest] = masked.split(MASK);
  const values: MaskedValue[] = [];
  let from = first.length;
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const end = isLast ? text.length - part.length : part === '' ? from : text.indexOf(part, from);
    if (end < from) break;
    values.push({ value: text.slice(from, end), before: text.slice(Math.max(0, from - BEFORE), from) });
    from = end + part.length;
  }
  return values;
}

const BEFORE = 64;
