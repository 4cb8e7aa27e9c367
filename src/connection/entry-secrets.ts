import { Secret } from '../base/secret.js';
import { secretsInArguments } from '../model/redaction/mask-arguments.js';
import { isPlainPath } from '../model/redaction/plain-path.js';
import { secretWords, withoutWords } from '../model/redaction/secret-words.js';

/**
 * All secrets of an entry. Every variable and header is a `Secret`, but a plain word such as `NODE_ENV=production` and
 * the path of a file are left out, because tool descriptions and results may contain them, unless the field's name
 * suggests a credential.
 */
export function entrySecrets(value: unknown, name = ''): Secret[] {
  if (value instanceof Secret) return isPlain(value, name) ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => entrySecrets(one, key));
}

/** The secrets among the arguments of an entry's command: `--password x`. */
export function argumentSecretsOf(config: object): readonly Secret[] {
  const { command, args } = config as { readonly command?: unknown; readonly args?: unknown };
  if (typeof command !== 'string' || !Array.isArray(args)) return [];
  const words = args.filter((word): word is string => typeof word === 'string');
  return secretsInArguments(words, command).map((value) => new Secret(value));
}

function isPlain(secret: Secret, name: string): boolean {
  const text = secret.reveal();
  if (TELLING.test(name)) return false;
  if (PLAIN.test(text)) return true;
  // A path may be one that only its owner knows.
  return isPlainPath(text) && !TELLING_WORD.test(name.replaceAll(/([a-z0-9])([A-Z])/gu, '$1_$2'));
}

const PLAIN = /^[A-Za-z][A-Za-z -]{0,29}$/;

const TELLING =
  /key|token|secret|pass|pwd|auth|cred|cookie|session|private|signature|login|bearer|mnemonic|webhook|jwt/i;
/** Too short to be looked for inside other words: `PATH`, `SPATIAL` and `MAPPING` tell of none. */
const TELLING_WORD =
  /(?:^|[^a-z])(?:pin|pat|[ht]?otp|seed|salt|dsn|access|conn(?:ection)?(?:str(?:ing)?)?)s?(?:[^a-z]|$)/i;

/** Returns a function that removes these secrets from server text. `secrets` may grow later. */
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
