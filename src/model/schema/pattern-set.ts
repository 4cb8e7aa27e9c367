/** The code points that one character of a text may be. */
export interface CharacterSet {
  /** One byte for each of the first 128 code points, which decide most texts. */
  readonly ascii: Uint8Array;
  /** From, to, from, to ..., ascending, without overlap. */
  readonly ranges: readonly number[];
  /** Unicode properties, tested by the engine one character at a time. */
  readonly properties: RegExp | undefined;
  readonly negated: boolean;
}

export type Ranges = readonly (readonly [from: number, to: number])[];

export interface SetParts {
  readonly ranges: Ranges;
  /** As a pattern spells them, such as \p{L}; already validated. */
  readonly properties: ReadonlySet<string>;
  readonly negated: boolean;
}

export function toCharacterSet({ ranges, properties, negated }: SetParts): CharacterSet {
  const set = {
    ascii: new Uint8Array(ASCII),
    ranges: merged(ranges),
    properties: properties.size === 0 ? undefined : new RegExp(`^[${[...properties].join('')}]$`, 'u'),
    negated,
  };
  for (let code = 0; code < ASCII; code++) set.ascii[code] = search(set, code) ? 1 : 0;
  return set;
}

export function contains(set: CharacterSet, code: number): boolean {
  return code < ASCII ? set.ascii[code] === 1 : search(set, code);
}

const ASCII = 128;

function search({ ranges, properties, negated }: CharacterSet, code: number): boolean {
  let low = 0;
  let high = ranges.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (code > ranges[middle * 2 + 1]!) low = middle + 1;
    else high = middle;
  }
  if (low * 2 < ranges.length && code >= ranges[low * 2]!) return !negated;
  return (properties?.test(String.fromCodePoint(code)) ?? false) !== negated;
}

function merged(ranges: Ranges): number[] {
  const flat: number[] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = flat.length - 1;
    if (last > 0 && from <= flat[last]! + 1) flat[last] = Math.max(flat[last]!, to);
    else flat.push(from, to);
  }
  return flat;
}

export const LAST_CODE = 0x10ffff;
export const DIGIT: Ranges = [[0x30, 0x39]];
export const WORD: Ranges = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
export const SPACE: Ranges = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
export const LINE_END: Ranges = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** The gaps between ascending ranges. */
export function inverse(ranges: Ranges): Ranges {
  const gaps: [number, number][] = [];
  let from = 0;
  for (const [start, end] of ranges) {
    if (start > from) gaps.push([from, start - 1]);
    from = end + 1;
  }
  gaps.push([from, LAST_CODE]);
  return gaps;
}
