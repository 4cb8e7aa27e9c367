import { expect, test } from 'vitest';
import type { SearchDocument } from './search-document.js';
import { toIndex } from './search-fixtures.js';
import type { SearchIndex } from './search-index.js';

const plain: SearchDocument = {
  name: 'mcp__good__create_issue',
  tool: 'create_issue',
  description: 'Creates one',
  parameters: [],
};

function many(count: number, make: (at: number) => Partial<SearchDocument>): SearchDocument[] {
  return Array.from({ length: count }, (_, at) => ({
    ...plain,
    name: `mcp__bad__t${at}`,
    tool: `t${at}`,
    ...make(at),
  }));
}

/** A well-behaved server's tool is still found. */
function checkNeighbour(hostile: readonly SearchDocument[]): SearchIndex {
  const index = toIndex([
    ['good', [plain]],
    ['bad', hostile],
  ]);
  expect(index.search('create issue', { limit: 1 }).hits[0]?.name).toBe(plain.name);
  expect(index.search('select:good.create_issue', { limit: 1 }).hits[0]?.name).toBe(plain.name);
  return index;
}

test('a server that says one word all the time does not come first for it', () => {
  checkNeighbour(many(300, () => ({ description: 'create issue '.repeat(300) })));
});

test('a server whose ten thousand tools have one name has one tool', () => {
  const same = many(10_000, () => ({ name: 'mcp__bad__same', tool: 'same' }));
  const { hits } = checkNeighbour(same).search('create issue', { limit: 10 });
  expect(hits.map(({ name }) => name)).toEqual([plain.name, 'mcp__bad__same']);
});

test('names of objects are words like any other', () => {
  const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf'];
  const tools = names.map((tool) => ({
    ...plain,
    name: `mcp__bad__${tool}`,
    tool,
    description: tool,
    parameters: [tool],
  }));
  checkNeighbour(tools);
  const index = toIndex([['bad', tools]]);
  for (const tool of names) {
    expect(index.search(tool, { limit: 1 }).hits[0]?.name).toBe(`mcp__bad__${tool}`);
    expect(index.search(`select:${tool}`, { limit: 1 }).hits[0]?.name).toBe(`mcp__bad__${tool}`);
  }
});

test('halves of characters, nothing at all, and names that are too long do no harm', () => {
  checkNeighbour([
    { name: 'a\ud800', tool: '\udfff', description: '\ud800\ud800 x\udc00', hint: '\ud800', parameters: ['\udfff'] },
    { name: 'empty', tool: '', title: '', description: '', hint: '', parameters: [''] },
    {
      name: 'long tool',
      tool: 'y'.repeat(100_000),
      description: 'z'.repeat(100_000),
      parameters: ['p'.repeat(100_000)],
    },
    { name: 'large', tool: '\ufdfa'.repeat(256), description: '\ufdfa'.repeat(2_048), parameters: [] },
  ]);
  const nameless = ['', 'n'.repeat(1_000)].map((name) => ({ ...plain, name }));
  expect(toIndex([['bad', nameless]]).search('create issue', { limit: 5 }).hits).toEqual([]);
  expect(toIndex([]).search('anything', { limit: 5 })).toEqual({ hits: [], unknown: [] });
});

function made(at: number): string {
  return String(at)
    .padStart(6, '0')
    .replaceAll(/\d/g, (digit) => 'bcdfghjkmn'[Number(digit)]!);
}

test('a server that makes up words without end is given memory with an end, and its names are still found', () => {
  const tools = many(350, (at) => ({
    tool: `named${at}y`,
    description: Array.from({ length: 290 }, (_, word) => made(at * 290 + word)).join(' '),
  }));
  const index = checkNeighbour(tools);
  const find = (query: string) => index.search(`+${query}`, { limit: 1 }).hits.map(({ name }) => name);
  expect(find(made(0))).toEqual(['mcp__bad__t0']);
  expect(find(made(90_000))).toEqual([`mcp__bad__t${Math.floor(90_000 / 290)}`]);
  // Terms after the first 100,000 are not indexed. They may resemble indexed words of other tools.
  expect(find(made(101_400))).not.toEqual([`mcp__bad__t${Math.floor(101_400 / 290)}`]);
  expect(find('named345y')).toEqual(['mcp__bad__t345']);
  expect(find(plain.tool)).toEqual([plain.name]);
});

test('terms of tools that are gone are gone with them, however often a server makes up others', () => {
  const index = toIndex([['good', [plain]]]);
  for (let round = 0; round < 5; round++) {
    const add = index.replace('bad');
    for (const one of many(20, (at) => ({ description: `word${round}z${at}` }))) add(one);
    expect(index.search(`word${round}z7`, { limit: 1 }).hits[0]?.name).toBe('mcp__bad__t7');
    expect(index.search('+word9z7', { limit: 1 }).hits.length).toBeLessThanOrEqual(1);
  }
  index.delete('bad');
  expect(index.search('word4z7', { limit: 1 }).hits).toEqual([]);
  expect(index.search('word', { limit: 1 }).hits).toEqual([]);
});

test('words that all resemble each other do not make a mistyped one expensive without bounds', () => {
  const letters = ['ab', 'ba', 'aab', 'bba', 'abab'];
  const tools = many(200, (at) => ({
    description: Array.from({ length: 200 }, (_, word) =>
      (at * 200 + word).toString(5).replaceAll(/\d/g, (digit) => letters[Number(digit)]!),
    ).join(' '),
  }));
  const index = toIndex([['bad', tools]]);
  expect(
    index.search('zabababab bzabababa abzababab ababzabab ababababz', { limit: 5 }).hits.length,
  ).toBeLessThanOrEqual(5);
  checkNeighbour(tools);
});

test('a thousand words in a query are as good as the first of them', () => {
  const index = toIndex([['good', [plain]]]);
  const query = `create ${Array.from({ length: 1_000 }, (_, at) => `w${at}`).join(' ')}`;
  expect(index.search(query, { limit: 5 }).hits[0]?.name).toBe(plain.name);
  expect(index.search(`select:${'x,'.repeat(900)}create_issue`, { limit: 5 }).hits[0]?.name).toBe(plain.name);
  expect(index.search('"'.repeat(2_000), { limit: 5 }).hits).toEqual([]);
  for (const limit of [Number.NaN, -1, 0, Infinity, 0.5, 1e12]) {
    expect(index.search('create', { limit }).hits.length).toBeLessThanOrEqual(1);
  }
});

test('somebody who throws while being asked leaves nothing behind for the next search', () => {
  const tools = many(20, () => ({}));
  const index = toIndex([['bad', tools]]);
  const before = index.search('create', { limit: 5 });
  expect(() =>
    index.search('create', {
      limit: 5,
      accept: () => {
        throw new Error('no');
      },
    }),
  ).toThrow('no');
  expect(index.search('create', { limit: 5 })).toEqual(before);
});

test('what comes after a search, or after its server was replaced or removed, is not taken', () => {
  const index = toIndex([]);
  const [first, second] = many(2, () => ({}));
  const late = index.replace('bad');
  late(first!);
  expect(index.search('create', { limit: 5 }).hits.map(({ name }) => name)).toEqual([first!.name]);
  late(second!);
  expect(index.search('create', { limit: 5 }).hits.map(({ name }) => name)).toEqual([first!.name]);
  const replaced = index.replace('bad');
  index.replace('bad')(second!);
  replaced(first!);
  expect(index.search('create', { limit: 5 }).hits.map(({ name }) => name)).toEqual([second!.name]);
  const removed = index.replace('bad');
  index.delete('bad');
  removed(first!);
  expect(index.search('create', { limit: 5 }).hits).toEqual([]);
});
