import { MASK } from '../base/secret.js';
import { isObject } from '../transports/fields.js';
import type { RawEntry } from '../transports/kind.js';

/** An entry as it may be shown: every value that could be a secret is masked, references to variables stay. */
export function maskEntry(raw: RawEntry): RawEntry {
  return Object.fromEntries(
    Object.entries(raw).map(([field, value]): [string, unknown] => [field, maskField(field, value)]),
  );
}

function maskField(field: string, value: unknown): unknown {
  if (field === 'env' || field === 'headers') return isObject(value) ? mapValues(value, maskValue) : value;
  if (field === 'args' && Array.isArray(value)) return maskArguments(value);
  if (field === 'url' || field === 'proxyUrl') return typeof value === 'string' ? maskUrl(value) : value;
  if (field === 'headersHelper' && typeof value === 'string') return maskArguments(value.split(' ')).join(' ');
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, isSecretName(key) ? maskValue(inner) : inner]),
    );
  if (isSecretName(field)) return maskValue(value);
  return typeof value === 'string' ? maskTokens(value) : value;
}

/** `Bearer ${TOKEN}` tells nothing and stays; a default may be the secret itself. */
function maskValue(value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return value;
  const withoutDefaults = value.replace(/(\$\{[A-Za-z_][A-Za-z0-9_]*):-[^}]+\}/gu, `$1:-${MASK}}`);
  const literal = withoutDefaults
    .replace(/\$\{[^}]*\}/gu, '')
    .replace(/^(?:Bearer|Basic|Token)\s+/iu, '')
    .trim();
  return literal === '' ? withoutDefaults : MASK;
}

/** The value behind `--api-key`, in `--token=x`, or one that looks like a token by itself. */
export function maskArguments(args: readonly unknown[]): unknown[] {
  let hideNext = false;
  return args.map((argument) => {
    if (typeof argument !== 'string') return argument;
    const hide = hideNext;
    const flag = /^(--?[A-Za-z0-9_-]+)(=)?/u.exec(argument);
    hideNext = flag !== null && flag[2] === undefined && isSecretName(flag[1]!);
    if (hide && !flag) return maskValue(argument);
    if (flag?.[2] !== undefined && isSecretName(flag[1]!)) {
      return `${flag[1]}=${String(maskValue(argument.slice(flag[0].length)))}`;
    }
    const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/su.exec(argument);
    if (assignment && isSecretName(assignment[1]!)) return `${assignment[1]}=${String(maskValue(assignment[2]))}`;
    return /^[a-z][a-z0-9+.-]*:\/\//iu.test(argument) ? maskUrl(argument) : maskTokens(argument);
  });
}

/** The password of a user, parameters with a telling name, and path parts that are keys by their looks. */
export function maskUrl(url: string): string {
  return maskTokens(
    url
      .replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/?#@]*)@/iu, `$1${MASK}@`)
      .replace(/([?&;][^=&#]*=)([^&#]*)/gu, (whole, name: string, value: string) =>
        isSecretName(name) ? name + String(maskValue(value)) : whole,
      )
      .replace(/(?<=\/)[A-Za-z0-9_-]{24,}(?=[/?#]|$)/gu, (part) =>
        /\d/u.test(part) && /[A-Za-z]/u.test(part) ? MASK : part,
      ),
  );
}

/** Tokens that give themselves away by the form their issuer chose, wherever they stand. */
export function maskTokens(text: string): string {
  return text.replace(
    /\b(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|xox[abposr]-[A-Za-z0-9-]{10,}|glpat-[A-Za-z0-9_-]{16,}|AKIA[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*)/gu,
    MASK,
  );
}

function isSecretName(name: string): boolean {
  return /key|token|secret|passw|passphrase|pwd|auth|credential|cookie|session|signature|\bdsn\b|database.?url|connection.?string/iu.test(
    name,
  );
}

function mapValues(record: RawEntry, map: (value: unknown) => unknown): RawEntry {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
