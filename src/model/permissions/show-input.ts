import { roughSize } from '../../base/rough-size.js';
import { hiddenKind, isLegitimate, marksBeyond, SUSPECT_UNITS } from '../text/hidden-characters.js';

/**
 * A call's input as JSON for the person who decides, with hidden characters written out and a counted mark wherever
 * something was left out.
 */
export function showInput(input: unknown, limit = SHOWN_LIMIT): string {
  let text: string;
  try {
    const shown =
      typeof input === 'object' && input !== null && isLarge(input) ? cutParts(input, { left: PARTS }) : input;
    text =
      JSON.stringify(shown, (_, value: unknown) => (typeof value === 'string' ? cutMiddle(value) : value), 2) ?? '';
  } catch (error) {
    return `[it cannot be shown: ${error instanceof Error ? error.message : String(error)}]`;
  }
  const visible = showHidden(text.length > limit * 2 ? text.slice(0, limit * 2) : text);
  if (text.length <= limit * 2 && visible.length <= limit) return visible;
  return `${visible.slice(0, limit)}\n… [cut here: about ${Math.max(text.length - limit, 1)} more characters]`;
}

/**
 * Writes characters that are invisible, or look like a plain blank, as `\u{200b}`, and accents that would cover other
 * rows as `[\u{301}×40]`.
 */
export function showHidden(text: string): string {
  if (!/[^\n\x20-\x7e]/.test(text)) return text;
  // Again, because a joiner may have had its place after a mark that is written out now.
  return showInvisible(showMarks(showInvisible(text)));
}

const MARKS_IN_A_ROW = 4; // as many as fit above and below a letter in a row of a terminal

function showMarks(text: string): string {
  if (!/[\u0300-\uffff]{5}/.test(text)) return text;
  return text.replaceAll(
    marksBeyond(MARKS_IN_A_ROW),
    (_, kept: string, rest: string) =>
      kept +
      rest.replaceAll(/(?<mark>.)\k<mark>*/gu, (run: string, mark: string) => {
        const code = `\\u{${mark.codePointAt(0)!.toString(16)}}`;
        return run === mark ? code : `[${code}×${run.length / mark.length}]`;
      }),
  );
}

function showInvisible(text: string): string {
  const suspect = new RegExp(`[${SUSPECT_UNITS}${BLANKS}\\t]`, 'g');
  let shown = '';
  let copied = 0;
  for (let match = suspect.exec(text); match !== null; match = suspect.exec(text)) {
    const at = match.index;
    const code = text.codePointAt(at)!;
    const end = at + (code > 0xffff ? 2 : 1);
    suspect.lastIndex = end;
    // What was just written out is joined to nothing.
    const previous = copied === at ? 0 : before(text, at);
    const isBlank = code === 0x09 || (code <= 0xffff && new RegExp(`[${BLANKS}]`).test(match[0]));
    if (!isBlank && (hiddenKind(code) === undefined || isLegitimate(code, previous, text.codePointAt(end)))) continue;
    shown += `${text.slice(copied, at)}\\u{${code.toString(16)}}`;
    copied = end;
  }
  return copied === 0 ? text : shown + text.slice(copied);
}

const SHOWN_LIMIT = 20_000; // some hundred lines: more than a person reads before answering
const STRING_LIMIT = 4_000;
/** All but the plain blank: no-break, en, em, ideographic, and the Braille cell without dots. */
const BLANKS = '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\u2800';

/** Keeps the beginning and the end of a long value, so that the input after it is shown as well. */
function cutMiddle(value: string): string {
  if (value.length <= STRING_LIMIT) return value;
  const half = STRING_LIMIT / 2;
  return `${value.slice(0, half)}… [${value.length - STRING_LIMIT} characters not shown] …${value.slice(-half)}`;
}

const PARTS = 5_000; // elements of lists and objects: more lines than a person reads
const LARGE = 200_000; // characters; shorter input is stringified whole

function isLarge(input: object): boolean {
  return roughSize(input, LARGE) > LARGE;
}

/** The first parts, with a mark for the omitted ones: stringifying millions would block the event loop. */
function cutParts(value: unknown, room: { left: number }): unknown {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  const isList = Array.isArray(value);
  const keys = isList ? undefined : Object.keys(value);
  const length = keys?.length ?? (value as readonly unknown[]).length;
  const taken: [string, unknown][] = [];
  for (; taken.length < length && room.left > 0; room.left--) {
    const key = keys?.[taken.length] ?? String(taken.length);
    taken.push([key, cutParts((value as { readonly [key: string]: unknown })[key], room)]);
  }
  const rest = length - taken.length;
  if (rest > 0) taken.push(['…', `[${rest} more not shown]`]);
  return isList ? taken.map(([, part]) => part) : Object.fromEntries(taken);
}

function before(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xdc00 && unit <= 0xdfff ? (text.codePointAt(at - 2) ?? 0) : unit || 0;
}
