import { MASK, Secret } from '../base/secret.js';

/** Every secret of an entry, whatever field it stands in. */
export function secretsIn(value: unknown): Secret[] {
  if (value instanceof Secret) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretsIn) : [];
}

/** Takes them out of a text, which a server may have made of what it was told; undefined where there are none. */
export function redactorOf(secrets: readonly Secret[]): ((text: string) => string) | undefined {
  // "Bearer abc" is a secret, and "abc" is one.
  const all = secrets.flatMap((secret) => [secret.reveal(), secret.reveal().replace(/^\S+ /u, '')]);
  const long = [...new Set(all)]
    .filter(({ length }) => length >= SECRET_LENGTH)
    .toSorted((a, b) => b.length - a.length);
  if (long.length === 0) return undefined;
  return (text) => long.reduce((clean, secret) => clean.replaceAll(secret, MASK), text);
}

const SECRET_LENGTH = 8; // shorter ones are words like "true"
