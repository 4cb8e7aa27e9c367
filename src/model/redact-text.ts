import { MASK, type Secret } from '../base/secret.js';

export interface TextRedactorOptions {
  /** Values that may not appear, whatever they look like: what the server's own entry holds. */
  readonly secrets?: readonly Secret[];
  /** This user's home folder, as the system spells it. */
  readonly home?: string | undefined;
}

export interface TextRedactor {
  /** Contract: does not throw; time is linear in the text. */
  redact(text: string): string;
  /** Whether a number, as a text, is one of the secrets that were handed in. */
  hides(number: string): boolean;
  /** How much text may have to be seen before a secret can be told from what surrounds it. */
  readonly reach: number;
}

/** Takes credentials out of a text, wherever in it they stand. What it leaves alone is said in redact-message.ts. */
export function textRedactor({ secrets = [], home }: TextRedactorOptions = {}): TextRedactor {
  const literals = toLiterals(secrets);
  const homes = toHomes(home);
  const numbers = new Set(literals.map(({ text }) => text).filter((text) => /^-?\d/u.test(text)));
  return {
    reach: Math.max(SHORTEST_REACH, ...literals.map(({ text }) => text.length)),
    hides: (number) => numbers.has(number),
    redact(text) {
      if (text.length < SHORTEST_SECRET) return text;
      let rest = text;
      for (const literal of literals) {
        if (rest.includes(literal.text)) rest = rest.replaceAll(literal.pattern ?? literal.text, MASK);
      }
      if (rest.length >= SHORTEST_FORM || PUNCTUATION.test(rest)) rest = maskPairs(maskForms(rest));
      for (const pattern of homes) rest = rest.replaceAll(pattern, '~');
      return rest;
    },
  };
}

const SHORTEST_SECRET = 4; // anything shorter stands in every other word
const SHORTEST_FORM = 15; // of those that are one word
const PUNCTUATION = /[:=%\s]/u;
const SHORTEST_REACH = 4_096; // a private key of 4096 bits has 3,300 characters

/** Whether what stands under this name is a credential: `apiKey`, `API_KEY`, `X-Api-Key`; not `progressToken`, not `tokens`. */
export function isCredentialName(name: string): boolean {
  if (!HINT.test(name)) return false;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, ' ')
    .trim();
  return CREDENTIAL_NAME.test(words) && !HARMLESS_NAME.test(words);
}

/** Most names are told from it at once. */
const HINT = /pass|pwd|dsn|secret|credential|cookie|auth|bearer|jwt|key|token|string/iu;
/** In words, and in words that somebody has joined. */
const CREDENTIAL_NAME = new RegExp(
  [
    'pass ?w(?:or)?d|pass ?phrase|pass ?code|private ?key|connection ?string|(?:^| )pass$|pwd$|dsn$',
    '(?:secret|secret ?value|credential|cookie)s?$',
    '(?:^|[^o])auth$|authorization$|auth ?header$|bearer$|jwt$',
    '(?:api|secret|access|signing|encryption|master|auth|ssh|account|shared|storage|service|role|deploy|license|webhook|admin|client|app) ?keys?$',
    'token$|(?:access|refresh|api|auth|bearer|session|bot|personal) ?tokens$',
  ].join('|'),
  'u',
);
/** Tokens that say where to go on, and those that models count. */
const HARMLESS_NAME =
  /(?:^| )(?:progress|next|page|next ?page|continuation|sync|cursor|cancel|cancellation|resume|start|stop|end|change|previous|prev|first|last|bos|eos|pad|unk|mask|sep|cls|max|min|per|input|output) ?token$/u;

interface Literal {
  readonly text: string;
  /** For one that is so short that other words may hold it: only where it stands alone. */
  readonly pattern: RegExp | undefined;
}

/** Longest first, so that no part of one is left when another begins with it. */
function toLiterals(secrets: readonly Secret[]): Literal[] {
  const texts = new Set<string>();
  for (const secret of secrets) {
    const value = secret.reveal().trim();
    for (const text of [value, value.replace(/^(?:Bearer|Basic|Token)\s+/iu, '')]) {
      // As it stands in JSON that is itself a text, and in a URL.
      for (const form of [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(wellFormed(text))])
        texts.add(form);
    }
  }
  return [...texts]
    .filter((text) => text.length >= SHORTEST_SECRET && !EVERYDAY_VALUE.test(text))
    .toSorted((a, b) => b.length - a.length)
    .map((text) => ({ text, pattern: text.length < DISTINCT_LENGTH ? standingAlone(text) : undefined }));
}

const DISTINCT_LENGTH = 8;
/** What people set variables to that are no secrets; masked, they would take half of a recording with them. */
const EVERYDAY_VALUE =
  /^(?:true|false|none|null|debug|info|notice|warn|warning|error|trace|verbose|silent|quiet|production|development|staging|testing|test|local|localhost|default|enabled|disabled|auto|json|text|utf-8|\d{1,5}|https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?\/?)$/iu;

function standingAlone(text: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])${escapePattern(text)}(?![A-Za-z0-9])`, 'gu');
}

/** The home folder as a path, in JSON that is itself a text, with the other slash, and in a URL. */
function toHomes(home: string | undefined): RegExp[] {
  const path = home?.replace(/[/\\]+$/u, '') ?? '';
  if (path.length < SHORTEST_SECRET) return []; // `/` is everybody's
  const slashed = path.replaceAll('\\', '/');
  const forms = new Set([path.replaceAll('\\', '\\\\'), path, slashed, encodeURI(wellFormed(slashed))]);
  return [...forms].map((form) => new RegExp(`${escapePattern(form)}(?![\\w-])`, path.includes('\\') ? 'giu' : 'gu'));
}

/** Half a character cannot stand in a URL. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}

/** Credentials that give themselves away by the form their issuer chose. */
function maskForms(text: string): string {
  return text
    .replaceAll(PRIVATE_KEY, MASK)
    .replaceAll(TOKENS, (token) => (/[A-Z0-9]/u.test(token.slice(3)) ? MASK : token))
    .replaceAll(DOTTED, (run) => (isWebToken(run) ? MASK : run))
    .replaceAll(SCHEME, (whole, scheme: string, value: string) => (isProse(scheme, value) ? whole : scheme + MASK))
    .replaceAll(USER_INFO, `://${MASK}@`);
}

// Every pattern here either ends in its repetition, or cannot begin again inside what it has read: that keeps them linear.
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-(?!----)[^-]*)*(?:-----END [A-Z ]{0,50}-----)?/gu;
/** Not inside a word, unless what looks like a word is an escape: `\nsk-...` in JSON that is a text, `%3Dsk-...` in a URL. */
const BOUNDARY = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))`;
const TOKENS = new RegExp(
  [
    String.raw`gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}`,
    String.raw`gl(?:pat|ptt|dt|rt|cbt|soat|agent)-[\w.-]{16,}`, // GitLab
    String.raw`xox[abceposr]-[\w-]{10,}|xapp-[\w-]{10,}`, // Slack
    String.raw`sk-(?:ant|proj|or|svcacct|admin)-[\w-]{16,}`, // Anthropic, OpenAI, OpenRouter
    String.raw`(?:sk|rk|pk)_(?:live|test)_\w{10,}|whsec_[\w+/=]{16,}`, // Stripe
    String.raw`(?:hf|npm|gsk|ntn|r8|figd|sbp|pypi|nvapi|tvly|lin_api|dop_v1|shp(?:at|ss|ca))[_-][\w-]{20,}`,
    String.raw`GOCSPX-[\w-]{10,}`,
    `${BOUNDARY}(?:${[
      String.raw`sk-[\w-]{16,}`,
      String.raw`A(?:KIA|SIA)[A-Z0-9]{16}`, // AWS
      String.raw`AIza[\w-]{30,}|ya29\.[\w-]{10,}`, // Google
      String.raw`SG\.[\w-]{16,}(?:\.[\w-]+)?`, // SendGrid
    ].join('|')})`,
  ].join('|'),
  'gu',
);
/** What begins like JSON in base64; only one with dots in the right places is a token, and a cursor is none. */
const DOTTED = /eyJ[\w-]*(?:\.[\w-]*)*/gu;
const SCHEME = /((?:[Bb](?:earer|asic)|BEARER|BASIC)(?:\s{1,8}|%20))([\w.~+/=-]+)/gu;
const MIXED = /\d|=|[a-z][A-Z]/u;
const USER_INFO = /:\/\/[^\s/?#"'<>\\]+@/gu;

/** "Bearer token" and "Basic authentication" are words. */
function isProse(scheme: string, value: string): boolean {
  return /^bearer/iu.test(scheme) ? BEARER_PROSE.test(value) : value.length < 8 || !MIXED.test(value);
}

const BEARER_PROSE =
  /^(?:tokens?|auth\w*|schemes?|realm|credentials?|headers?|errors?|of|is|with|in|or|and|for|the|a|to)[.]?$/iu;

function isWebToken(run: string): boolean {
  const parts = run.split('.');
  return parts.some((part, index) => part.includes('eyJ') && part.length > 12 && (parts[index + 1]?.length ?? 0) > 9);
}

/** Values behind a name that says what they are: JSON inside a text, `NAME=value`, `?name=value`, `name: value`. */
function maskPairs(text: string): string {
  return maskQuoted(text)
    .replaceAll(ASSIGNED, (whole, name: string, value: string) =>
      isCredentialName(name) || (SIGNED.test(name) && value.length > 15) ? `${name}=${MASK}` : whole,
    )
    .replaceAll(HEADER, `$1${MASK}`)
    .replaceAll(LINE, (whole, start: string, name: string) => (isCredentialName(name) ? start + MASK : whole))
    .replaceAll(NAMED, (whole, start: string, name: string, value: string) =>
      isCredentialName(name) && MIXED.test(value) ? start + MASK : whole,
    );
}

const ASSIGNED = /(?<![\w.-])([-.]{0,2}[A-Za-z_][\w.-]{0,63})=("[^"]*"?|'[^']*'?|[^\s"'&;,<>\\]+)/gu;
const SIGNED = /^(?:key|sig|signature|x-(?:amz|goog)-signature)$/iu;
/** Headers whose whole line is the secret. */
const HEADER = /((?<![A-Za-z0-9_])(?:(?:proxy-)?authorization|(?:set-)?cookie):[ \t]{0,8})[^\s"'\\][^\r\n"'\\]*/giu;
/** Nothing else on the line, as in YAML. */
const LINE = /^([ \t]{0,64}(?:- )?["']?([\w.-]{1,64})["']?:[ \t]{1,8})[^\s"'{[]\S*(?=[ \t]*$)/gmu;
/** Among other words only what looks like no word. */
const NAMED = /((?<![\w.-])([-.]{0,2}[A-Za-z][\w-]{0,63}):[ \t]{0,8})([\w+/=.~-]{16,})/gu;

/** `"name": "value"`, however often it has been quoted. */
function maskQuoted(text: string): string {
  const names = new RegExp(QUOTED_VALUE);
  let result = '';
  let copied = 0;
  for (let found = names.exec(text); found; found = names.exec(text)) {
    const { quoted, plain, slashes, quote } = found.groups!;
    if (!isCredentialName(quoted ?? plain!)) continue;
    const from = names.lastIndex;
    const end = closingQuote(text, { from, quote: quote!, slashes: slashes!.length });
    result += text.slice(copied, from) + (end > from ? MASK : '');
    copied = names.lastIndex = end;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

const QUOTED_VALUE =
  /(?:(\\{0,15}["'])(?<quoted>[\w .-]{1,64})\1|(?<![\w.-])(?<plain>[A-Za-z_][\w.-]{0,63}))\s{0,8}:\s{0,8}(?<slashes>\\{0,15})(?<quote>["'])/gu;

interface Opening {
  readonly from: number;
  readonly quote: string;
  readonly slashes: number;
}

/** Where the value ends: at a quote with no more backslashes than the first one has, or where the text was cut off. */
function closingQuote(text: string, { from, quote, slashes }: Opening): number {
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let before = at;
    while (before > from && text[before - 1] === '\\') before--;
    if (at - before <= slashes) return before;
  }
  return text.length;
}
