import { MASK } from '../base/secret.js';
import { isObject } from '../base/json.js';
import { isHost } from '../model/connection-headers.js';
import type { RawEntry } from '../transports/kind.js';

/** An entry as it may be shown: every value that could be a secret is masked, references to variables stay. */
export function maskEntry(raw: RawEntry): RawEntry {
  return mapFields(raw, (value, field) => {
    const name = field.toLowerCase();
    if (headerFields.includes(name)) return maskHeaders(value);
    if (secretFields.includes(name)) return maskAll(value);
    return field === 'args' && Array.isArray(value) ? maskArguments(value) : maskNamed(value, field);
  });
}

/** Whether a literal secret stands in an entry: masking knows what could be one, and would change it. */
export function holdsSecret(raw: RawEntry): boolean {
  const { env, ...rest } = raw;
  if (JSON.stringify(maskEntry(rest)) !== JSON.stringify(rest)) return true;
  // Every value of env is masked when shown; here only a name or a look that says "secret" counts.
  return isObject(env) && JSON.stringify(maskNamed(env, 'env')) !== JSON.stringify(env);
}

/** `env` and `headers`, in whatever words and case someone wrote them. */
const secretFields = ['env', 'environment', 'envs', 'requestinit'];
const headerFields = ['headers', 'http_headers', 'httpheaders'];

/** Where a request goes has to be seen, and is no secret. */
function maskHeaders(value: unknown): unknown {
  if (!isObject(value)) return maskAll(value);
  return mapFields(value, (inner, name) => (isHost(name) && typeof inner === 'string' ? inner : maskAll(inner)));
}

/** Settings and fields of any shape: what its name, or the name of what it is in, gives away as a secret. */
export function maskNamed(value: unknown, name: string): unknown {
  if (isSecretName(name) && !openNames.includes(name)) return maskAll(value);
  if (typeof value === 'string') return maskInline(value);
  if (Array.isArray(value)) return value.map((element) => maskNamed(element, name));
  return isObject(value) ? mapFields(value, maskNamed) : value;
}

/** Fields with a telling name and nothing to hide by themselves. */
const openNames = ['oauth', 'authServerMetadataUrl'];

/** In `env` and `headers` everything is taken for a secret, in whatever form someone wrote it. */
function maskAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskAll);
  if (isObject(value)) return mapFields(value, maskAll);
  return typeof value === 'number' ? MASK : typeof value === 'string' ? maskValue(value) : value;
}

/** `Bearer ${TOKEN}` tells nothing and stays; a default may be the secret itself. */
function maskValue(value: string): string {
  const withoutDefaults = value.replaceAll(/(\$\{[A-Za-z_][A-Za-z0-9_]*):-[^}$]+\}/gu, `$1:-${MASK}}`);
  const literal = withoutDefaults
    .replaceAll(/\$\{(?:input:[\w.-]+|(?:env:)?[A-Za-z_]\w*(?::-•*)?)\}/gu, '')
    .replace(/^(?:Bearer|Basic|Token)\s+/iu, '')
    .trim();
  return literal === '' ? withoutDefaults : MASK;
}

/** The value behind `--api-key`, in `--token=x`, in `X-Api-Key: x`, or one that looks like a token by itself. */
export function maskArguments(args: readonly unknown[]): unknown[] {
  let hideNext = false;
  return args.map((argument) => {
    if (typeof argument !== 'string') return typeof argument === 'object' ? maskAll(argument) : argument;
    const hide = hideNext;
    const flag = /^(--?[A-Za-z0-9_-]+)(=)?/u.exec(argument);
    hideNext = flag !== null && flag[0] === argument && isSecretName(flag[1]!);
    // A key may well begin with a dash; a flag behind a flag is `-x` or `--word`.
    if (hide && !/^(?:-\w|--[a-z][\w-]*(?:=.*)?)$/su.test(argument)) return maskValue(argument);
    const start = flag?.[2] === undefined ? '' : flag[0];
    return start !== '' && isSecretName(start) ? start + maskValue(argument.slice(start.length)) : maskInline(argument);
  });
}

/** A text in which secrets may stand anywhere: a shell command, JSON, a header, a URL among other words. */
function maskInline(text: string): string {
  // Each of the patterns below asks for one of these; most arguments have none, and compiling the patterns takes 4 ms.
  if (!/[:=\s]/u.test(text)) return maskTokens(text);
  const pairs = text
    .replaceAll(/(?<![\w+.-])[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>]+/giu, maskUrlParts)
    .replaceAll(/(["'])([^"'\\]*)\1(\s*:\s*)(["'])((?:\\.|(?!\4)[^\\])*)\4/gsu, (whole, quote, name, colon, _, value) =>
      isSecretName(name) ? `${quote}${name}${quote}${colon}${quote}${maskValue(value)}${quote}` : whole,
    )
    .replaceAll(/\\"([^"\\]*)\\"(\s*:\s*)\\"([^"\\]*)\\"/gu, (whole, name, colon, value) =>
      isSecretName(name) ? `\\"${name}\\"${colon}\\"${maskValue(value)}\\"` : whole,
    )
    .replaceAll(
      /(?<![\w-])((?:--?[\w-]{1,64}=)?)([\w-]{1,64})=("[^"]*"|'[^']*'|[^\s"'&;]+)/gu,
      (whole, flag, name, value) => (isSecretName(name) ? `${flag}${name}=${maskValue(value)}` : whole),
    )
    .replaceAll(/(?<![\w-])(--[\w-]{1,64})(\s+)([^\s"'-][^\s"']*)/gu, (whole, name, blank, value) =>
      isSecretName(name) ? name + blank + maskValue(value) : whole,
    )
    .replaceAll(/(?<![\w-])([A-Za-z][\w-]{0,64})(:\s+)([^"']+)/gu, (whole, name, colon, value) =>
      isSecretName(name) ? name + colon + maskValue(value) : whole,
    )
    .replace(
      /^((?:--?[\w-]+=)?(?:[\w-]*authorization|x-[\w-]+|(?:set-)?cookie|[\w-]*(?:key|token|secret)):\s*)(\S.*)$/isu,
      (_, name, value) => name + maskValue(value),
    );
  return maskTokens(pairs);
}

/** The password of a user, parameters with a telling name, and path parts that are keys by their looks. */
export function maskUrl(url: string): string {
  return maskTokens(maskUrlParts(url));
}

function maskUrlParts(url: string): string {
  return url
    .replace(
      USER_INFO,
      (_, scheme: string, user: string) => `${scheme}${/^(?:\$\{\w+\}:?)+$/u.test(user) ? user : MASK}@`,
    )
    .replaceAll(/([?&;#]|%3F|%26)([^=&#?%]*)(=|%3D)([^&#%]*)/giu, (whole, start, name, equals, value) =>
      isSecretName(name) ? start + name + equals + maskValue(value) : whole,
    )
    .replaceAll(/(?<=\/)[A-Za-z0-9_=:~-]{24,}(?=[/?#]|$)/gu, (part) =>
      /\d/u.test(part) && /[A-Za-z]/u.test(part) ? MASK : part,
    );
}

/** Up to the last `@` of the host; behind `user:` that is no port, a password may even hold slashes. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@:]+:(?!\d{1,5}(?:[/?#]|$))[^@]*(?:@[^@/?#]+)*|[^/?#]*)@/iu;

/** Tokens that give themselves away by the form their issuer chose, wherever they stand. */
export function maskTokens(text: string): string {
  return text.replaceAll(TOKENS, MASK).replaceAll(/\b(Bearer|Basic)(\s+)[\w.~+/=-]{8,}/giu, `$1$2${MASK}`);
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
    String.raw`(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*`, // a JSON Web Token; `eyJ-eyJ-...` is walked once
    String.raw`(?:hf|npm|gsk|ntn|secret|r8|figd|sbp|pypi|nvapi|tvly|lin_api|dop_v1|shp(?:at|ss|ca))[_-](?=\w*\d)[\w-]{20,}`,
    String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`, // SendGrid
    String.raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{32,}`, // Airtable
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
  ]
    .map((form) => (form.startsWith('-') ? form : String.raw`\b(?:${form})`))
    .join('|'),
  'gu',
);

function isSecretName(name: string): boolean {
  if (/^-*(?:no|max)[-_]/iu.test(name)) return false; // `--no-auth`, `--max-tokens`
  return /key|token|secret|passw|passphrase|pwd|auth|bearer|jwt|credential|cookie|session|signature|database.?url|connection.?string|(?:^|[^a-z])(?:pass|dsn|sig|pat)(?:[^a-z]|$)/iu.test(
    name,
  );
}

function mapFields(record: RawEntry, map: (value: unknown, field: string) => unknown): RawEntry {
  return Object.fromEntries(Object.entries(record).map(([field, value]) => [field, map(value, field)]));
}
