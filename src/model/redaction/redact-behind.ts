import { MASK } from '../../base/secret.js';

/** Also names of two words, as people write them in sentences. */
export const NAME = String.raw`(?:(?:api|access|secret|auth|client|private|session|refresh|signing|bot|bearer) (?:key|token|secret)|[A-Za-z_][\w.-]{0,63})`;

/** After a name in capitals any value that is no prose; after another name only what is no ordinary word. */
export function isLikely(name: string, value: string): boolean {
  if (isProse(value) || value.startsWith('//')) return false;
  return /^[A-Z][A-Z0-9_.-]+$/u.test(name) || (value.length >= MIXED_LENGTH && MIXED.test(value));
}

const MIXED = /\d|=|[a-z][A-Z]/u;
const MIXED_LENGTH = 6;

/** Words that follow a name in error messages, usage texts and source code. */
export function isProse(value: string): boolean {
  return value.startsWith(MASK) || PROSE.test(value) || CODE.test(value);
}

const PROSE =
  /^(?:<[\w -]{0,32}>?|\[[\w -]{0,32}\]?|\*+|\.+|\$\{?\w+\}?|(?:not|is|are|was|has|have|must|should|may|can|could|cannot|will|would|no|none|null|nil|undefined|missing|required|optional|invalid|expired|empty|unset|set|unknown|wrong|too|the|a|an|it|in|of|to|for|from|see|use|your|this|that|please|true|false|string|value|text|boolean|number|redacted|hidden|masked|env|environment|variable|failed|error|ok|found|provided|given|loaded|denied|rejected|revoked|refused)[.,;:!?)]*)$/iu;
const CODE =
  /^(?:process\.env|os\.environ|import\.meta|Deno\.env|await|new|function|async|this\.|self\.|[A-Za-z_$][\w$.]{0,64}\()/u;

/** Masks what follows each match, up to `endOf`. Undefined leaves it and continues the search right after the match. */
export function maskBehind(
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

/** The value's end: a quote with no more backslashes than the opening one, or the end of a truncated text. */
export function closingQuote(text: string, { from, quote, slashes }: Opening): number {
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let before = at;
    while (before > from && text[before - 1] === '\\') before--;
    if (at - before <= slashes) return before;
  }
  return text.length;
}
