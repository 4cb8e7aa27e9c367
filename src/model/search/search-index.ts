import { BestHits } from './best-hits.js';
import { Scores } from './scores.js';
import { parseQuery, type QueryWord } from './search-query.js';
import type { SearchSegment } from './search-segment.js';
import { findExactly, type NameSpace, selectNames } from './select-names.js';
import { TermDirectory } from './term-directory.js';
import { matchTerm, matchWord, widen, type WordMatches } from './term-matches.js';

export interface SearchOptions {
  readonly limit: number;
  /** Asked of what would be among the hits: what it says no to is as good as absent. */
  readonly accept?: ((name: string) => boolean) | undefined;
}

export interface SearchResult {
  /** Best first, those with the same score by name. Of `select:` all, in the order in which they were asked for. */
  readonly hits: readonly SearchHit[];
  /** Of `select:` the names that no tool goes by, or more than one. */
  readonly unknown: readonly string[];
}

export interface SearchHit {
  readonly name: string;
  /** Worth something only beside the others of the same search. */
  readonly score: number;
}

/**
 * Finds tools by words: Okapi BM25 over the segments of all servers, each of which comes and goes alone. How rare a word is gets
 * counted when somebody asks for it, so that the outcome does not depend on who came when.
 */
export class SearchIndex {
  /** In order. */
  #servers: readonly string[] = [];
  #segments: readonly SearchSegment[] = [];
  /** The number of the first tool of each segment, and after the last one how many there are. */
  #bases = Uint32Array.of(0);
  #averageLength = 1;
  /** Made by the first search after a change. */
  #directory: TermDirectory | undefined;
  #scores: Scores | undefined;

  /** How many tools. */
  get size(): number {
    return this.#bases.at(-1)!;
  }

  set(server: string, segment: SearchSegment): void {
    this.#change(server, segment);
  }

  delete(server: string): void {
    if (this.#servers.includes(server)) this.#change(server, undefined);
  }

  search(written: string, options: SearchOptions): SearchResult {
    const query = written.trim();
    const parsed = parseQuery(query);
    const limit = Math.max(0, Math.trunc(options.limit) || 0);
    const accept = options.accept ?? acceptAll;
    const space: NameSpace = { servers: this.#servers, segments: this.#segments, accept };
    if (parsed.kind === 'select') {
      const { names, unknown } = selectNames(space, parsed.names);
      return { hits: names.map((name) => ({ name, score: 1 })), unknown };
    }
    const { words } = parsed;
    const directory = (this.#directory ??= new TermDirectory(this.#segments));
    const budget = { words: TYPO_WORDS, left: COMPARISONS };
    const found = words.map((word) => matchWord(directory, word, budget));
    const joined = parsed.joined === undefined ? undefined : matchTerm(directory, parsed.joined);
    let hits = this.#rank({ words, found, joined, limit, accept });
    if (hits.length < Math.min(limit, FEW) && found.some(({ isExact }) => isExact)) {
      const wider = found.map((matches, at) => (matches.isExact ? widen(directory, words[at]!, matches) : matches));
      hits = this.#rank({ words, found: wider, joined, limit, accept });
    }
    return { hits: withFirst(isName(query) ? findExactly(space, query) : undefined, hits, limit), unknown: [] };
  }

  #rank({ words, found, joined, limit, accept }: Search): readonly SearchHit[] {
    const scores = (this.#scores ??= new Scores(this.size));
    let all = 0;
    let required = 0;
    let most = 0;
    for (const [at, matches] of found.entries()) {
      const bit = 1 << at;
      if (words[at]!.isRequired) required |= bit;
      if (matches.count === 0) continue;
      all |= bit;
      most += this.#add(scores, matches, bit);
    }
    if (joined !== undefined) most += this.#add(scores, joined, JOINED);

    const best = new BestHits(limit, (a, b) => this.#compareNames(a, b));
    scores.drain((place, gained, has) => {
      if ((has & required) !== required) return;
      // Whatever has all words comes before whatever has not.
      const score = (has & all) === all || (has & JOINED) !== 0 ? gained + most : gained;
      if (score >= best.least && (accept === acceptAll || accept(this.#nameOf(place)))) best.add(place, score);
    });
    return best.toArray().map(({ place, score }) => ({ name: this.#nameOf(place), score }));
  }

  /** Gives what a tool can gain by it at most. */
  #add(scores: Scores, { count, terms }: WordMatches, bit: number): number {
    const has = Math.min(count, this.size);
    const rarity = Math.log(1 + (this.size - has + 0.5) / (has + 0.5));
    const averageLength = this.#averageLength;
    for (const { segment, term, weight } of terms) {
      const base = this.#bases[segment]!;
      scores.add(this.#segments[segment]!, { term, base, bit, factor: rarity * weight, averageLength });
    }
    return rarity;
  }

  #compareNames(a: number, b: number): number {
    const first = this.#segmentOf(a);
    const second = this.#segmentOf(b);
    if (first === second) return a - b; // those of one segment are in the order of their names
    const { names } = this.#segments[first]!;
    return names.compareWith(a - this.#bases[first]!, this.#segments[second]!.names, b - this.#bases[second]!);
  }

  #nameOf(place: number): string {
    const segment = this.#segmentOf(place);
    return this.#segments[segment]!.names.at(place - this.#bases[segment]!);
  }

  #segmentOf(place: number): number {
    let low = 0;
    let high = this.#segments.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#bases[middle]! <= place) low = middle;
      else high = middle;
    }
    return low;
  }

  #change(server: string, segment: SearchSegment | undefined): void {
    const entries = this.#servers.map((name, at): [string, SearchSegment] => [name, this.#segments[at]!]);
    const kept = entries.filter(([name]) => name !== server);
    if (segment !== undefined && segment.size > 0) kept.push([server, segment]);
    kept.sort(([a], [b]) => (a < b ? -1 : 1));
    this.#servers = kept.map(([name]) => name);
    this.#segments = kept.map(([, one]) => one);
    const bases = new Uint32Array(kept.length + 1);
    let lengthTotal = 0;
    for (const [at, { size, lengthTotal: length }] of this.#segments.entries()) {
      bases[at + 1] = bases[at]! + size;
      lengthTotal += length;
    }
    this.#bases = bases;
    this.#averageLength = Math.max(1, lengthTotal / Math.max(1, this.size));
    this.#directory = undefined;
    this.#scores = undefined;
  }
}

interface Search {
  readonly words: readonly QueryWord[];
  /** Of each word. */
  readonly found: readonly WordMatches[];
  readonly joined: WordMatches | undefined;
  readonly limit: number;
  readonly accept: (name: string) => boolean;
}

const FEW = 3; // fewer hits than that, and words that only begin so are welcome too
const TYPO_WORDS = 4; // of one query, each of which is held against every word there is
const COMPARISONS = 20_000; // letter by letter: some milliseconds, and no real fleet needs as many
const JOINED = 1 << 30; // beside the bits of single words, of which there are fewer

function acceptAll(): boolean {
  return true;
}

function isName(query: string): boolean {
  return !/[\s+]/.test(query);
}

/** Who writes the whole name of a tool means that one. */
function withFirst(name: string | undefined, hits: readonly SearchHit[], limit: number): readonly SearchHit[] {
  if (name === undefined || limit === 0) return hits;
  const score = (hits[0]?.score ?? 0) + 1;
  return [{ name, score }, ...hits.filter((hit) => hit.name !== name)].slice(0, limit);
}
