/** Many strings in two arrays outside of the heap. Compared by UTF-16 units, which is how JavaScript orders strings. */
export class StringTable {
  readonly size: number;
  readonly #units: Numbers;
  /** Where each begins, and after the last one where it ends. */
  readonly #starts: Numbers;

  constructor(units: Numbers, starts: Numbers) {
    this.size = starts.length - 1;
    this.#units = units;
    this.#starts = starts;
  }

  at(index: number): string {
    return toText(this.#units.subarray(this.#starts[index], this.#starts[index + 1]));
  }

  lengthOf(index: number): number {
    return this.#starts[index + 1]! - this.#starts[index]!;
  }

  unitAt(index: number, place: number): number {
    return this.#units[this.#starts[index]! + place]!;
  }

  /** Negative when the one in the table comes first. */
  compare(index: number, text: string): number {
    const length = this.lengthOf(index);
    const shared = Math.min(length, text.length);
    for (let place = 0; place < shared; place++) {
      const difference = this.unitAt(index, place) - text.charCodeAt(place);
      if (difference !== 0) return difference;
    }
    return length - text.length;
  }

  compareWith(index: number, other: StringTable, otherIndex: number): number {
    const length = this.lengthOf(index);
    const otherLength = other.lengthOf(otherIndex);
    const shared = Math.min(length, otherLength);
    for (let place = 0; place < shared; place++) {
      const difference = this.unitAt(index, place) - other.unitAt(otherIndex, place);
      if (difference !== 0) return difference;
    }
    return length - otherLength;
  }

  /** Of a table in order: which it is, or -1. */
  find(text: string): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.compare(middle, text);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  /** Whether every place is inside, and no string is shorter or longer than it may be. Asked of what comes from a file. */
  isSound({ shortest, longest }: { readonly shortest: number; readonly longest: number }): boolean {
    if (this.#starts[0] !== 0 || this.#starts[this.size] !== this.#units.length) return false;
    for (let index = 0; index < this.size; index++) {
      const length = this.lengthOf(index);
      if (length < shortest || length > longest) return false;
    }
    return true;
  }

  /** Whether they are in order, and each is there once. */
  isSorted(): boolean {
    for (let index = 1; index < this.size; index++) {
      if (this.compareWith(index - 1, this, index) >= 0) return false;
    }
    return true;
  }
}

/** Of the narrowest kind that holds what is in it: half a thousand servers are half a million numbers. */
export type Numbers = Uint8Array | Uint16Array | Uint32Array;

/** Writes strings one after the other; gives where each begins and the last one ends. */
export function writeStrings(strings: readonly string[], units: Numbers, starts: Numbers): void {
  let place = 0;
  for (let index = 0; index < strings.length; index++) {
    const text = strings[index]!;
    starts[index] = place;
    for (let at = 0; at < text.length; at++) units[place++] = text.charCodeAt(at);
  }
  starts[strings.length] = place;
}

function toText(units: Numbers): string {
  return String.fromCharCode.apply(undefined, units as unknown as number[]); // an array of any kind will do
}
