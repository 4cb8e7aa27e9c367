/**
 * Whether a pattern uses only syntax that all engines share: APIs compile it with engines other than JavaScript's, and
 * refuse the request when one fails. The pattern is only read here, never run.
 */
export function isPlainPattern(pattern: string): boolean {
  let groups = 0;
  /** What a quantifier here would repeat. */
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
      if (pattern[at + 1] === '?' && pattern[at + 2] !== ':') return false; // lookaround, named groups, flags
      if (pattern[at + 1] === '?') at += 2;
      last = 'nothing';
    } else if (character === ')') {
      if (--groups < 0) return false;
      last = 'something';
    } else if (character === '|' || character === '^' || character === '$') {
      last = 'nothing';
    } else if (character === '?' && last === 'repeated') {
      last = 'nothing'; // a lazy quantifier
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

/** The index of the bracket that closes this class; undefined when engines would disagree about it. */
function endOfClass(pattern: string, start: number): number | undefined {
  let at = pattern[start + 1] === '^' ? start + 2 : start + 1;
  if (pattern[at] === ']') return undefined; // an empty class in JavaScript, a literal bracket elsewhere
  let from: number | undefined; // the start of a possible range
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
      return undefined; // a hyphen after a range or class: literal in some engines, an error in others
    } else from = character.charCodeAt(0);
  }
  return undefined;
}

/** The character that an escape means, if it means itself. */
function literal(escaped: string | undefined): string | undefined {
  return escaped !== undefined && /[^A-Za-z0-9]/.test(escaped) ? escaped : undefined;
}

/** The length of `{2}`, `{2,}` or `{2,5}`; 0 for anything else. */
function countLength(pattern: string, at: number): number {
  COUNT.lastIndex = at;
  const [whole = '', least = '', most] = COUNT.exec(pattern) ?? [];
  if (Number(least) > REPETITIONS || Number(most || least) > REPETITIONS) return 0;
  return most && Number(most) < Number(least) ? 0 : whole.length;
}

const COUNT = /\{(\d{1,6})(?:,(\d{0,6}))?\}/y;
const REPETITIONS = 1000; // the limit of engines with linear time
const ESCAPES = 'dDwWsSbBnrtfv';
