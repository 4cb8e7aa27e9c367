import { type Numbers, StringTable } from './string-table.js';
import { TermTable } from './term-table.js';
import { WORD_LIMIT } from './words.js';

/**
 * The words of one server's tools, and which tool has which: one block of bytes, and arrays that look into it. Nothing in it is
 * ever changed, so that the same bytes can go into a file.
 */
export class SearchSegment {
  /** How many tools. */
  readonly size: number;
  /** As models know them, in order: the number of a tool is its place here. */
  readonly names: StringTable;
  /** As the server spells them, in the order of the names. */
  readonly tools: StringTable;
  readonly terms: TermTable;
  /** How many tools have a term. */
  readonly counts: Numbers;
  /** Where the tools of a term begin, and after the last one where they end. */
  readonly starts: Numbers;
  /** For each tool that has a term: how much further it is than the one before, seven bits a byte, and a byte of weight. */
  readonly postings: Uint8Array;
  /** How many words each tool has. */
  readonly lengths: Uint16Array;
  readonly lengthTotal: number;
  readonly #bytes: Uint8Array;

  constructor(parts: SegmentParts) {
    this.size = parts.lengths.length;
    this.names = new StringTable(parts.nameUnits, parts.nameStarts);
    this.tools = new StringTable(parts.toolUnits, parts.toolStarts);
    this.terms = new TermTable(new StringTable(parts.termUnits, parts.termStarts));
    this.counts = parts.counts;
    this.starts = parts.starts;
    this.postings = parts.postings;
    this.lengths = parts.lengths;
    this.lengthTotal = parts.lengths.reduce((sum, length) => sum + length, 0);
    this.#bytes = parts.bytes;
  }

  /** What readSegment takes. The segment's own memory: to be read, not to be changed. */
  toBytes(): Uint8Array {
    return this.#bytes;
  }
}

/** What a segment is made of. */
export interface SegmentParts {
  readonly bytes: Uint8Array;
  readonly nameStarts: Numbers;
  readonly toolStarts: Numbers;
  readonly termStarts: Numbers;
  readonly counts: Numbers;
  readonly starts: Numbers;
  readonly nameUnits: Numbers;
  readonly toolUnits: Numbers;
  readonly termUnits: Numbers;
  readonly lengths: Uint16Array;
  readonly postings: Uint8Array;
}

/** How much there is of everything. */
export interface SegmentSize {
  readonly documents: number;
  readonly terms: number;
  readonly nameUnits: number;
  readonly toolUnits: number;
  readonly termUnits: number;
  /** The highest unit of names and tools, and of terms: most are ASCII. */
  readonly highestOfNames: number;
  readonly highestOfTerms: number;
  /** In bytes. */
  readonly postings: number;
}

/** Room for a segment, with nothing in it but its size. */
export function makeParts(size: SegmentSize): SegmentParts {
  const buffer = new ArrayBuffer(lookInto(undefined, size).bytes);
  new Uint32Array(buffer, 0, HEADER).set([MAGIC, VERSION, ...SIZES.map((field) => size[field])]);
  return lookInto(buffer, size).parts;
}

/** Undefined when it is not one, or one of another version. Bytes from a file: cut, old, or written by somebody else. */
export function readSegment(bytes: Uint8Array): SearchSegment | undefined {
  if (bytes.length < HEADER * 4 || bytes.length > BYTE_LIMIT) return undefined;
  // A copy: whoever read the file may use its memory again, and what was looked at has to stay as it was.
  const buffer = new ArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  const [magic, version, ...numbers] = new Uint32Array(buffer, 0, HEADER);
  if (magic !== MAGIC || version !== VERSION || numbers.some((number) => number > BYTE_LIMIT)) return undefined;
  const size = Object.fromEntries(SIZES.map((field, at) => [field, numbers[at]!])) as unknown as SegmentSize;
  if (size.documents > DOCUMENT_LIMIT || lookInto(undefined, size).bytes !== buffer.byteLength) return undefined;
  const { parts } = lookInto(buffer, size);
  const names = new StringTable(parts.nameUnits, parts.nameStarts);
  const tools = new StringTable(parts.toolUnits, parts.toolStarts);
  const terms = new StringTable(parts.termUnits, parts.termStarts);
  const isSound =
    names.isSound({ shortest: 1, longest: NAME_UNITS }) &&
    tools.isSound({ shortest: 0, longest: NAME_UNITS }) &&
    terms.isSound({ shortest: 1, longest: WORD_LIMIT }) &&
    names.isSorted() &&
    terms.isSorted() &&
    arePostingsSound(parts);
  return isSound ? new SearchSegment(parts) : undefined;
}

export const DOCUMENT_LIMIT = 50_000; // a server is taken with 10,000 tools
export const NAME_UNITS = 256; // what a model's API takes has 64, what a server may call its tool 256

// Read as a number of this machine: a file from one with the other order of bytes is not recognised, and made again.
const MAGIC = 0x5347_4250;
const VERSION = 1; // to be raised when words are made in another way, too: new stems do not find old ones
const SIZES = [
  'documents',
  'terms',
  'nameUnits',
  'toolUnits',
  'termUnits',
  'highestOfNames',
  'highestOfTerms',
  'postings',
] as const satisfies readonly (keyof SegmentSize)[];
const HEADER = 2 + SIZES.length;
const BYTE_LIMIT = 128_000_000; // 10,000 tools with every word they may have take some 20 MB

/** Where everything is, and how many bytes that makes. Without a buffer only the latter means something. */
function lookInto(buffer: ArrayBuffer | undefined, size: SegmentSize): { parts: SegmentParts; bytes: number } {
  const { documents, terms, nameUnits, toolUnits, termUnits, highestOfNames, highestOfTerms, postings } = size;
  let end = HEADER * 4;
  const parts = {
    bytes: new Uint8Array(buffer ?? NOTHING),
    nameStarts: place(documents + 1, nameUnits),
    toolStarts: place(documents + 1, toolUnits),
    termStarts: place(terms + 1, termUnits),
    counts: place(terms, documents),
    starts: place(terms + 1, postings),
    nameUnits: place(nameUnits, highestOfNames),
    toolUnits: place(toolUnits, highestOfNames),
    termUnits: place(termUnits, highestOfTerms),
    lengths: place(documents, 0xffff) as Uint16Array,
    postings: place(postings, 0xff) as Uint8Array,
  };
  return { parts, bytes: end };

  function place(length: number, highest: number): Numbers {
    const kind = highest > 0xffff ? Uint32Array : highest > 0xff ? Uint16Array : Uint8Array;
    const width = kind.BYTES_PER_ELEMENT;
    const start = Math.ceil(end / width) * width; // numbers may only begin at a multiple of their width
    end = start + length * width;
    return buffer === undefined ? new kind(NOTHING) : new kind(buffer, start, length);
  }
}

const NOTHING = new ArrayBuffer(0);

/** Whether each list has as many tools as it says, in order, all of which exist, and ends where the next one begins. */
function arePostingsSound({ counts, starts, postings, lengths }: SegmentParts): boolean {
  let at = 0;
  for (let term = 0; term < counts.length; term++) {
    if (starts[term] !== at) return false;
    let document = -1;
    for (let count = counts[term]!; count > 0; count--) {
      let step = 0;
      let shift = 0;
      let byte = 0;
      do {
        if (at >= postings.length || shift > 14) return false;
        byte = postings[at++]!;
        step |= (byte & 0x7f) << shift;
        shift += 7;
      } while (byte > 0x7f);
      document += step;
      if (step === 0 || document >= lengths.length || at >= postings.length || postings[at++] === 0) return false;
    }
    if (document < 0) return false;
  }
  return starts[counts.length] === at && at === postings.length;
}
