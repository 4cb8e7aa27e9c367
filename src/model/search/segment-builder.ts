import { DOCUMENT_LIMIT, makeParts, NAME_UNITS, SearchSegment } from './search-segment.js';
import { writeStrings } from './string-table.js';
import { eachWord, isFiller, toStem, WORD_LIMIT } from './words.js';

/** What a tool is found by. */
export interface SearchDocument {
  /** As models know it. */
  readonly name: string;
  /** As its server spells it. */
  readonly tool: string;
  readonly title?: string | undefined;
  readonly description: string;
  /** Words that its author wants it to be found by. */
  readonly hint?: string | undefined;
  readonly parameters: readonly string[];
}

/**
 * Makes the segment of one server, tool by tool: a few hundredths of a millisecond each, so that whoever builds can let others
 * have their turn in between. In which order they come does not matter; of two with the same name the first one counts.
 */
export class SegmentBuilder {
  readonly #names: string[] = [];
  readonly #known = new Set<string>();
  readonly #tools: string[] = [];
  readonly #lengths: number[] = [];
  readonly #terms = new Map<string, number>();
  /** The term of each word as it was written, so that most words are looked up once and nothing else. */
  readonly #words = new Map<string, number>();
  /** For each term what the tool at hand has of it: weight, how often in the field at hand, and which field that is. */
  #scratch = new Uint32Array(1_024);
  #touched: number[] = [];
  #length = 0;
  /** Terms and weights, tool after tool. */
  #found = new Uint32Array(4_096);
  #weights = new Uint8Array(4_096);
  #foundCount = 0;
  /** Where those of each tool end. */
  readonly #ends: number[] = [];

  add(document: SearchDocument): void {
    const { name, tool, title, description, hint, parameters } = document;
    if (name === '' || name.length > NAME_UNITS || this.#names.length >= DOCUMENT_LIMIT) return;
    if (this.#known.has(name)) return;
    this.#known.add(name);
    this.#names.push(name);
    this.#tools.push(tool.slice(0, NAME_UNITS));
    this.#length = 0;
    this.#see(tool.slice(0, NAME_UNITS), FIELDS.tool);
    this.#seeJoined(tool);
    this.#see(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name, FIELDS.name);
    if (hint !== undefined) this.#see(hint.slice(0, HINT_LIMIT), FIELDS.hint);
    if (title !== undefined) this.#see(title.slice(0, TITLE_LIMIT), FIELDS.title);
    for (const parameter of parameters.slice(0, PARAMETER_LIMIT)) {
      this.#see(parameter.slice(0, PARAMETER_UNITS), FIELDS.parameters);
    }
    this.#see(description.slice(0, DESCRIPTION_LIMIT), FIELDS.description);
    this.#close();
  }

  finish(): SearchSegment {
    const order = this.#names.map((_, at) => at).toSorted((a, b) => (this.#names[a]! < this.#names[b]! ? -1 : 1));
    const terms = [...this.#terms.keys()].toSorted();
    const names = order.map((at) => this.#names[at]!);
    const tools = order.map((at) => this.#tools[at]!);
    const lists = this.#toLists(order, this.#toRanks(terms));
    const parts = makeParts({
      documents: names.length,
      terms: terms.length,
      nameUnits: unitsOf(names),
      toolUnits: unitsOf(tools),
      termUnits: unitsOf(terms),
      highestOfNames: Math.max(highestOf(names), highestOf(tools)),
      highestOfTerms: highestOf(terms),
      postings: lists.postings.length,
    });
    writeStrings(names, parts.nameUnits, parts.nameStarts);
    writeStrings(tools, parts.toolUnits, parts.toolStarts);
    writeStrings(terms, parts.termUnits, parts.termStarts);
    parts.counts.set(lists.counts);
    parts.starts.set(lists.starts);
    parts.postings.set(lists.postings);
    for (const [place, at] of order.entries()) parts.lengths[place] = this.#lengths[at]!;
    return new SearchSegment(parts);
  }

  #see(text: string, field: Field): void {
    eachWord(text, (word, parts) => {
      this.#count(word, field);
      for (const part of parts) this.#count(part, field);
    });
  }

  /** `create_issue` is found by `createissue` too, and by `create issue` better than `create_issue_comment`. */
  #seeJoined(tool: string): void {
    const joined = joinWords(tool);
    if (joined !== undefined) this.#weigh(this.#toTerm(toStem(joined), FIELDS.joined), FIELDS.joined);
  }

  #count(word: string, field: Field): void {
    let term = this.#words.get(word);
    if (term === undefined) {
      term = isFiller(word) ? FILLER : this.#toTerm(toStem(word), field);
      if (term !== NOWHERE && this.#words.size < 2 * TERM_LIMIT) this.#words.set(word, term);
    }
    if (term === FILLER) {
      if (!field.hasFillers) return;
      term = this.#toTerm(toStem(word), field);
    }
    this.#length++;
    this.#weigh(term, field);
  }

  #weigh(term: number, { index, weight, most }: Field): void {
    if (term === NOWHERE) return;
    const seen = this.#scratch[term]!;
    if (seen === 0) this.#touched.push(term);
    const times = seen >>> 24 === index ? (seen >>> 16) & 0xff : 0;
    if (times < most) this.#scratch[term] = ((index << 24) | ((times + 1) << 16) | ((seen & 0xffff) + weight)) >>> 0;
  }

  /** A server that makes up words without end is not given memory without end; words of names are kept for longer. */
  #toTerm(stem: string, { isName }: Field): number {
    const known = this.#terms.get(stem);
    if (known !== undefined) return known;
    const term = this.#terms.size;
    if (term >= (isName ? 2 * TERM_LIMIT : TERM_LIMIT)) return NOWHERE;
    this.#terms.set(stem, term);
    if (term >= this.#scratch.length) this.#scratch = grown(this.#scratch, new Uint32Array(2 * term));
    return term;
  }

  #close(): void {
    const needed = this.#foundCount + this.#touched.length;
    if (needed > this.#found.length) {
      this.#found = grown(this.#found, new Uint32Array(2 * needed));
      this.#weights = grown(this.#weights, new Uint8Array(2 * needed));
    }
    for (const term of this.#touched) {
      this.#found[this.#foundCount] = term;
      this.#weights[this.#foundCount++] = Math.min(this.#scratch[term]! & 0xffff, 0xff);
      this.#scratch[term] = 0;
    }
    this.#touched = [];
    this.#ends.push(this.#foundCount);
    this.#lengths.push(Math.min(this.#length, 0xffff));
  }

  /** Which place each term has among all of them in order. */
  #toRanks(sorted: readonly string[]): Uint32Array {
    const ranks = new Uint32Array(sorted.length);
    for (const [rank, term] of sorted.entries()) ranks[this.#terms.get(term)!] = rank;
    return ranks;
  }

  #toLists(order: readonly number[], ranks: Uint32Array): Lists {
    const count = this.#foundCount;
    const counts = new Uint32Array(ranks.length);
    for (let at = 0; at < count; at++) counts[ranks[this.#found[at]!]!]!++;
    const places = new Uint32Array(ranks.length);
    for (let rank = 1; rank < ranks.length; rank++) places[rank] = places[rank - 1]! + counts[rank - 1]!;
    const documents = new Uint16Array(count);
    const weights = new Uint8Array(count);
    for (const [document, added] of order.entries()) {
      for (let at = added === 0 ? 0 : this.#ends[added - 1]!; at < this.#ends[added]!; at++) {
        const place = places[ranks[this.#found[at]!]!]!++;
        documents[place] = document;
        weights[place] = this.#weights[at]!;
      }
    }
    return pack(counts, documents, weights);
  }
}

/** The words of a name without what is between them; undefined where that is too long to be asked for. */
export function joinWords(text: string): string | undefined {
  let joined = '';
  eachWord(text.slice(0, NAME_UNITS), (word) => (joined += joined.length > WORD_LIMIT ? '' : word));
  return joined.length > 0 && joined.length <= WORD_LIMIT ? joined : undefined;
}

/** Where a word may stand, what it weighs there, and how often that counts. */
interface Field {
  readonly index: number;
  readonly weight: number;
  readonly most: number;
  readonly isName: boolean;
  readonly hasFillers: boolean;
}

const named = { most: 1, isName: true, hasFillers: true };
// What a tool is called says most; what its author says over and over says no more than three times.
const FIELDS = {
  tool: { ...named, index: 1, weight: 12 },
  joined: { ...named, index: 2, weight: 12 },
  name: { ...named, index: 3, weight: 4 },
  hint: { index: 4, weight: 10, most: 1, isName: true, hasFillers: false },
  title: { index: 5, weight: 6, most: 1, isName: true, hasFillers: false },
  parameters: { index: 6, weight: 2, most: 1, isName: false, hasFillers: false },
  description: { index: 7, weight: 1, most: 3, isName: false, hasFillers: false },
} as const satisfies Record<string, Field>;

const PREFIX = 'mcp__';
const HINT_LIMIT = 512; // every word of it weighs ten
const TITLE_LIMIT = 256;
const DESCRIPTION_LIMIT = 2_048;
const PARAMETER_LIMIT = 128;
const PARAMETER_UNITS = 64;
const TERM_LIMIT = 100_000; // 10,000 tools of real servers have some 20,000
const NOWHERE = -1;
const FILLER = -2;

interface Lists {
  readonly counts: Uint32Array;
  readonly starts: Uint32Array;
  readonly postings: Uint8Array;
}

function pack(counts: Uint32Array, documents: Uint16Array, weights: Uint8Array): Lists {
  const starts = new Uint32Array(counts.length + 1);
  const postings = new Uint8Array(documents.length * 4); // three bytes take a step of any segment
  let from = 0;
  let at = 0;
  for (let term = 0; term < counts.length; term++) {
    starts[term] = at;
    let before = -1;
    for (const end = from + counts[term]!; from < end; from++) {
      let step = documents[from]! - before;
      before = documents[from]!;
      for (; step > 0x7f; step >>>= 7) postings[at++] = (step & 0x7f) | 0x80;
      postings[at++] = step;
      postings[at++] = weights[from]!;
    }
  }
  starts[counts.length] = at;
  return { counts, starts, postings: postings.subarray(0, at) };
}

function unitsOf(strings: readonly string[]): number {
  return strings.reduce((sum, { length }) => sum + length, 0);
}

function highestOf(strings: readonly string[]): number {
  let highest = 0;
  for (const text of strings) for (let at = 0; at < text.length; at++) highest = Math.max(highest, text.charCodeAt(at));
  return highest;
}

function grown<Numbers extends Uint32Array | Uint8Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
