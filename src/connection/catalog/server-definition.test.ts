import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { names, type Offering, offerEverything, openScene, type Scene } from '../../../test/catalog-scene.js';
import { Secret } from '../../base/secret.js';
import type { ListKind } from './catalog.js';
import { catalogFiles } from './catalog-files.js';

// The server's own items, which the catalog keeps beside the definitions made of them.

let folder = '';
beforeEach(() => (folder = join(mkdtempSync(join(tmpdir(), 'own-items-')), 'catalogs')));
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

const odd = (at = 1): object => ({ _meta: { 'acme/listed': at }, icons: [{ src: 'a.png' }], 'acme/more': { a: [1] } });

function offerOdd(): Offering {
  const offering = offerEverything();
  offering.tools = [
    {
      name: 'read',
      title: 'Re\u200bad',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, 'x/y': 1 },
      ...odd(),
    },
    {
      name: 'write',
      description: 'w'.repeat(60_000),
      inputSchema: { type: 'object' },
      execution: { taskSupport: 'optional' },
    },
    { name: 'plain', inputSchema: { type: 'object' } },
  ];
  offering.resources = [{ uri: 'file:///a', name: 'a', size: 1.5, annotations: { priority: 1 }, ...odd() }];
  offering.templates = [{ uriTemplate: 'file:///{path}', name: 'any file', ...odd() }];
  offering.prompts = [{ name: 'greet', arguments: [{ name: 'who', 'acme/kind': 'person' }], ...odd() }];
  return offering;
}

const LISTS = [
  ['tools', 'name'],
  ['resources', 'uri'],
  ['templates', 'uriTemplate'],
  ['prompts', 'name'],
] as const satisfies readonly (readonly [ListKind, string])[];

async function expectAll({ catalog }: Scene, offering: Offering): Promise<void> {
  for (const [kind, key] of LISTS) {
    for (const item of offering[kind] as Record<string, unknown>[]) {
      const found = await catalog.serverDefinition(kind, String(item[key]));
      expect(found).toEqual({ item, isComplete: true });
    }
  }
}

describe.each(['legacy', 'modern'] as const)('a server of the %s era', (era) => {
  test('has its own items given as it listed them, from memory, from disk, and in the next run', async () => {
    const offering = offerOdd();
    const first = openScene({ catalogFile: catalogFiles(folder)('key') });
    {
      await using connection = await first.connect(offering, { era });
      await first.catalog.attach(connection);
      await expectAll(first, offering);
      await first.catalog.flush();
      await expectAll(first, offering);
      expect(await first.catalog.tool('write')).toMatchObject({ description: expect.stringMatching(/^w{1,2048}… /u) });
    }
    const next = openScene({ catalogFile: catalogFiles(folder)('key') });
    expect(next.catalog.recall()).toBe(true);
    await expectAll(next, offering);
    await using connection = await next.connect(offering, { era });
    await next.catalog.attach(connection);
    await next.catalog.flush();
    await expectAll(next, offering);
    expect(next.changes).toEqual([]);
  });
});

test('a catalog without a disk has them, too', async () => {
  const offering = offerOdd();
  const scene = openScene();
  await using connection = await scene.connect(offering);
  await scene.catalog.attach(connection);
  await expectAll(scene, offering);
  expect(scene.catalog.source).toBe('server');
});

test('a field that is another one with each list changes no definition, and the last one is given and kept', async () => {
  const offering = offerOdd();
  const scene = openScene({ catalogFile: catalogFiles(folder)('key') });
  const { catalog, changes, connect } = scene;
  await using connection = await connect(offering);
  await catalog.attach(connection);
  await catalog.flush();
  changes.length = 0;
  const { toolColumns } = catalog;
  const definition = await catalog.tool('read');
  for (let at = 2; at < 5; at++) {
    const volatile = <T extends object>(items: readonly T[]): T[] => items.map((item) => ({ ...item, ...odd(at) }));
    // Reversed as well: own items must stay with their definitions.
    offering.tools = volatile(offering.tools).toReversed();
    offering.resources = volatile(offering.resources);
    offering.prompts = volatile(offering.prompts);
    await catalog.refresh();
    await expectAll(scene, offering);
    await catalog.flush();
    await expectAll(scene, offering);
  }
  expect(changes).toEqual([]);
  expect(catalog.toolColumns).toBe(toolColumns);
  expect(await catalog.tool('read')).toEqual(definition);
  const next = openScene({ catalogFile: catalogFiles(folder)('key') });
  next.catalog.recall();
  await expectAll(next, offering);
  expect(names(next.catalog.tools)).toEqual(['read', 'write', 'plain']);
});

test('a list that stays the same is not written again', async () => {
  const offering = offerOdd();
  const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
  await using connection = await connect(offering);
  await catalog.attach(connection);
  await catalog.flush();
  const { ino } = statSync(join(folder, 'key.catalog'));
  await catalog.refresh();
  await catalog.flush();
  expect(statSync(join(folder, 'key.catalog')).ino).toBe(ino);
});

test('of an item of 1 MB the definition is all there is, and that is said', async () => {
  const offering = offerEverything();
  offering.tools = [
    { name: 'large', description: 'x'.repeat(1_000_000), inputSchema: { type: 'object' }, ...odd() },
    { name: 'small', inputSchema: { type: 'object' }, ...odd() },
  ];
  const catalogFile = catalogFiles(folder)('key');
  for (const scene of [openScene({ catalogFile }), openScene({ catalogFile })]) {
    scene.catalog.recall();
    await using connection = await scene.connect(offering);
    await scene.catalog.attach(connection);
    await scene.catalog.flush();
    const { item, isComplete } = (await scene.catalog.serverDefinition('tools', 'large'))!;
    expect(isComplete).toBe(false);
    expect(item).toMatchObject({ name: 'large', inputSchema: { type: 'object' } });
    expect(String(item['description']).length).toBeLessThan(3_000);
    expect(await scene.catalog.serverDefinition('tools', 'small')).toEqual({
      item: offering.tools[1],
      isComplete: true,
    });
    expect(await scene.catalog.serverDefinition('tools', 'none')).toBeUndefined();
  }
  expect(statSync(join(folder, 'key.catalog')).size).toBeLessThan(20_000);
});

test('what a server was told in confidence is neither given nor written', async () => {
  const offering = offerEverything();
  const told = 'sesame-4711-open';
  offering.tools = [
    { name: 'x', description: `use ${told}`, inputSchema: {}, _meta: { deep: [{ a: `Bearer ${told}` }] } },
  ];
  offering.prompts = [{ name: 'p', 'acme/x': told, arguments: [{ name: 'a', default: told }] }];
  const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
  await using connection = await connect(offering, { secrets: [new Secret(told)] });
  await catalog.attach(connection);
  await catalog.flush();
  const found = [await catalog.serverDefinition('tools', 'x'), await catalog.serverDefinition('prompts', 'p')];
  expect(found.map((one) => one?.isComplete)).toEqual([true, true]);
  expect(JSON.stringify(found) + readFileSync(join(folder, 'key.catalog'), 'utf8')).not.toContain(told);
});

test('a file of the version before is as good as none, and one that was damaged gives the definition', async () => {
  const offering = offerOdd();
  const path = join(folder, 'key.catalog');
  {
    const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
    await using connection = await connect(offering);
    await catalog.attach(connection);
    await catalog[Symbol.asyncDispose]();
  }
  const good = readFileSync(path, 'latin1');
  writeFileSync(path, good.replace('plugboard-catalog 3', 'plugboard-catalog 2'), 'latin1');
  expect(openScene({ catalogFile: catalogFiles(folder)('key') }).catalog.recall()).toBe(false);
  writeFileSync(path, good.replaceAll('"acme/more":{"a":[1]}', '"acme/more":{"a":[1]]'), 'latin1');
  const scene = openScene({ catalogFile: catalogFiles(folder)('key') });
  scene.catalog.recall();
  expect(await scene.catalog.serverDefinition('tools', 'read')).toMatchObject({
    item: { name: 'read' },
    isComplete: false,
  });
  expect(await scene.catalog.tool('read')).toMatchObject({ name: 'read' });
});

test('another program may have replaced the file: what is there by now is given, and what is missing is kept anew', async () => {
  const offering = offerOdd();
  const first = openScene({ catalogFile: catalogFiles(folder)('key') });
  await using connection = await first.connect(offering);
  await first.catalog.attach(connection);
  await first.catalog.flush();
  const second = openScene({ catalogFile: catalogFiles(folder)('key') });
  second.catalog.recall();
  offering.tools = [{ name: 'before', inputSchema: {}, ...odd() }, ...offering.tools];
  await first.catalog.refresh();
  await first.catalog.flush();
  for (const [kind, name] of [
    ['tools', 'read'],
    ['prompts', 'greet'],
  ] as const) {
    expect(await second.catalog.serverDefinition(kind, name)).toMatchObject({ isComplete: true });
  }
  await using own = await second.connect(offering);
  await second.catalog.attach(own);
  await second.catalog.flush();
  await expectAll(second, offering);
});
