export type HiddenKind =
  | 'control' // C0, DEL and C1
  | 'bidi' // changes the reading direction, so that the displayed text differs from the real one
  | 'invisible' // zero-width characters, fillers, soft hyphens, joiners that join nothing
  | 'tag' // the tag block: a second ASCII that only a model reads
  | 'marks' // more accents on one letter than any script has: they cover other rows, and can encode bytes
  | 'variation' // selectors, 256 of which can encode bytes after any letter
  | 'surrogate' // half of a surrogate pair
  | 'unassigned'; // noncharacters, and unassigned or private planes

/** The kind of a hidden character; undefined for one that may stay, as the BMP's private use area, which is visible. */
export function hiddenKind(code: number): HiddenKind | undefined {
  for (const [from, to, kind] of code > 0xffff ? UPPER : LOWER) {
    if (code >= from && code <= to) return kind;
  }
  return code > 0xffff && (code & 0xfffe) === 0xfffe ? 'unassigned' : undefined;
}

/**
 * Whether a joiner or selector has its proper use between these characters: joined emoji, Persian and Indic words that
 * need it for their spelling, Mongolian letter forms.
 */
export function isLegitimate(code: number, previous: number, next: number | undefined): boolean {
  switch (code) {
    case EMOJI_STYLE:
      return isPictograph(previous) || (isKeycapBase(previous) && next === KEYCAP);
    case JOINER:
      return joinsEmoji(previous, next) || joinsLetters(previous, next);
    case NON_JOINER:
      return joinsLetters(previous, next);
    case 0x180b:
    case 0x180c:
    case 0x180d:
    case 0x180f:
      return isMongolian(String.fromCodePoint(previous));
    default:
      return false;
  }
}

/** Combining marks that one letter may have. Tibetan has a letter with eight, and no script has one with more. */
const MARKS_AT_MOST = 8;

/** Whether a letter has more combining marks than it may. */
export function hasManyMarks(text: string): boolean {
  return MAY_BE_MARKS.test(text) && manyMarks().test(text);
}

/**
 * Code units that may be marks or joiners, without the blocks of Latin, Greek, Cyrillic, kana, Han and Hangul letters:
 * texts in these scripts are scanned once, by an expression that needs no table of characters.
 */
export const MAY_BE_MARKS =
  /[\u0300-\u036f\u0483-\u0489\u0590-\u302f\u3098-\u309a\ua640-\uabff\ud800-\udfff\ufb1d-\ufb1e\ufdff-\ufe2f]{8}/;

/** A text whose letters have no more marks than they may, with the number of those that were removed. */
export function boundMarks(text: string): { readonly text: string; readonly removed: number } {
  const bounded = text.replaceAll(manyMarks(), '$<kept>');
  return { text: bounded, removed: text.length - bounded.length };
}

// Inside a function, because building such a set takes V8 a millisecond.
function manyMarks(): RegExp {
  return marksBeyond(MARKS_AT_MOST);
}

/** Finds letters with more than so many marks: those that it keeps, and the rest. A joiner begins no other letter. */
export function marksBeyond(most: number): RegExp {
  const next = String.raw`[\u200c\u200d]*\p{M}`;
  return new RegExp(`(?<kept>\\p{M}(?:${next}){${most - 1}})(?<rest>(?:${next})+)`, 'gu');
}

type Range = readonly [from: number, to: number, kind: HiddenKind];

const LOWER: readonly Range[] = [
  [0xd800, 0xdfff, 'surrogate'],
  [0x0000, 0x0008, 'control'],
  [0x000b, 0x001f, 'control'],
  [0x007f, 0x009f, 'control'],
  [0x00ad, 0x00ad, 'invisible'],
  [0x034f, 0x034f, 'invisible'],
  [0x061c, 0x061c, 'bidi'],
  [0x115f, 0x1160, 'invisible'],
  [0x17b4, 0x17b5, 'invisible'],
  [0x180b, 0x180d, 'variation'],
  [0x180e, 0x180e, 'invisible'],
  [0x180f, 0x180f, 'variation'],
  [0x200b, 0x200d, 'invisible'],
  [0x200e, 0x200f, 'bidi'],
  [0x2028, 0x2029, 'control'],
  [0x202a, 0x202e, 'bidi'],
  [0x2060, 0x2065, 'invisible'],
  [0x2066, 0x2069, 'bidi'],
  [0x206a, 0x206f, 'invisible'],
  [0x3164, 0x3164, 'invisible'],
  [0xfdd0, 0xfdef, 'unassigned'],
  [0xfe00, 0xfe0f, 'variation'],
  [0xfeff, 0xfeff, 'invisible'],
  [0xffa0, 0xffa0, 'invisible'],
  [0xfff0, 0xfffb, 'invisible'],
  [0xfffe, 0xffff, 'unassigned'],
];

const UPPER: readonly Range[] = [
  [0x1bca0, 0x1bca3, 'invisible'],
  [0x1d173, 0x1d17a, 'invisible'],
  [0x40000, 0xdffff, 'unassigned'],
  [0xe0000, 0xe007f, 'tag'],
  [0xe0080, 0xe00ff, 'invisible'],
  [0xe0100, 0xe01ef, 'variation'],
  [0xe01f0, 0xe0fff, 'invisible'],
  // From plane 15 on, a character's last byte can carry ASCII, as the tag block does.
  [0xe1000, 0x10ffff, 'unassigned'],
];

/** The inside of a character class over UTF-16 units: every surrogate is suspect until its pair has been checked. */
export const SUSPECT_UNITS = LOWER.map(([from, to]) => `${escaped(from)}-${escaped(to)}`).join('');

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

const NON_JOINER = 0x200c;
const JOINER = 0x200d;
const EMOJI_STYLE = 0xfe0f;
const KEYCAP = 0x20e3;
/** After one of these a joiner may also end a word, as in Malayalam. */
const VIRAMA = /^[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]$/;

function joinsEmoji(previous: number, next: number | undefined): boolean {
  const joinable = previous === EMOJI_STYLE || (previous >= 0x1f3fb && previous <= 0x1f3ff) || isPictograph(previous);
  return joinable && next !== undefined && isPictograph(next);
}

function joinsLetters(previous: number, next: number | undefined): boolean {
  const before = String.fromCodePoint(previous);
  if (VIRAMA.test(before)) return true;
  // Some marks of these scripts are hidden themselves: what will be removed cannot be joined.
  if (next === undefined || hiddenKind(next) !== undefined) return false;
  return isCursive(before) && isCursive(String.fromCodePoint(next));
}

function isPictograph(code: number): boolean {
  return code > 0x7f && /^\p{Extended_Pictographic}$/u.test(String.fromCodePoint(code));
}

// Inside functions, because building such a set takes V8 a millisecond and clean text never needs it.
function isMongolian(letter: string): boolean {
  return /^(?=\p{L})\p{Script=Mongolian}$/u.test(letter);
}

function isCursive(letter: string): boolean {
  return /^(?=[\p{L}\p{M}])[\p{scx=Arabic}\p{scx=Syriac}\p{scx=Nko}\p{scx=Mandaic}\p{scx=Mongolian}\p{scx=Devanagari}\p{scx=Bengali}\p{scx=Gurmukhi}\p{scx=Gujarati}\p{scx=Oriya}\p{scx=Tamil}\p{scx=Telugu}\p{scx=Kannada}\p{scx=Malayalam}\p{scx=Sinhala}\p{scx=Tibetan}\p{scx=Myanmar}\p{scx=Khmer}]$/u.test(
    letter,
  );
}

function isKeycapBase(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x23 || code === 0x2a;
}
