import { MASK } from '../../base/secret.js';
import { CREDENTIAL_HINT, isCredentialName } from './credential-name.js';
import { maskSentences } from './redact-sentences.js';
import { closingQuote, isLikely, isProse, maskBehind, NAME } from './redact-behind.js';

/** Masks values of credentials: JSON in a text, XML, `NAME=x`, `?name=x`, `name = "x"`, `name: x`, `--name x`. */
export function maskPairs(text: string): string {
  if (!CREDENTIAL_HINT.test(text) && !OTHER_HINT.test(text)) return text;
  const quoted = maskAssigned(maskQuoted(text)).replaceAll(HEADER, `$1${MASK}`);
  const lines = quoted.replaceAll(LINE, (whole, start: string, name: string, value: string) =>
    isCredentialName(name) && !isProse(value) ? start + MASK : whole,
  );
  return maskElements(maskFlags(maskSentences(maskNamed(lines))));
}

// Every pattern here either ends with its repetition or cannot match again inside what it has consumed: linear time.

/** Other pairs: a signature, `-u user:password`, `-p password`. */
const OTHER_HINT = /sig|-[up]/iu;
/** Headers whose whole value is secret. */
const HEADER = /((?<![A-Za-z0-9_])(?:(?:proxy-)?authorization|(?:set-)?cookie):[ \t]{0,8})[^\s"'\\][^\r\n"'\\]*/giu;
/** A pair alone on its line, as in YAML. */
const LINE = new RegExp(
  String.raw`^([ \t]{0,64}(?:- )?["']?(${NAME})["']?[ \t]{0,8}:[ \t]{1,8})([^\s"'{[]\S*)(?=[ \t]*$)`,
  'gimu',
);

/** Within a sentence only values that are no ordinary words. The search continues inside values of other names. */
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
/** The characters that decide about a value, however long it is. */
const NAMED_START = /[^\s"'`,;<>\\]{4,64}/uy;
const NAMED_VALUE = /[^\s"'`,;<>\\]+/uy;

/** `NAME=x`, with blanks, `=>` or `:=` too; quoted values up to the quote. Searches values of other names as well. */
function maskAssigned(text: string): string {
  return maskBehind(text, ASSIGNMENT, ({ groups }, from) => {
    const { name, quote, operator } = groups as { name: string; quote: string | undefined; operator: string };
    const isSigned = SIGNED.test(name);
    if (!isSigned && !isCredentialName(name)) return undefined;
    const isEscaped = operator.startsWith('%');
    const isTight = (operator === '=' || isEscaped) && quote === '';
    const end = isEscaped ? escapedEnd(text, from) : valueEnd(text, from, isTight);
    return end !== undefined && (!isSigned || end - from > SIGNED_LENGTH) ? end : undefined;
  });
}

const SIGNED_LENGTH = 15;

const ASSIGNMENT = new RegExp(
  String.raw`(?:(?<![\w.-])|(?<=%[0-9a-f]{2}))(?<name>[-.]{0,2}${NAME})(?<quote>["']?)(?<operator>[ \t]{0,4}(?:=>|:=|=(?![=~]))[ \t]{0,4}|%3d)(?=[^\s])`,
  'giu',
);
const SIGNED = /^(?:key|sig|signature|x-(?:amz|goog)-signature)$/iu;

/**
 * The end of a value: its closing quote or the end of the text; if unquoted, what ends a word in a shell, URL or
 * program. Undefined without a value. With blanks around the operator the first characters decide whether it is prose.
 */
function valueEnd(text: string, from: number, isTight: boolean): number | undefined {
  OPENING.lastIndex = from;
  const slashes = OPENING.exec(text)?.[1]!.length ?? 0;
  const quote = text[from + slashes]!;
  if (quote === '"' || quote === "'" || quote === '`') {
    const start = from + slashes + 1;
    const end = closingQuote(text, { from: start, quote, slashes });
    return end === start ? undefined : Math.min(end + slashes + 1, text.length);
  }
  VALUE_START.lastIndex = from;
  const start = VALUE_START.exec(text)?.[0];
  if (start === undefined || (!isTight && isProse(start))) return undefined;
  PLAIN_VALUE.lastIndex = from;
  PLAIN_VALUE.test(text);
  return PLAIN_VALUE.lastIndex;
}

/** A quote in JSON within a text: `password=\\"x\\"`. */
const OPENING = /(\\{1,15})["'`]/uy;

/** The end of a value in a URL that is a parameter of another URL. */
function escapedEnd(text: string, from: number): number | undefined {
  ESCAPED_VALUE.lastIndex = from;
  return ESCAPED_VALUE.test(text) ? ESCAPED_VALUE.lastIndex : undefined;
}

const ESCAPED_VALUE = /(?:[^\s"'&;,<>\\%]|%(?!26|23))+/uy;
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
    .replaceAll(SHORT_FLAG, `$1${MASK}`)
    .replaceAll(GLUED_FLAG, (whole, value: string, at: number, all: string) =>
      DATABASE.test(all.slice(Math.max(0, at - NEAR), at)) || (/\d/u.test(value) && /[A-Za-z]/u.test(value.slice(1)))
        ? `-p${MASK}`
        : whole,
    );
}

const FLAG = /((?<![\w-])(--?[A-Za-z][\w-]{1,63})[ \t]{1,4}["']?)([^\s"'\-<[{(|,;][^\s"',;]*)/gu;
const USER_FLAG =
  /((?<![\w-])(?:-[uU]|--(?:proxy-)?user)(?:=|[ \t]{1,4})?["']?)([^\s:"'/=-][^\s:"'/=]{0,127}):([^\s"']+)/gu;

/** A password contains a digit and is no path, port or version. */
const SHORT_FLAG =
  /((?<![\w-])-p[ \t]{1,4}["']?)(?=[^\s"']{0,64}\d)(?=[^\s"']{0,64}[A-Za-z])[^\s"'/\\:.,;@-]{6,}(?=[\s"']|$)/gu;

/** `mysql -pSECRET`. In other programs a word without digits follows this letter. */
const GLUED_FLAG = /(?<![\w-])-p([^\s"'/\\:.,;@=-][^\s"'/\\:.,;@=]{4,})(?=[\s"']|$)/gu;
const DATABASE = /(?:mysql|mariadb|sshpass)[^\n|&;]*$/u;
const NEAR = 200;

/** `<password>x</password>`, `<password value="x"/>`, `<key>password</key><string>x</string>`, and `<add key="password" value="x"/>`. */
function maskElements(text: string): string {
  if (!ELEMENT_HINT.test(text)) return text;
  const inside = maskBehind(text, ELEMENT, ({ groups }, from) => {
    if (!isCredentialName(groups!['name']!.replace(/^.*:/u, ''))) return undefined;
    ELEMENT_TEXT.lastIndex = from;
    const value = ELEMENT_TEXT.exec(text)?.[0] ?? '';
    // A placeholder in a sentence is followed by a blank instead of a closing tag.
    const isWord =
      /^\s/u.test(value) && !/^(?:<|&lt;)\//u.test(text.slice(ELEMENT_TEXT.lastIndex, ELEMENT_TEXT.lastIndex + 5));
    return value.trim() === '' || isWord || isProse(value) ? undefined : from + value.length;
  });
  const listed = maskBehind(inside, PLIST, ({ groups }, from) => {
    if (!isCredentialName(groups!['name']!)) return undefined;
    ELEMENT_TEXT.lastIndex = from;
    return from + (ELEMENT_TEXT.exec(inside)?.[0].length ?? 0);
  });
  const valued = maskBehind(listed, VALUED, ({ groups }, from) => {
    if (!isCredentialName(groups!['name']!.replace(/^.*:/u, ''))) return undefined;
    return closingQuote(listed, { from, quote: groups!['quote']!, slashes: groups!['slashes']!.length });
  });
  return maskBehind(valued, ATTRIBUTES, ({ groups }, from) => {
    if (!isCredentialName(groups!['name']!)) return undefined;
    return closingQuote(valued, { from, quote: groups!['quote']!, slashes: 0 });
  });
}

const ELEMENT_HINT = /[<;]/u;
const ELEMENT = /(?:<|&lt;)(?<name>[A-Za-z_][\w.:-]{0,63})(?:\s[^<>&\n]{0,200})?(?:>|&gt;)/gu;
const PLIST = /<key>(?<name>[^<>\n]{1,64})<\/key>\s{0,64}<(?:string|data)>/giu;
const VALUED = /<(?<name>[A-Za-z_][\w.:-]{0,63})\s(?:[^<>\n]{0,200}?\s)?value=(?<slashes>\\{0,15})(?<quote>["'])/giu;
const ELEMENT_TEXT = /[^<&\r\n]*/uy;
const ATTRIBUTES = /(?<![\w-])(?:key|name)=(["'])(?<name>[\w .:-]{1,64})\1\s{1,8}value=(?<quote>["'])/giu;

/** `"name": "value"`, at any level of quoting. */
function maskQuoted(text: string): string {
  return maskBehind(text, QUOTED_VALUE, ({ groups }, from) => {
    const { quoted, plain, slashes, quote } = groups!;
    if (!isCredentialName(quoted ?? plain!)) return undefined;
    return closingQuote(text, { from, quote: quote!, slashes: slashes!.length });
  });
}

const QUOTED_VALUE =
  /(?:(\\{0,15}["'])(?<quoted>[\w .-]{1,64})\1|(?<![\w.-])(?<plain>[A-Za-z_][\w.-]{0,63}))\s{0,8}:\s{0,8}(?<slashes>\\{0,15})(?<quote>["'])/gu;
