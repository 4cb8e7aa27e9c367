import { OVERFLOW_TERM, type SearchTerms } from './search-terms.js';
import { isFiller, runsOf, toJoinedStem, toStem, toWords } from './words.js';

/** The texts of a tool that a search reads. */
export interface SearchDocument {
  /** The name that models know. */
  readonly name: string;
  /** As the server spells it. */
  readonly tool: string;
  readonly title?: string | undefined;
  readonly description: string;
  /** The author's own search words. */
  readonly hint?: string | undefined;
  readonly parameters: readonly string[];
}

/** Finds the terms of one server's tools and their weights: a few hundredths of a millisecond for each tool. */
export class DocumentReader {
  readonly #terms: SearchTerms;
  /** The terms of the current tool. */
  #touched: number[] = [];
  #length = 0;
  /** How many new terms the server has added. */
  #made = 0;

  constructor(terms: SearchTerms) {
    this.#terms = terms;
  }

  /** Appends each term to `found`, with its weight in the lowest byte, and returns the number of words. */
  read(document: SearchDocument, found: number[]): number {
    const { name, tool, title, description, hint, parameters } = document;
    this.#length = 0;
    this.#read(tool.slice(0, NAME_UNITS), FIELDS.tool);
    // So `createissue` finds `create_issue`, and `create issue` finds it before `create_issue_comment`.
    const joined = toJoinedStem(runsOf(tool.slice(0, NAME_UNITS)));
    if (joined !== undefined) this.#weigh(this.#toTerm(joined, FIELDS.joined), FIELDS.joined);
    this.#read(name.replace(PREFIX, ''), FIELDS.name);
    if (hint !== undefined) this.#read(hint.slice(0, HINT_LIMIT), FIELDS.hint);
    if (title !== undefined) this.#read(title.slice(0, TITLE_LIMIT), FIELDS.title);
    const starts = parameters.slice(0, PARAMETER_LIMIT).map((parameter) => parameter.slice(0, PARAMETER_UNITS));
    this.#read(starts.join(' '), FIELDS.parameters);
    this.#read(description.slice(0, DESCRIPTION_LIMIT), FIELDS.description);
    const { seen, counts } = this.#terms;
    for (const term of this.#touched) {
      counts[term]!++;
      found.push((term << 8) | Math.min(seen[term]! & 0xffff, 0xff));
      seen[term] = 0;
    }
    this.#touched = [];
    return this.#length;
  }

  #read(text: string, field: Field): void {
    const { known } = this.#terms;
    for (const run of runsOf(text)) {
      let terms = known.get(run);
      if (terms === undefined || (field.hasFillers && hasUnmade(terms))) terms = this.#learn(run, field);
      if (typeof terms === 'number') this.#count(terms, field);
      else for (const term of terms) this.#count(term, field);
    }
  }

  /** The terms of a word and its parts. Fillers are bitwise complements, with a term only in fields that count them. */
  #learn(run: string, field: Field): number | readonly number[] {
    const terms = toWords(run).flatMap((words) =>
      words.map((word) => {
        if (!isFiller(word)) return this.#toTerm(toStem(word), field);
        return field.hasFillers ? ~this.#toTerm(toStem(word), field) : UNMADE;
      }),
    );
    const { known } = this.#terms;
    const isKept = known.size < 2 * TERM_LIMIT && terms.length < RUN_TERMS && !terms.includes(OVERFLOW_TERM);
    if (isKept) known.set(run, terms.length === 1 ? terms[0]! : terms);
    return terms;
  }

  #count(found: number, field: Field): void {
    if (found < 0 && !field.hasFillers) return;
    this.#length++;
    this.#weigh(found < 0 ? ~found : found, field);
  }

  #weigh(term: number, { index, weight, most }: Field): void {
    const { seen } = this.#terms;
    const before = seen[term]!;
    if (before === 0) this.#touched.push(term);
    const times = before >>> 24 === index ? (before >>> 16) & 0xff : 0;
    if (times < most) seen[term] = (index << 24) | ((times + 1) << 16) | ((before & 0xffff) + weight);
  }

  /** Bounds the memory of a server that invents words without end; words of names get twice the limit. */
  #toTerm(stem: string, { isName }: Field): number {
    const known = this.#terms.get(stem);
    if (known !== undefined) return known;
    if (this.#made >= (isName ? 2 * TERM_LIMIT : TERM_LIMIT)) return OVERFLOW_TERM;
    this.#made++;
    return this.#terms.make(stem);
  }
}

/** A field of a document, the weight of a word in it, and how many occurrences count. */
interface Field {
  readonly index: number;
  readonly weight: number;
  readonly most: number;
  readonly isName: boolean;
  /** Whether words such as `the` count. */
  readonly hasFillers: boolean;
}

const called = { most: 1, isName: true, hasFillers: true };
const told = { most: 1, isName: true, hasFillers: false };
// Names weigh most; repeated words of a description count three times at most.
const FIELDS = {
  tool: { ...called, index: 1, weight: 12 },
  joined: { ...called, index: 2, weight: 12 },
  name: { ...called, index: 3, weight: 4 },
  hint: { ...told, index: 4, weight: 10 },
  title: { ...told, index: 5, weight: 6 },
  parameters: { ...told, index: 6, weight: 2, isName: false },
  description: { ...told, index: 7, weight: 1, most: 3, isName: false },
} as const satisfies Record<string, Field>;

export const NAME_UNITS = 256; // model APIs take 64, servers may name a tool with up to 256
const PREFIX = /^mcp__/;
const HINT_LIMIT = 512; // each word of the hint weighs ten
const TITLE_LIMIT = 256;
const DESCRIPTION_LIMIT = 2_048;
const PARAMETER_LIMIT = 128;
const PARAMETER_UNITS = 64;
const TERM_LIMIT = 100_000; // 10,000 tools of real servers have about 20,000
const UNMADE = ~OVERFLOW_TERM;
const RUN_TERMS = 16; // a page of text in a script without spaces is one run

function hasUnmade(terms: number | readonly number[]): boolean {
  return typeof terms === 'number' ? terms === UNMADE : terms.includes(UNMADE);
}
