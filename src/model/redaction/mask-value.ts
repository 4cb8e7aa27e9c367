import { isObject } from '../../base/json.js';
import { MASK } from '../../base/secret.js';
import { maskWebhooks } from './redact-forms.js';

/** Masks every value of `env` and `headers`, whatever its shape. */
export function maskAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskAll);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, maskAll(inner)]));
  return typeof value === 'number' ? MASK : typeof value === 'string' ? maskValue(value) : value;
}

/** `Bearer ${TOKEN}` contains no secret and stays; a variable's default may be one. */
export function maskValue(value: string): string {
  const withoutDefaults = value.replaceAll(/(\$\{[A-Za-z_][A-Za-z0-9_]*):-[^}$]+\}/gu, `$1:-${MASK}}`);
  const literal = withoutDefaults
    .replaceAll(/\$\{(?:input:[\w.-]+|(?:env:)?[A-Za-z_]\w*(?::-•*)?)\}/gu, '')
    .replace(/^(?:Bearer|Basic|Token)\s+/iu, '')
    .trim();
  return literal === '' ? withoutDefaults : MASK;
}

/** Masks tokens that are recognisable by their issuer's format, anywhere in a text. */
export function maskTokens(text: string): string {
  return maskWebhooks(text)
    .replaceAll(TOKENS, MASK)
    .replaceAll(/\b(Bearer|Basic)(\s+)[\w.~+/=-]{8,}/giu, `$1$2${MASK}`);
}

const TOKENS = new RegExp(
  [
    String.raw`sk-[\w-]{16,}`, // OpenAI, Anthropic, OpenRouter
    String.raw`(?:sk|rk|pk)_(?:live|test)_\w{10,}`, // Stripe
    String.raw`whsec_[\w+/=]{16,}`,
    String.raw`gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}`,
    String.raw`xox[abeposr]-[\w-]{10,}|xapp-[\w-]{10,}`, // Slack
    String.raw`gl(?:pat|ptt|dt|rt|cbt)-[\w-]{16,}`, // GitLab
    String.raw`A(?:KIA|SIA)[A-Z0-9]{16}`, // AWS
    String.raw`AIza[\w-]{30,}|ya29\.[\w-]{10,}|GOCSPX-[\w-]{10,}`, // Google
    String.raw`(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*`, // a JSON Web Token; the lookbehind keeps `eyJ-eyJ-` linear
    String.raw`(?:hf|npm|gsk|ntn|secret|r8|figd|sbp|pypi|nvapi|tvly|lin_api|dop_v1|shp(?:at|ss|ca))[_-](?=\w*\d)[\w-]{20,}`,
    String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`, // SendGrid
    String.raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{32,}`, // Airtable
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
  ]
    .map((form) => (form.startsWith('-') ? form : String.raw`\b(?:${form})`))
    .join('|'),
  'gu',
);

/** Matches more than redact-text.ts: an entry that is shown may hide too much, but never too little. */
export function isSecretName(name: string): boolean {
  if (/^-*(?:no|max)[-_]/iu.test(name)) return false; // `--no-auth`, `--max-tokens`
  return /key|token|secret|passw|passphrase|pwd|auth|bearer|jwt|credential|cookie|session|signature|database.?url|connection.?string|(?:^|[^a-z])(?:pass|dsn|sig|pat)(?:[^a-z]|$)/iu.test(
    name,
  );
}

/** Whether a text looks generated: letters and digits without a word. Names, versions and dates do not. */
export function looksRandom(text: string): boolean {
  if (/^[\w=:~-]{24,}$/u.test(text) && /\d/u.test(text) && /[A-Za-z]/u.test(text)) return true;
  return text.split(/[-_.~:=+%]+/u).some((piece) => {
    const digits = piece.match(/\d+/gu)?.length ?? 0;
    if (!/^[A-Za-z0-9]+$/u.test(piece) || /^\d+$/u.test(piece)) return false;
    return (digits > 1 && piece.length >= 8) || (digits > 0 && piece.length >= 16) || piece.length >= 32;
  });
}
