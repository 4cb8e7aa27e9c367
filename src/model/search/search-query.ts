import { isFiller, runsOf, toJoinedStem, toStem, toWords } from './words.js';

/** A parsed query: known names of tools, or words. */
export type SearchQuery =
  | { readonly kind: 'select'; readonly names: readonly string[] }
  | {
      readonly kind: 'words';
      readonly words: readonly QueryWord[];
      /** All words joined, as a tool's whole name may be; undefined for a single word. */
      readonly joined: string | undefined;
    };

export interface QueryWord {
  /** The word's stem, followed by the stems of its parts. */
  readonly stems: readonly string[];
  /** Only tools with this word are found. */
  readonly isRequired: boolean;
}

/** Never fails; ignores what is no word. `create issue`, `+github issue`, `+"pull request"`, `select:a,b`. */
export function parseQuery(query: string): SearchQuery {
  const text = query.slice(0, QUERY_LIMIT).trim();
  const start = SELECT.exec(text);
  if (start) return { kind: 'select', names: toNames(text.slice(start[0].length)) };
  const words = new Map<string, QueryWord>();
  const fillers = new Map<string, QueryWord>();
  const all: string[] = [];
  for (const [, plus, double, single, bare] of text.matchAll(PIECE)) {
    if (words.size >= WORDS_LIMIT) break;
    for (const run of runsOf(double ?? single ?? bare ?? '')) {
      all.push(run);
      for (const word of toWords(run)) {
        const kept = isFiller(word[0]) && plus === undefined ? fillers : words;
        const stems = word.map(toStem);
        const known = kept.get(stems[0]!);
        if (known ? plus === undefined : kept.size >= WORDS_LIMIT) continue;
        kept.set(stems[0]!, { stems: known?.stems ?? stems, isRequired: plus !== undefined });
      }
    }
  }
  return {
    kind: 'words',
    // A query of fillers only, such as "to do", is meant as it is.
    words: [...(words.size > 0 ? words : fillers).values()],
    joined: all.length > 1 || words.size > 1 ? toJoinedStem(all) : undefined,
  };
}

const QUERY_LIMIT = 2_000;
const WORDS_LIMIT = 24; // each word has a bit of a number; more words hardly change what is found
const SELECT = /^["'`]?\s*select\s*:/i;
const PIECE = /(\+)?(?:"([^"]*)"|'([^']*)'|([^\s"]+))/g;
const QUOTES = /^[\s"'`]+|[\s"'`]+$/g;

function toNames(list: string): string[] {
  const names = list.split(/[,;\n]/).map((name) => name.replaceAll(QUOTES, ''));
  return [...new Set(names.filter((name) => name !== ''))];
}
