import { DocumentReader, NAME_UNITS, type SearchDocument } from './search-document.js';
import { parseQuery, type QueryWord } from './search-query.js';
import { SearchTerms, type TermMatch, type WordMatches } from './search-terms.js';
import { hasName, selectNames } from './select-names.js';

export interface SearchOptions {
  readonly limit: number;
  /** Called for each possible hit; a tool that it rejects is treated as absent. */
  readonly accept?: ((name: string) => boolean) | undefined;
}

export interface SearchResult {
  /** Best first, equal scores by name. For `select:` all, in the order of the query. */
  readonly hits: readonly SearchHit[];
  /** For `select:` the names that no tool, or more than one, has. */
  readonly unknown: readonly string[];
}

export interface SearchHit {
  readonly name: string;
  /** Comparable only within one search. */
  readonly score: number;
}

/**
 * Finds tools by words: Okapi BM25 over the tools of all servers, which are added and removed independently. The next
 * search rebuilds the index, so that results do not depend on the order in which servers came.
 */
export class SearchIndex {
  readonly #terms = new SearchTerms();
  readonly #servers = new Map<string, Server>();
  #isSettled = true;
  /** The tools of all servers: a tool's number is its index here. */
  #names: readonly string[] = [];
  #byName: NamesInOrder | undefined;
  /** The number of words of each tool. */
  #lengths = new Uint16Array();
  #averageLength = 1;
  /** For each term in turn, the tools that have it: the tool's number, and the term's weight in the lowest byte. */
  #postings = new Uint32Array();
  /** Where the postings of each term begin; they end where the next term's begin. */
  #starts = new Uint32Array();
  /** Each tool's score in the current search. Reused: allocating arrays of this size takes longer than a search. */
  #scores = new Float64Array();
  /** One bit for each query word that the tool has. */
  #words = new Int32Array();
  /** The tools with a score, and their number. */
  #gainers = new Uint32Array();
  #gained = 0;

  /** Removes a server's tools. The returned function adds new ones until the next search; of equal names the first. */
  replace(server: string): (document: SearchDocument) => void {
    this.delete(server);
    const reader = new DocumentReader(this.#terms);
    const tools = new Map<string, string>();
    const lengths: number[] = [];
    const ends: number[] = [];
    const found: number[] = [];
    const own: Server = { tools, lengths, fresh: { ends, found }, first: 0 };
    this.#servers.set(server, own);
    return (document) => {
      const { name, tool } = document;
      if (this.#servers.get(server) !== own || !own.fresh || tools.size >= DOCUMENT_LIMIT || tools.has(name)) return;
      if (name === '' || name.length > NAME_UNITS) return;
      tools.set(name, tool.slice(0, NAME_UNITS));
      lengths.push(Math.min(reader.read(document, found), 0xffff));
      ends.push(found.length);
      this.#isSettled = false;
    };
  }

  delete(server: string): void {
    for (const term of this.#servers.get(server)?.fresh?.found ?? []) this.#terms.counts[term >>> WEIGHT_BITS]!--;
    if (this.#servers.delete(server)) this.#isSettled = false;
  }

  search(written: string, options: SearchOptions): SearchResult {
    this.#settle();
    const query = written.trim();
    const parsed = parseQuery(query);
    const limit = Math.max(0, Math.trunc(options.limit) || 0);
    const accept = options.accept ?? (() => true);
    if (parsed.kind === 'select') {
      const { names, unknown } = selectNames(this.#servers, parsed.names, accept);
      return { hits: names.map((name) => ({ name, score: 1 })), unknown };
    }
    const terms = this.#terms;
    const budget = { words: TYPO_WORDS, comparisons: COMPARISONS };
    const found = parsed.words.map(({ stems, isRequired }) => {
      const { terms: matches, isExact } = terms.match(stems, budget);
      return { stems, isRequired, terms: matches, isExact };
    });
    const joined = parsed.joined === undefined ? undefined : terms.exactly([parsed.joined]);
    let hits = this.#rank({ words: found, joined, limit, accept });
    if (hits.length < Math.min(limit, FEW) && found.some(({ isExact }) => isExact)) {
      const wider = found.map((word) =>
        word.isExact ? { ...word, terms: [...word.terms, ...terms.startingWith(word.stems[0]!)] } : word,
      );
      hits = this.#rank({ words: wider, joined, limit, accept });
    }
    // A query that is a tool's full name means this tool.
    if (limit > 0 && !/[\s+]/.test(query) && hasName(this.#servers, query) && accept(query)) {
      const first = { name: query, score: (hits[0]?.score ?? 0) + 1 };
      hits = [first, ...hits.filter(({ name }) => name !== query)].slice(0, limit);
    }
    return { hits, unknown: [] };
  }

  #rank({ words, joined, limit, accept }: Search): readonly SearchHit[] {
    const gainers = this.#gainers;
    const scores = this.#scores;
    const has = this.#words;
    // Left by a search that was broken off: `accept` threw.
    for (let at = 0; at < this.#gained; at++) has[gainers[at]!] = scores[gainers[at]!] = 0;
    this.#gained = 0;
    let all = 0;
    let required = 0;
    let most = 0;
    for (const [at, { terms, isRequired }] of words.entries()) {
      const bit = 1 << at;
      if (isRequired) required |= bit;
      if (terms.length === 0) continue;
      all |= bit;
      most += this.#gain(terms, bit);
    }
    if (joined !== undefined) most += this.#gain(joined, JOINED);
    const names = this.#names;
    const gained = this.#gained;
    const places = this.#placesByName();
    let best: Ranked[] = [];
    let least: Ranked = limit === 0 ? { rank: 0, score: Infinity } : { rank: Infinity, score: -Infinity };
    for (let at = 0; at < gained; at++) {
      const place = gainers[at]!;
      const found = has[place]!;
      const gain = scores[place]!;
      has[place] = scores[place] = 0;
      if ((found & required) !== required) continue;
      // Tools with all words come before others.
      const isWhole = (found & all) === all || (found & JOINED) !== 0;
      const score = gain + (isWhole ? most : 0);
      if (score < least.score) continue;
      const rank = places.ranks[place]!;
      // Of a thousand tools with the same words only those are looked at whose names come first.
      if (score === least.score && rank > least.rank) continue;
      if (!accept(names[place]!)) continue;
      best.push({ rank, score });
      // Hits that were cut off are never sorted again, so that many hits take little longer than few.
      if (best.length < 2 * limit + SLACK) continue;
      best = best.toSorted(byScore).slice(0, limit);
      least = best.at(-1)!;
    }
    this.#gained = 0;
    const hits = best.toSorted(byScore).slice(0, limit);
    return hits.map(({ rank, score }) => ({ name: names[places.inOrder[rank]!]!, score }));
  }

  /** The numbers of all tools in the order of their names, and the place of each tool in that order. */
  #placesByName(): NamesInOrder {
    if (this.#byName) return this.#byName;
    const names = this.#names;
    const places = new Map(names.map((name, place) => [name, place]));
    // Sorting the names themselves takes a third of the time, in a young process; two servers may have one name.
    const inOrder =
      places.size === names.length
        ? Uint32Array.from(names.toSorted(), (name) => places.get(name)!)
        : Uint32Array.from(names.keys()).toSorted((one, other) => (names[one]! < names[other]! ? -1 : 1));
    const ranks = new Uint32Array(names.length);
    for (const [rank, place] of inOrder.entries()) ranks[place] = rank;
    return (this.#byName = { inOrder, ranks });
  }

  /** Each word counts once per tool, so the best term comes first. Returns the most that a tool can gain. */
  #gain(terms: readonly TermMatch[], bit: number): number {
    const scores = this.#scores;
    const words = this.#words;
    const gainers = this.#gainers;
    const lengths = this.#lengths;
    const starts = this.#starts;
    const postings = this.#postings;
    const size = this.#names.length;
    const count = terms.reduce((sum, { term }) => sum + starts[term + 1]! - starts[term]!, 0);
    const has = Math.min(count, size);
    const rarity = Math.log(1 + (size - has + 0.5) / (has + 0.5));
    const perWord = (SATURATION * LENGTH_SHARE) / this.#averageLength;
    let gained = this.#gained;
    for (const { term, weight: share } of terms) {
      const factor = rarity * share;
      const end = starts[term + 1]!;
      for (let at = starts[term]!; at < end; at++) {
        const posting = postings[at]!;
        const place = posting >>> WEIGHT_BITS;
        const had = words[place]!;
        if ((had & bit) !== 0) continue;
        const weight = posting & WEIGHT;
        if (had === 0) gainers[gained++] = place;
        words[place] = had | bit;
        scores[place]! += (factor * weight) / (weight + SATURATION * (1 - LENGTH_SHARE) + perWord * lengths[place]!);
      }
    }
    this.#gained = gained;
    return rarity;
  }

  /** Inverts the terms of new tools into postings, and takes over the postings of the others. */
  #settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const servers = [...this.#servers.values()];
    const { counts } = this.#terms;
    const [known, knownStarts] = [this.#postings, this.#starts];
    const knownTerms = knownStarts.length - 2;
    const places = new Int32Array(this.#names.length).fill(GONE);
    let size = 0;
    for (const server of servers) {
      if (!server.fresh) for (let at = 0; at < server.tools.size; at++) places[server.first + at] = size + at;
      server.first = size;
      size += server.tools.size;
    }
    for (let term = 0; term < knownTerms; term++)
      counts[term]! -= countGone(known, places, knownStarts[term]!, knownStarts[term + 1]!);
    const starts = new Uint32Array(counts.length + 2);
    for (let term = 0; term < counts.length; term++) starts[term + 2] = starts[term + 1]! + counts[term]!;
    this.#terms.settle();
    const postings = new Uint32Array(starts.at(-1)!);
    for (let term = 0; term < knownTerms; term++)
      starts[term + 1] = move(known, places, knownStarts[term]!, knownStarts[term + 1]!, postings, starts[term + 1]!);
    for (const server of servers) {
      let at = 0;
      for (const [tool, end] of server.fresh?.ends.entries() ?? [])
        for (const { found } = server.fresh!; at < end; at++)
          postings[starts[(found[at]! >>> WEIGHT_BITS) + 1]!++] =
            ((server.first + tool) << WEIGHT_BITS) | (found[at]! & WEIGHT);
      server.fresh = undefined;
    }
    this.#postings = postings;
    this.#starts = starts;
    this.#names = servers.flatMap(({ tools }) => [...tools.keys()]);
    this.#byName = undefined;
    this.#lengths = Uint16Array.from(servers.flatMap(({ lengths }) => lengths));
    this.#averageLength = Math.max(1, this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, size));
    this.#scores = new Float64Array(size);
    this.#words = new Int32Array(size);
    this.#gainers = new Uint32Array(size);
    this.#gained = 0;
  }
}

interface NamesInOrder {
  readonly inOrder: Uint32Array;
  readonly ranks: Uint32Array;
}

/** A possible hit: the place of its name in the order of all names. */
interface Ranked {
  readonly rank: number;
  readonly score: number;
}

interface Server {
  /** The server's own names of its tools, by the names that models know. */
  readonly tools: ReadonlyMap<string, string>;
  /** The number of words of each tool. */
  readonly lengths: readonly number[];
  /** Until the next search: the terms of all tools, weights in their lowest bytes, and where those of each tool end. */
  fresh: { readonly found: readonly number[]; readonly ends: readonly number[] } | undefined;
  /** The number of the server's first tool. */
  first: number;
}

interface Search {
  readonly words: readonly (WordMatches & QueryWord)[];
  readonly joined: readonly TermMatch[] | undefined;
  readonly limit: number;
  readonly accept: (name: string) => boolean;
}

const DOCUMENT_LIMIT = 50_000; // a server is accepted with up to 10,000 tools
const FEW = 3; // with fewer hits, words that only begin like the query's count too
const TYPO_WORDS = 4;
const COMPARISONS = 20_000; // takes some milliseconds; no real set of servers needs as many
const JOINED = 1 << 30; // above the bits of single words, which are fewer
const SLACK = 16; // so that a small limit does not cause constant sorting
// BM25 with field weights: k1 is high, because a word in a name weighs as much as twelve in a description.
const SATURATION = 5;
const LENGTH_SHARE = 0.3; // b is low: a long description is more often thorough than irrelevant
const WEIGHT_BITS = 8;
const WEIGHT = 0xff;
const GONE = -1;

function byScore(one: Ranked, other: Ranked): number {
  return other.score - one.score || one.rank - other.rank;
}

// Separate functions, called for each term, so that V8 optimises them during the first change of a server.
function countGone(known: Uint32Array, places: Int32Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (places[known[at]! >>> WEIGHT_BITS] === GONE) count++;
  return count;
}

function move(
  known: Uint32Array,
  places: Int32Array,
  from: number,
  to: number,
  postings: Uint32Array,
  into: number,
): number {
  let end = into;
  for (let at = from; at < to; at++) {
    const place = places[known[at]! >>> WEIGHT_BITS]!;
    if (place !== GONE) postings[end++] = (place << WEIGHT_BITS) | (known[at]! & WEIGHT);
  }
  return end;
}
