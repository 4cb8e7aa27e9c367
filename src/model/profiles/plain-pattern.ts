/**
 * Whether a pattern is written with nothing but what all engines know: APIs compile it with engines other than
 * JavaScript's, and refuse the request when one of them cannot. It is only read here, never run.
 */
export function isPlainPattern(pattern: string): boolean {
  let groups = 0;
  /** What a sign of repetition would repeat. */
  let last: 'nothing' | 'something' | 'repeated' = 'nothing';
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!;
    if (character === '\\') {
      at++;
      if (!isPlainEscape(pattern[at])) return false;
      last = pattern[at] === 'b' || pattern[at] === 'B' ? 'nothing' : 'something';
    } else if (character === '[') {
      const end = endOfClass(pattern, at);
      if (end === undefined) return false;
      at = end;
      last = 'something';
    } else if (character === '(') {
      groups++;
      if (pattern[at + 1] === '?' && pattern[at + 2] !== ':') return false; // looks ahead or behind, names, flags
      if (pattern[at + 1] === '?') at += 2;
      last = 'nothing';
    } else if (character === ')') {
      if (--groups < 0) return false;
      last = 'something';
    } else if (character === '|' || character === '^' || character === '$') {
      last = 'nothing';
    } else if (character === '?' && last === 'repeated') {
      last = 'nothing'; // as few as possible
    } else if (character === '*' || character === '+' || character === '?' || character === '{') {
      const length = character === '{' ? countLength(pattern, at) : 1;
      if (last !== 'something' || length === 0) return false;
      at += length - 1;
      last = 'repeated';
    } else if (character === ']' || character === '}') {
      return false;
    } else last = 'something';
  }
  return groups === 0;
}

function isPlainEscape(character: string | undefined): boolean {
  return character !== undefined && (ESCAPES.includes(character) || !/[\p{L}\p{N}]/u.test(character));
}

/** Where the class that begins here ends; undefined when engines would not agree on it. */
function endOfClass(pattern: string, start: number): number | undefined {
  let at = pattern[start + 1] === '^' ? start + 2 : start + 1;
  if (pattern[at] === ']') return undefined; // nothing in JavaScript, a bracket elsewhere
  let from: number | undefined; // of a range, should one begin
  for (; at < pattern.length; at++) {
    const character = pattern[at]!;
    if (character === ']') return at;
    if (character === '[' || ('&~|-'.includes(character) && pattern[at + 1] === character)) return undefined;
    if (character === '-' && from !== undefined && pattern[at + 1] !== ']') {
      const to = pattern[at + 1] === '\\' ? literal(pattern[at + 2]) : pattern[at + 1];
      if (to === undefined || to.charCodeAt(0) < from) return undefined;
      at += pattern[at + 1] === '\\' ? 2 : 1;
      from = undefined;
    } else if (character === '\\') {
      at++;
      if (!isPlainEscape(pattern[at])) return undefined;
      from = literal(pattern[at])?.charCodeAt(0);
    } else if (character === '-' && pattern[at + 1] !== ']' && at > start + 2) {
      return undefined; // after a range or a class: a hyphen here, an error there
    } else from = character.charCodeAt(0);
  }
  return undefined;
}

/** The character that an escape stands for when it stands for itself. */
function literal(escaped: string | undefined): string | undefined {
  return escaped !== undefined && /[^A-Za-z0-9]/.test(escaped) ? escaped : undefined;
}

/** Of `{2}`, `{2,}` and `{2,5}`; 0 for anything else. */
function countLength(pattern: string, at: number): number {
  COUNT.lastIndex = at;
  const [whole = '', least = '', most] = COUNT.exec(pattern) ?? [];
  if (Number(least) > REPETITIONS || Number(most || least) > REPETITIONS) return 0;
  return most && Number(most) < Number(least) ? 0 : whole.length;
}

const COUNT = /\{(\d{1,6})(?:,(\d{0,6}))?\}/y;
const REPETITIONS = 1000; // engines that promise linear time take no more
const ESCAPES = 'dDwWsSbBnrtfv';
