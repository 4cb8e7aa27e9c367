import {
  boundMarks,
  hasManyMarks,
  type HiddenKind,
  hiddenKind,
  isLegitimate,
  SUSPECT_UNITS,
} from './hidden-characters.js';
import { EscapeScanner } from './escape-sequence.js';

/** What was removed from a text: `truncated` counts the characters cut off, the others what was removed or replaced. */
export interface RemovedText {
  readonly kind: FindingKind;
  readonly count: number;
}
export type FindingKind = HiddenKind | 'escape' | 'truncated' | 'duplicate-key';

export interface GatedText {
  readonly text: string;
  /** Empty for clean text. Normalised line ends are not reported. */
  readonly findings: readonly RemovedText[];
}

export interface GateOptions {
  /** The most UTF-16 units of the output, truncation mark included. */
  readonly limit?: number;
}

/** For text of several lines from a server or a file: every line end becomes \n, tabs stay. */
export function gateText(text: string, options: GateOptions = {}): GatedText {
  return gate(text, MANY_LINES, options.limit ?? Infinity);
}

/** Whether a text has only printable ASCII and line feeds, so that a gate would not change it: one scan. */
export function isPlainText(text: string): boolean {
  return !MANY_LINES.unusual.test(text);
}

/** For text on one line, such as a name, a title or an error: line ends and tabs become blanks. */
export function gateLine(text: string, options: GateOptions = {}): GatedText {
  return gate(text, ONE_LINE, options.limit ?? Infinity);
}

/** A name from a server or a file, for the sentence of a message. */
export function gateName(name: string): string {
  return gateLine(name, { limit: NAME_LIMIT }).text;
}

const NAME_LIMIT = 100; // longer ones make a message unreadable
export const TRUNCATION_MARK = '… [truncated]';

interface Shape {
  readonly lineEnd: '\n' | ' ';
  readonly suspect: RegExp;
  /** Most texts have none of these; then `suspect` is never compiled, which takes 2 ms. */
  readonly unusual: RegExp;
}
// One pass over one character class, so clean text costs a single scan.
const MANY_LINES: Shape = {
  lineEnd: '\n',
  suspect: new RegExp(`[${SUSPECT_UNITS}]`, 'g'),
  unusual: /[^\n\x20-\x7e]/,
};
const ONE_LINE: Shape = {
  lineEnd: ' ',
  suspect: new RegExp(`[\\t\\n${SUSPECT_UNITS}]`, 'g'),
  unusual: /[^\x20-\x7e]/,
};

const CLEAN: readonly RemovedText[] = [];
const REPLACEMENT = '\ufffd';
const LINE_END = /[\n\v\f\r\u0085\u2028\u2029]/;

/** Removed characters cost time without adding to the length, so of a text that is truncated only a part is read. */
function gate(text: string, shape: Shape, limit: number): GatedText {
  const reach = limit * REACH + REACH_AT_LEAST;
  if (text.length <= reach) return gateAll(text, shape, limit);
  const head = isHighSurrogate(text.charCodeAt(reach - 1)) ? reach - 1 : reach;
  const gated = gateAll(text.slice(0, head), shape, limit);
  const counts = new Map(gated.findings.map(({ kind, count: number }) => [kind, number]));
  count(counts, 'truncated', text.length - head);
  if (gated.findings.some(({ kind }) => kind === 'truncated'))
    return { text: gated.text, findings: toFindings(counts) };
  return cut(gated.text, limit, counts, 0);
}

const REACH = 8;
const REACH_AT_LEAST = 1024;

/** Most texts are plain. Marks are bounded last: what is removed may have stood between them. */
function gateAll(text: string, shape: Shape, limit: number): GatedText {
  if (!shape.unusual.test(text))
    return text.length <= limit ? { text, findings: CLEAN } : cut(text, limit, new Map(), 0);
  const gated = gateCharacters(text, shape, limit);
  if (!hasManyMarks(gated.text)) return gated;
  // The marks may have filled the limit.
  const whole = limit === Infinity ? gated : gateCharacters(text, shape, Infinity);
  const bounded = boundMarks(whole.text);
  const counts = new Map(whole.findings.map(({ kind, count: number }) => [kind, number]));
  count(counts, 'marks', bounded.removed);
  if (bounded.text.length > limit) return cut(bounded.text, limit, counts, 0);
  return { text: bounded.text, findings: toFindings(counts) };
}

function gateCharacters(text: string, { lineEnd, suspect }: Shape, limit: number): GatedText {
  suspect.lastIndex = 0;
  if (!suspect.test(text)) return text.length <= limit ? { text, findings: CLEAN } : cut(text, limit, new Map(), 0);

  const counts = new Map<FindingKind, number>();
  const escapes = new EscapeScanner(text);
  let output = '';
  let copied = 0; // the text before this index is in the output
  let judged = 0; // the text before this index is decided
  let previous = 0; // the last kept character, which decides about joiners and selectors
  const replace = (from: number, to: number, by: string): void => {
    output += text.slice(copied, from) + by;
    copied = judged = to;
    if (by !== '') previous = by.codePointAt(0)!;
  };

  suspect.lastIndex = 0;
  for (let match = suspect.exec(text); match !== null; match = suspect.exec(text)) {
    const at = match.index;
    if (at > judged) previous = text.charCodeAt(at - 1); // one unit is enough: surrogates are suspect and decided
    const code = text.codePointAt(at)!;
    const end = at + (code > 0xffff ? 2 : 1);
    const character = match[0];
    const escapeEnd = escapes.endOf(at);
    if (escapeEnd !== undefined) {
      count(counts, 'escape');
      replace(at, escapeEnd, '');
    } else if (character === '\t') {
      replace(at, end, ' ');
    } else if (LINE_END.test(character)) {
      replace(at, character === '\r' && text[end] === '\n' ? end + 1 : end, lineEnd);
    } else {
      const hidden = hiddenKind(code);
      if (hidden === undefined || isLegitimate(code, previous, text.codePointAt(end))) {
        judged = end;
        previous = code;
      } else {
        count(counts, hidden);
        // The reader should see that something was there.
        replace(at, end, hidden === 'surrogate' || hidden === 'unassigned' ? REPLACEMENT : '');
      }
    }
    suspect.lastIndex = judged;
    if (output.length > limit) break;
  }
  if (output.length > limit) return cut(output, limit, counts, text.length - copied);
  output = copied === 0 ? text : output + text.slice(copied);
  return output.length > limit ? cut(output, limit, counts, 0) : { text: output, findings: toFindings(counts) };
}

/** Truncates to the limit, mark included, but never inside a surrogate pair or a joined sequence. */
function cut(text: string, limit: number, counts: Map<FindingKind, number>, unread: number): GatedText {
  const mark = limit >= TRUNCATION_MARK.length ? TRUNCATION_MARK : limit >= 1 ? '…' : '';
  let end = Math.min(Math.max(limit - mark.length, 0), text.length);
  if (isHighSurrogate(text.charCodeAt(end - 1))) end--;
  // These are only legitimate before the character that was cut off.
  while (end > 0 && DANGLING.has(text.charCodeAt(end - 1))) end--;
  if (text.length - end + unread > 0) count(counts, 'truncated', text.length - end + unread);
  return { text: text.slice(0, end) + mark, findings: toFindings(counts) };
}

const DANGLING: ReadonlySet<number> = new Set([0x200c, 0x200d, 0xfe0f]);

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

export function count(counts: Map<FindingKind, number>, kind: FindingKind, by = 1): void {
  counts.set(kind, (counts.get(kind) ?? 0) + by);
}

export function toFindings(counts: ReadonlyMap<FindingKind, number>): readonly RemovedText[] {
  return counts.size === 0 ? CLEAN : Array.from(counts, ([kind, number]) => ({ kind, count: number }));
}
