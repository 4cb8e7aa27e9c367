import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { editDistance } from '../../base/nearest.js';
import type { SearchDocument } from './search-document.js';
import { toIndex } from './search-fixtures.js';
import { SearchIndex, type SearchResult } from './search-index.js';

const RUNS = process.env['PLUGBOARD_FULL'] === undefined ? 60 : 2_000;

/** Few words, so that tools share them; and sometimes arbitrary text. */
const word = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('create', 'issue', 'issues', 'readFile', 'list', 'OAuth2', 'the', 'naïve', '创建问题'),
  },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', '\ud800', 'x\udfff', '\0', 'İ', '') },
);
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const document: fc.Arbitrary<SearchDocument> = fc.record(
  {
    name: fc.oneof(word, text),
    tool: word,
    title: text,
    description: text,
    hint: text,
    parameters: fc.array(word, { maxLength: 5 }),
  },
  { requiredKeys: ['name', 'tool', 'description', 'parameters'] },
);
const list = fc.uniqueArray(document, { maxLength: 12, selector: ({ name }) => name });
const query = fc.oneof(
  text,
  text.map((words) => `+${words}`),
  text.map((words) => `select:${words}`),
  fc.string({ unit: anyCharacter }),
);

function results(index: SearchIndex, queries: readonly string[]): SearchResult[] {
  return queries.map((one) => index.search(one, { limit: 7 }));
}

test('whatever is asked of whatever there is, the answer is made of tools that exist, and each comes once', () => {
  fc.assert(
    fc.property(list, query, fc.integer({ min: 0, max: 20 }), (tools, one, limit) => {
      const { hits } = toIndex([['server', tools]]).search(one, { limit });
      const names = hits.map(({ name }) => name);
      const known = new Set(tools.map(({ name }) => name));
      expect(new Set(names).size).toBe(names.length);
      expect(names.every((name) => known.has(name))).toBe(true);
      expect(hits.every(({ score }, at) => score > 0 && (at === 0 || hits[at - 1]!.score >= score))).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

test('the order in which tools are added changes nothing', () => {
  fc.assert(
    fc.property(
      list.chain((tools) => fc.tuple(fc.constant(tools), fc.shuffledSubarray(tools, { minLength: tools.length }))),
      fc.array(query, { maxLength: 4 }),
      ([tools, shuffled], queries) => {
        const indexes = [tools, shuffled].map((one) => toIndex([['server', one]]));
        expect(results(indexes[1]!, queries)).toEqual(results(indexes[0]!, queries));
      },
    ),
    { numRuns: RUNS },
  );
});

test('the words that only begin with a word, and those that look like it, are found', () => {
  const letters = fc.string({ unit: fc.constantFrom('d', 'f', 'g', 'k', 'ж'), minLength: 4, maxLength: 9 });
  fc.assert(
    fc.property(fc.uniqueArray(letters, { minLength: 1, maxLength: 20 }), letters, (words, wanted) => {
      const tools = words.map((one) => ({ name: `mcp__s__${one}`, tool: one, description: '', parameters: [] }));
      const found = toIndex([['s', tools]])
        .search(wanted, { limit: 50 })
        .hits.map(({ name }) => name.slice('mcp__s__'.length));
      const longer = words.filter((one) => one.startsWith(wanted));
      const edits = wanted.length < 8 ? 1 : 2;
      const alike = words.filter((one) => editDistance(wanted, one, edits) <= edits);
      expect(found.toSorted()).toEqual((longer.length > 0 ? longer : alike).toSorted());
    }),
    { numRuns: 300 },
  );
});

test('servers that came, changed and went leave the same as if only the last had ever been there', () => {
  const change = fc.record({
    server: fc.constantFrom('a', 'b', 'c', 'd'),
    tools: fc.option(fc.array(word, { maxLength: 6 })),
    isSearched: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 10 }), fc.array(query, { maxLength: 4 }), (changes, queries) => {
      const index = new SearchIndex();
      const last = new Map<string, SearchDocument[]>();
      for (const { server, tools, isSearched } of changes) {
        if (tools === null) {
          index.delete(server);
          last.delete(server);
          continue;
        }
        const made = tools.map((tool) => ({
          name: `${server}__${tool}`,
          tool,
          description: `${tool} of ${server}`,
          parameters: [],
        }));
        const add = index.replace(server);
        for (const tool of made) add(tool);
        last.set(server, made);
        if (isSearched) index.search('create', { limit: 3 });
      }
      const again = toIndex([...last].toReversed());
      expect(results(index, queries)).toEqual(results(again, queries));
    }),
    { numRuns: RUNS },
  );
});
