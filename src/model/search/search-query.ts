import { eachWord, isFiller, toStem, WORD_LIMIT } from './words.js';

/** What somebody looks for: tools whose names they know, or words. */
export type SearchQuery =
  | { readonly kind: 'select'; readonly names: readonly string[] }
  | {
      readonly kind: 'words';
      readonly words: readonly QueryWord[];
      /** All words in one, as the whole name of a tool may be; undefined for a single word. */
      readonly joined: string | undefined;
    };

export interface QueryWord {
  /** The stem of the word; and after it, of a word that is made of several, their stems. */
  readonly stems: readonly string[];
  /** What does not have it is not found. */
  readonly isRequired: boolean;
}

/** Never fails: what is no word is not looked for. `create issue`, `+github issue`, `+"pull request"`, `select:a,b`. */
export function parseQuery(query: string): SearchQuery {
  const text = query.slice(0, QUERY_LIMIT).trim();
  const start = SELECT.exec(text);
  if (start) return { kind: 'select', names: toNames(text.slice(start[0].length)) };
  const words = new Map<string, QueryWord>();
  const fillers = new Map<string, QueryWord>();
  let joined = '';
  let count = 0;
  for (const [, plus, double, single, bare] of text.matchAll(PIECE)) {
    const isRequired = plus !== undefined;
    eachWord(double ?? single ?? bare ?? '', (word, parts) => {
      count++;
      if (joined.length <= WORD_LIMIT) joined += word;
      const stems = [word, ...parts].map(toStem);
      const kept = isFiller(word) && !isRequired ? fillers : words;
      const known = kept.get(stems[0]!);
      if (known === undefined && kept.size >= WORDS_LIMIT) return;
      kept.set(stems[0]!, { stems: known?.stems ?? stems, isRequired: isRequired || known?.isRequired === true });
    });
  }
  return {
    kind: 'words',
    // Somebody who writes nothing but "to do" means it.
    words: [...(words.size > 0 ? words : fillers).values()],
    joined: count > 1 && joined.length <= WORD_LIMIT ? toStem(joined) : undefined,
  };
}

const QUERY_LIMIT = 2_000;
const WORDS_LIMIT = 24; // each has a bit of a number; who writes more has said what it is about
const SELECT = /^["'`]?\s*select\s*:/i;
const PIECE = /(\+)?(?:"([^"]*)"|'([^']*)'|([^\s"]+))/g;
const QUOTES = /^[\s"'`]+|[\s"'`]+$/g;

function toNames(list: string): string[] {
  const names = list.split(/[,;\n]/).map((name) => name.replaceAll(QUOTES, ''));
  return [...new Set(names.filter((name) => name !== ''))];
}
