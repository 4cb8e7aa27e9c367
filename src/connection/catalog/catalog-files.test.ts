import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../edge/clock.js';
import { type StoredCatalog, versionKey } from './catalog-index.js';
import { type CachedCatalogFile, catalogFiles } from './catalog-files.js';
import { emptyList, type ListKind, type ListItem, toCached } from './cached-list.js';

let folder = '';
beforeEach(() => (folder = join(mkdtempSync(join(tmpdir(), 'catalog-store-')), 'catalogs')));
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const facts = {
  server: { name: 's', version: '1' },
  protocol: '2025-11-25',
  capabilities: { tools: {} },
  instructions: 'Be kind.',
  setAside: [{ tool: 'odd', reason: 'it is odd' }],
  traits: [['a', { mirrored: [{ header: 'Region', path: ['where', 'to'] }], needsTask: false }]] as const,
};

async function catalogOf(lists: Partial<Record<ListKind, readonly ListItem[]>>): Promise<StoredCatalog> {
  const stored = new Map();
  for (const [kind, rows] of Object.entries(lists)) {
    const list = await toCached(rows, { clock: systemClock, before: emptyList(), textOf: () => undefined });
    stored.set(kind, { list, origin: { server: versionKey(facts), at: 5, ttlMs: 7, warnings: ['w'] } });
  }
  return { at: 10, facts, lists: stored };
}

const row = (name: string, label?: string): ListItem => ({
  name,
  label,
  bits: 5,
  definition: { name, is: label ?? 'ä€😀' },
  own: `1{"ä":${JSON.stringify(label ?? '')}}`,
});
const path = (): string => join(folder, 'key.catalog');

/** What a catalog file returns, as plain data. */
function cached(catalogFile: CachedCatalogFile): unknown {
  const stored = catalogFile.get();
  return (
    stored && {
      ...stored,
      lists: Array.from(stored.lists, ([kind, { list, origin }]) => ({
        kind,
        origin,
        ...list.columns,
        labels: list.columns.labels(),
        lengths: list.columns.lengths(),
        hashes: list.columns.hashes(),
      })),
    }
  );
}

test('what is kept comes back, and each definition is found', async () => {
  const odd = ['a', 'line\nbreak', '"quoted', '\ud800', 'ä', '__proto__'];
  const catalog = await catalogOf({
    tools: odd.map((name) => row(name, `title of ${name}`.slice(0, 10))),
    prompts: [row('p')],
    resources: [],
  });
  expect(await catalogFiles(folder)('key').set(catalog)).toEqual(new Set(['tools', 'resources', 'prompts']));
  const catalogFile = catalogFiles(folder)('key');
  const stored = catalogFile.get()!;
  expect(stored.facts).toEqual(facts);
  expect(stored.lists.get('tools')!.list.columns.names).toEqual(odd);
  expect(stored.lists.get('tools')!.origin).toEqual({ server: versionKey(facts), at: 5, ttlMs: 7, warnings: ['w'] });
  for (const name of odd) expect(JSON.parse(catalogFile.find('tools', name)!.text)).toMatchObject({ name });
  expect(JSON.parse(catalogFile.find('prompts', 'p')!.text)).toEqual({ name: 'p', is: 'ä€😀' });
  expect([
    catalogFile.find('prompts', 'a'),
    catalogFile.find('templates', 'p'),
    catalogFile.find('resources', 'p'),
  ]).toEqual([undefined, undefined, undefined]);
});

test('whatever names and titles a server has, they come back', async () => {
  const units = fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 20 });
  const text = units.map((codes) => String.fromCharCode(...codes));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(text, { maxLength: 20 }), async (names) => {
      const catalog = await catalogOf({ prompts: names.map((name) => row(name)) });
      await catalogFiles(folder)('key').set(catalog);
      const catalogFile = catalogFiles(folder)('key');
      expect(catalogFile.get()!.lists.get('prompts')!.list.columns.names).toEqual(names);
      for (const name of names) expect(catalogFile.find('prompts', name)).toBeDefined();
    }),
    { numRuns: 15 },
  );
});

test('a file that holds anything else is as good as none', async () => {
  await catalogFiles(folder)('key').set(await catalogOf({ tools: [row('a', 'A'), row('b')] }));
  const good = readFileSync(path());
  const before = cached(catalogFiles(folder)('key'));
  const harm = fc.oneof(
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(good.length - 1).map((end) => good.subarray(0, end)),
    fc.uint8Array({ minLength: 1, maxLength: 9 }).map((more) => Buffer.concat([good, more])),
    fc.tuple(fc.nat(good.length - 1), fc.nat(255)).map(([at, byte]) => Buffer.from(good).fill(byte, at, at + 1)),
    fc.tuple(fc.nat(good.length - 1), fc.uint8Array({ minLength: 1, maxLength: 30 })).map(([at, bytes]) => {
      const copy = Buffer.from(good);
      copy.set(bytes.subarray(0, good.length - at), at);
      return copy;
    }),
  );
  fc.assert(
    fc.property(harm, (bytes) => {
      writeFileSync(path(), bytes);
      const catalogFile = catalogFiles(folder)('key');
      const stored = catalogFile.get();
      const found = ['a', 'b', 'c'].map((name) => catalogFile.find('tools', name)?.text ?? 'null');
      expect(() => found.map((text): unknown => JSON.parse(text))).not.toThrow();
      for (const { list } of stored?.lists.values() ?? []) {
        expect(list.columns.lengths()).toHaveLength(list.columns.names.length);
        expect(list.summaries((name, label, bits) => ({ name, label, bits }))).toHaveLength(list.columns.names.length);
      }
    }),
    { numRuns: 200 },
  );
  writeFileSync(path(), good);
  expect(cached(catalogFiles(folder)('key'))).toEqual(before);
});

test.each([
  ['only look like JSON', '"'],
  ['are more than there are tools', '\n'],
])('labels that %s are left out, and the tools are known all the same', async (_, harm) => {
  await catalogFiles(folder)('key').set(await catalogOf({ tools: [row('a', 'X'), row('b')] }));
  writeFileSync(path(), readFileSync(path(), 'latin1').replace('\nbX', `\nb${harm}`), 'latin1');
  const list = catalogFiles(folder)('key').get()?.lists.get('tools')?.list;
  expect(list?.columns.names).toEqual(['a', 'b']);
  expect(list?.columns.labels()).toEqual(['', '']);
});

/** A catalog file with a changed head. */
async function forged(change: (head: Record<string, unknown>) => void): Promise<CachedCatalogFile> {
  await catalogFiles(folder)('key').set(await catalogOf({ tools: [row('a', 'A'), row('b')] }));
  const text = readFileSync(path(), 'utf8');
  const lines = text.split('\n');
  const head = JSON.parse(lines[1]!) as Record<string, unknown>;
  const oldLength = Buffer.byteLength(lines[1]!);
  change(head);
  lines[1] = JSON.stringify(head);
  const grown = Buffer.byteLength(lines[1]) - oldLength;
  const [index, size] = [...lines[0]!.matchAll(/ +\d+/gu)].slice(-2).map(([number]) => Number(number) + grown);
  lines[0] = `${lines[0]!.slice(0, -22)} ${String(index).padStart(10)} ${String(size).padStart(10)}`;
  writeFileSync(path(), lines.join('\n'));
  return catalogFiles(folder)('key');
}

const tools = (head: Record<string, unknown>): Record<string, unknown> =>
  (head['lists'] as Record<string, Record<string, unknown>>)['tools']!;

test('a forged file that is still whole is read as far as it is right', async () => {
  const catalogFile = await forged((head) => {
    head['instructions'] = `a\u202eb${'x'.repeat(5_000)}`;
    head['traits'] = [['a', { mirrored: [{ header: 'X: y\r\nEvil', path: [] }], needsTask: true }], 1, ['b', {}]];
    head['server'] = 7;
  });
  const stored = catalogFile.get()!;
  expect(stored.facts).toMatchObject({ traits: [], server: { name: '', version: '' } });
  expect(stored.facts.instructions).toMatch(/^abx.*\[truncated\]$/u);
});

test.each([
  ['more items than there are', { count: 3 }],
  ['fewer items than there are', { count: 1 }],
  ['very many items', { count: 1e9 }],
  ['no time', { at: '1e999' }],
  ['sections that overlap', { sizes: [1, -1, 2, 32, 5] }],
  ['no sections', { sizes: [] }],
])('a forged file that claims %s is as good as none', async (_, claim) => {
  const catalogFile = await forged((head) => void Object.assign(tools(head), claim));
  expect(catalogFile.get()).toBeUndefined();
  expect(catalogFile.find('tools', 'a')).toBeUndefined();
});

test('a link, a folder and a FIFO are not looked into', async () => {
  await catalogFiles(folder)('key').set(await catalogOf({ tools: [row('a')] }));
  symlinkSync(path(), join(folder, 'link.catalog'));
  mkdirSync(join(folder, 'folder.catalog'));
  process.getBuiltinModule('node:child_process').execFileSync('mkfifo', [join(folder, 'fifo.catalog')]);
  for (const key of ['link', 'folder', 'fifo', 'none']) expect(catalogFiles(folder)(key).get()).toBeUndefined();
});

test('a key that is no name of a file stays in the folder', async () => {
  await catalogFiles(folder)('../../x').set(await catalogOf({ tools: [row('a')] }));
  expect(catalogFiles(folder)('../../x').get()).toBeDefined();
  expect(readdirSync(folder)).toHaveLength(1);
});

test('files that nobody has renewed for a month are swept', async () => {
  await catalogFiles(folder)('key').set(await catalogOf({ tools: [row('a')] }));
  const day = 86_400;
  const now = Date.now() / 1_000;
  for (const [name, age] of [
    ['old.catalog', 31],
    ['young.catalog', 29],
    ['other.txt', 300],
    ['x.catalog.1.tmp', 1],
  ] as const) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), now - age * day, now - age * day);
  }
  await catalogFiles(folder)('key').set(await catalogOf({ tools: [row('a')] }));
  expect(readdirSync(folder).toSorted()).toEqual(['key.catalog', 'other.txt', 'young.catalog']);
});
