import { MASK } from '../base/secret.js';
import { CREDENTIAL_HINT, isCredentialName } from './credential-name.js';

/** Values behind a name that says what they are: JSON inside a text, XML, `NAME=value`, `?name=value`, `name = "value"`, `name: value`, `--name value`. */
export function maskPairs(text: string): string {
  if (!CREDENTIAL_HINT.test(text) && !OTHER_HINT.test(text)) return text;
  const quoted = maskAssigned(maskQuoted(text)).replaceAll(HEADER, `$1${MASK}`);
  const lines = quoted.replaceAll(LINE, (whole, start: string, name: string, value: string) =>
    isCredentialName(name) && !isProse(value) ? start + MASK : whole,
  );
  return maskElements(maskFlags(maskNamed(lines)));
}

// Every pattern here either ends in its repetition, or cannot begin again inside what it has read: that keeps them linear.

/** What else makes a pair: a signature, `-u user:password`, `-p password`. */
const OTHER_HINT = /sig|-[up]/iu;
/** Names of two words that people write in sentences. */
const NAME = String.raw`(?:(?:api|access|secret|auth|client|private|session|refresh|signing|bot|bearer) (?:key|token|secret)|[A-Za-z_][\w.-]{0,63})`;
/** Headers whose whole line is the secret. */
const HEADER = /((?<![A-Za-z0-9_])(?:(?:proxy-)?authorization|(?:set-)?cookie):[ \t]{0,8})[^\s"'\\][^\r\n"'\\]*/giu;
/** Nothing else on the line, as in YAML. */
const LINE = new RegExp(
  String.raw`^([ \t]{0,64}(?:- )?["']?(${NAME})["']?[ \t]{0,8}:[ \t]{1,8})([^\s"'{[]\S*)(?=[ \t]*$)`,
  'gimu',
);

/** Among other words only what looks like no word. What another name holds is looked into. */
function maskNamed(text: string): string {
  return maskBehind(text, NAMED, ({ groups }, from) => {
    if (!isCredentialName(groups!['name']!)) return undefined;
    NAMED_START.lastIndex = from;
    const start = NAMED_START.exec(text)?.[0];
    if (start === undefined || !isLikely(groups!['name']!, start)) return undefined;
    NAMED_VALUE.lastIndex = from;
    NAMED_VALUE.test(text);
    return NAMED_VALUE.lastIndex;
  });
}

const NAMED = new RegExp(String.raw`(?<![\w.-])(?<name>[-.]{0,2}${NAME})[ \t]{0,8}:[ \t]{0,8}(?=[^\s])`, 'giu');
/** What a value is told by, however long it is. */
const NAMED_START = /[^\s"'`,;<>\\]{4,64}/uy;
const NAMED_VALUE = /[^\s"'`,;<>\\]+/uy;

/** Behind a name in capitals anything but a word that tells about it; behind another only what nobody would write in a sentence. */
function isLikely(name: string, value: string): boolean {
  if (isProse(value) || value.startsWith('//')) return false;
  return /^[A-Z][A-Z0-9_.-]+$/u.test(name) || (value.length >= MIXED_LENGTH && MIXED.test(value));
}

const MIXED = /\d|=|[a-z][A-Z]/u;
const MIXED_LENGTH = 6;

/** What stands behind a name in messages about it, in usage texts and in source code. */
function isProse(value: string): boolean {
  return value.startsWith(MASK) || PROSE.test(value) || CODE.test(value);
}

const PROSE =
  /^(?:<[\w -]{0,32}>?|\[[\w -]{0,32}\]?|\*+|\.+|\$\{?\w+\}?|(?:not|is|are|was|has|have|must|should|may|can|could|cannot|will|would|no|none|null|nil|undefined|missing|required|optional|invalid|expired|empty|unset|set|unknown|wrong|too|the|a|an|it|in|of|to|for|from|see|use|your|this|that|please|true|false|string|value|text|boolean|number|redacted|hidden|masked|env|environment|variable|failed|error|ok|found|provided|given|loaded|denied|rejected|revoked|refused)[.,;:!?)]*)$/iu;
const CODE =
  /^(?:process\.env|os\.environ|import\.meta|Deno\.env|await|new|function|async|this\.|self\.|[A-Za-z_$][\w$.]{0,64}\()/u;

/** `NAME=value`, also with blanks and as `=>` and `:=`; the value goes up to its closing quote. What another name holds is looked into. */
function maskAssigned(text: string): string {
  return maskBehind(text, ASSIGNMENT, ({ groups }, from) => {
    const { name, quote, operator } = groups as { name: string; quote: string | undefined; operator: string };
    const isSigned = SIGNED.test(name);
    if (!isSigned && !isCredentialName(name)) return undefined;
    const isTight = operator === '=' && quote === '';
    const end = valueEnd(text, from, isTight);
    return end !== undefined && (!isSigned || end - from > SIGNED_LENGTH) ? end : undefined;
  });
}

const SIGNED_LENGTH = 15;

const ASSIGNMENT = new RegExp(
  String.raw`(?<![\w.-])(?<name>[-.]{0,2}${NAME})(?<quote>["']?)(?<operator>[ \t]{0,4}(?:=>|:=|=(?![=~]))[ \t]{0,4})(?=[^\s])`,
  'giu',
);
const SIGNED = /^(?:key|sig|signature|x-(?:amz|goog)-signature)$/iu;

/**
 * In quotes up to the closing one, or as far as the text goes; else up to what ends a word in a shell, a URL or a program. Undefined where
 * there is none. What has blanks around it may be a word about the value: that is told by its first characters, however long it is.
 */
function valueEnd(text: string, from: number, isTight: boolean): number | undefined {
  const quote = text[from]!;
  if (quote === '"' || quote === "'" || quote === '`') {
    const end = closingQuote(text, { from: from + 1, quote, slashes: 0 });
    return end === from + 1 ? undefined : Math.min(end + 1, text.length);
  }
  VALUE_START.lastIndex = from;
  const start = VALUE_START.exec(text)?.[0];
  if (start === undefined || (!isTight && isProse(start))) return undefined;
  PLAIN_VALUE.lastIndex = from;
  PLAIN_VALUE.test(text);
  return PLAIN_VALUE.lastIndex;
}

const VALUE_START = /[^\s"'&;,<>\\]{1,64}/uy;
const PLAIN_VALUE = /[^\s"'&;,<>\\]+/uy;

/** `--token x`, and `curl -u user:x`. */
function maskFlags(text: string): string {
  if (!text.includes('-')) return text;
  return text
    .replaceAll(FLAG, (whole, start: string, name: string, value: string) =>
      isCredentialName(name) && !isProse(value) && !/^[A-Z_]+$/u.test(value) ? start + MASK : whole,
    )
    .replaceAll(USER_FLAG, (whole, start: string, user: string, password: string) =>
      /^\d+$/u.test(user) && /^\d+$/u.test(password) ? whole : `${start}${user}:${MASK}`,
    )
    .replaceAll(SHORT_FLAG, `$1${MASK}`);
}

const FLAG = /((?<![\w-])(--?[A-Za-z][\w-]{1,63})[ \t]{1,4}["']?)([^\s"'\-<[{(|,;][^\s"',;]*)/gu;
const USER_FLAG =
  /((?<![\w-])(?:-[uU]|--(?:proxy-)?user)(?:=|[ \t]{1,4})?["']?)([^\s:"'/=-][^\s:"'/=]{0,127}):([^\s"']+)/gu;

/** A password has a digit, and is no path, port or version. */
const SHORT_FLAG =
  /((?<![\w-])-p[ \t]{1,4}["']?)(?=[^\s"']{0,64}\d)(?=[^\s"']{0,64}[A-Za-z])[^\s"'/\\:.,;@-]{6,}(?=[\s"']|$)/gu;

/** `<password>x</password>`, and `<add key="password" value="x"/>`. */
function maskElements(text: string): string {
  if (!ELEMENT_HINT.test(text)) return text;
  const inside = maskBehind(text, ELEMENT, ({ groups }, from) => {
    if (!isCredentialName(groups!['name']!.replace(/^.*:/u, ''))) return undefined;
    ELEMENT_TEXT.lastIndex = from;
    const value = ELEMENT_TEXT.exec(text)?.[0] ?? '';
    // A placeholder in a sentence is followed by a blank, and by no end of an element.
    const isWord =
      /^\s/u.test(value) && !/^(?:<|&lt;)\//u.test(text.slice(ELEMENT_TEXT.lastIndex, ELEMENT_TEXT.lastIndex + 5));
    return value.trim() === '' || isWord || isProse(value) ? undefined : from + value.length;
  });
  return maskBehind(inside, ATTRIBUTES, ({ groups }, from) => {
    if (!isCredentialName(groups!['name']!)) return undefined;
    return closingQuote(inside, { from, quote: groups!['quote']!, slashes: 0 });
  });
}

const ELEMENT_HINT = /[<;]/u;
const ELEMENT = /(?:<|&lt;)(?<name>[A-Za-z_][\w.:-]{0,63})(?:\s[^<>&\n]{0,200})?(?:>|&gt;)/gu;
const ELEMENT_TEXT = /[^<&\r\n]*/uy;
const ATTRIBUTES = /(?<![\w-])(?:key|name)=(["'])(?<name>[\w .:-]{1,64})\1\s{1,8}value=(?<quote>["'])/giu;

/** `"name": "value"`, however often it has been quoted. */
function maskQuoted(text: string): string {
  return maskBehind(text, QUOTED_VALUE, ({ groups }, from) => {
    const { quoted, plain, slashes, quote } = groups!;
    if (!isCredentialName(quoted ?? plain!)) return undefined;
    return closingQuote(text, { from, quote: quote!, slashes: slashes!.length });
  });
}

const QUOTED_VALUE =
  /(?:(\\{0,15}["'])(?<quoted>[\w .-]{1,64})\1|(?<![\w.-])(?<plain>[A-Za-z_][\w.-]{0,63}))\s{0,8}:\s{0,8}(?<slashes>\\{0,15})(?<quote>["'])/gu;

/** A mask in place of what stands behind each match, up to where `endOf` says; undefined leaves it, and looks on right behind the match. */
function maskBehind(
  text: string,
  pattern: RegExp,
  endOf: (found: RegExpExecArray, from: number) => number | undefined,
): string {
  const names = new RegExp(pattern);
  let result = '';
  let copied = 0;
  for (let found = names.exec(text); found; found = names.exec(text)) {
    const from = names.lastIndex;
    const end = endOf(found, from);
    if (end === undefined) continue;
    result += text.slice(copied, from) + (end > from ? MASK : '');
    copied = names.lastIndex = end;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

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
