import { isCredentialName } from './credential-name.js';
import { closingQuote, isLikely, isProse, maskBehind, NAME } from './redact-behind.js';

/**
 * `password is x`, `Password for jane: x`, `token -> x`, `[password] x`, as people write. Masks only what is no
 * ordinary word, or, at the end of a line, what is no word about credentials.
 */
export function maskSentences(text: string): string {
  return maskBehind(text, SENTENCE, ({ groups }, from) => {
    const { name, tag, link } = groups as { name?: string; tag?: string; link?: string };
    if (!isCredentialName(tag ?? name!)) return undefined;
    const quote = text[from]!;
    if (link !== undefined && /["'`]/u.test(quote)) {
      const end = closingQuote(text, { from: from + 1, quote, slashes: 0 });
      return end === from + 1 || isProse(text.slice(from + 1, Math.min(end, from + LONGEST))) ? undefined : end + 1;
    }
    START.lastIndex = from;
    const start = START.exec(text)?.[0];
    if (start === undefined) return undefined;
    VALUE.lastIndex = from;
    VALUE.test(text);
    const end = VALUE.lastIndex;
    if (isLikely('', start.replace(/[.!?]+$/u, ''))) return end;
    const isLast = /^[ \t]*(?:\r|\n|$)/u.test(text.slice(end, end + LONGEST));
    return isLast && !/^(?:is|was)/iu.test(link ?? 'is') && !isProse(start) ? end : undefined;
  });
}

// The pattern cannot match again inside what it has consumed, except in the short name: that keeps it linear.
const SENTENCE = new RegExp(
  String.raw`(?:(?<![\w.[-])(?<name>${NAME})(?<link>[ \t]{1,4}(?:(?:is|was|set to|->|→|=>)[ \t]{0,4}:?|for[ \t]{1,4}[^\s]{1,64}:)[ \t]{1,4})|\[(?<tag>${NAME})\]:?[ \t]{1,4})(?=[^\s])`,
  'giu',
);
const LONGEST = 64;
/** The characters that decide about a value, however long it is. */
const START = /[^\s"'`,;<>\\()]{4,64}/uy;
const VALUE = /[^\s"'`,;<>\\]+/uy;
