import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { documents, toIndex, toSegment } from './search-fixtures.js';
import { SearchIndex, type SearchResult } from './search-index.js';
import { readSegment } from './search-segment.js';
import type { SearchDocument } from './segment-builder.js';

const RUNS = process.env['PLUGBOARD_FULL'] === undefined ? 60 : 2_000;

/** Few words, so that tools share them; and now and then anything at all. */
const word = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('create', 'issue', 'issues', 'readFile', 'list', 'OAuth2', 'the', 'naïve', '创建问题'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
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
  fc.string({ unit: 'binary' }),
);

function results(index: SearchIndex, queries: readonly string[]): SearchResult[] {
  return queries.map((one) => index.search(one, { limit: 7 }));
}

test('what is read from its own bytes finds the same', () => {
  fc.assert(
    fc.property(list, fc.array(query, { maxLength: 4 }), (tools, queries) => {
      const made = toSegment(tools);
      const read = readSegment(made.toBytes())!;
      const indexes = [made, read].map((segment) => {
        const index = new SearchIndex();
        index.set('server', segment);
        return index;
      });
      expect(results(indexes[1]!, queries)).toEqual(results(indexes[0]!, queries));
      expect(read.toBytes()).toEqual(made.toBytes());
    }),
    { numRuns: RUNS },
  );
});

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

test('the order in which tools are added changes nothing, not even a byte', () => {
  fc.assert(
    fc.property(
      list.chain((tools) => fc.tuple(fc.constant(tools), fc.shuffledSubarray(tools, { minLength: tools.length }))),
      ([tools, shuffled]) => {
        expect(toSegment(shuffled).toBytes()).toEqual(toSegment(tools).toBytes());
      },
    ),
    { numRuns: RUNS },
  );
});

test('servers that came, changed and went leave the same as if only the last had ever been there', () => {
  const change = fc.record({
    server: fc.constantFrom('a', 'b', 'c', 'd'),
    tools: fc.option(fc.array(word, { maxLength: 6 })),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 10 }), fc.array(query, { maxLength: 4 }), (changes, queries) => {
      const index = new SearchIndex();
      const last = new Map<string, SearchDocument[]>();
      for (const { server, tools } of changes) {
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
        index.set(server, toSegment(made));
        last.set(server, made);
        index.search('create', { limit: 3 });
      }
      const again = toIndex([...last].toReversed());
      expect(index.size).toBe(again.size);
      expect(results(index, queries)).toEqual(results(again, queries));
    }),
    { numRuns: RUNS },
  );
});

test('bytes that are none of ours are no segment, and harm nobody', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      expect(readSegment(bytes)).toBeUndefined();
    }),
    { numRuns: RUNS },
  );
});

test('a segment that is cut, lengthened or altered is refused, or answers like any other', () => {
  const bytes = toSegment(documents.get('db')!).toBytes();
  for (let length = 0; length < bytes.length; length++) expect(readSegment(bytes.subarray(0, length))).toBeUndefined();
  expect(readSegment(Uint8Array.of(...bytes, 0))).toBeUndefined();
  let refused = 0;
  for (let at = 0; at < bytes.length; at++) {
    for (const value of [0xff, bytes[at]! ^ 1, bytes[at]! + 1]) {
      const altered = Uint8Array.from(bytes);
      altered[at] = value;
      const read = readSegment(altered);
      if (read === undefined) {
        refused++;
        continue;
      }
      const index = new SearchIndex();
      index.set('server', read);
      for (const one of ['list tables', 'tabel', 'colu', 'select:list_tables,x']) {
        expect(index.search(one, { limit: 5 }).hits.length).toBeLessThanOrEqual(5);
      }
    }
  }
  expect(refused).toBeGreaterThan(bytes.length);
});

test('a header that promises what is not there is not believed', () => {
  const bytes = Uint8Array.from(toSegment(documents.get('db')!).toBytes());
  const refuses = (field: number, value: number): boolean => {
    const altered = Uint8Array.from(bytes);
    new Uint32Array(altered.buffer, 0, 10)[field] = value;
    return readSegment(altered) === undefined;
  };
  for (let field = 0; field < 10; field++) {
    for (const value of [50_001, 0x7fff_ffff, 0xffff_ffff]) expect(refuses(field, value)).toBe(true);
    const isWidth = field === 7 || field === 8; // of the highest unit only the width matters
    for (const value of [0, 1]) expect(refuses(field, value)).toBe(!isWidth && !(field === 1 && value === 1));
  }
});

test('memory that is used again after reading does not change what was read', () => {
  const index = new SearchIndex();
  const bytes = Uint8Array.from(toSegment(documents.get('db')!).toBytes());
  index.set('db', readSegment(bytes)!);
  bytes.fill(0xff);
  expect(index.search('sql query', { limit: 1 }).hits[0]?.name).toBe('mcp__db__query');
});
