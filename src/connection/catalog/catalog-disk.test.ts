import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { names, offerEverything, openScene, settle, tool } from '../../../test/catalog-scene.js';
import { Secret } from '../../base/secret.js';
import { catalogFiles } from './catalog-files.js';

const NO_MARKS = { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false };

let folder = '';
beforeEach(() => (folder = join(mkdtempSync(join(tmpdir(), 'catalog-')), 'catalogs')));
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

test('the next run knows all of it before there is a server, and tells only what has changed', async () => {
  const offering = offerEverything();
  {
    const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
    expect(catalog.recall()).toBe(false);
    await using connection = await connect(offering);
    await catalog.attach(connection);
    await catalog[Symbol.asyncDispose]();
  }
  expect(statSync(join(folder, 'key.catalog')).mode & 0o077).toBe(0);
  const { catalog, changes, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
  expect([catalog.recall(), catalog.source]).toEqual([true, 'disk']);
  expect(catalog.tools[0]).toEqual({
    name: 'read',
    title: 'Read',
    hints: { readOnly: true, destructive: true, idempotent: false, openWorld: true },
    marks: NO_MARKS,
  });
  expect(catalog.resources).toEqual([{ uri: 'file:///a', name: 'a' }]);
  expect([catalog.instructions, catalog.protocol]).toEqual(['Be kind.', '2025-11-25']);
  expect(await catalog.tool('read')).toMatchObject({ inputSchema: { type: 'object' } });
  expect(await catalog.prompt('greet')).toMatchObject({ description: 'Says hello' });
  await using connection = await connect(offering);
  offering.tools.push(tool('third'));
  await catalog.attach(connection);
  expect(changes).toEqual([{ list: 'tools', added: ['third'], removed: [], changed: [] }]);
  expect(catalog.source).toBe('server');
});

test('what is out of memory is read from disk, and asked for again when it is gone from there', async () => {
  const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
  const offering = offerEverything();
  await using connection = await connect(offering);
  await catalog.attach(connection);
  await catalog.flush();
  rmSync(join(folder, 'key.catalog'));
  offering.asked();
  expect(await catalog.tool('write')).toMatchObject({ name: 'write' });
  expect(offering.asked()).toEqual({ 'tools/list': 1 });
  await catalog.flush();
  catalog.detach();
  expect(await catalog.tool('read')).toMatchObject({ name: 'read' });
  rmSync(folder, { recursive: true });
  expect(await catalog.prompt('greet')).toBeUndefined();
});

test('a file that another program has replaced is read again', async () => {
  const offering = offerEverything();
  const first = openScene({ catalogFile: catalogFiles(folder)('key') });
  await using connection = await first.connect(offering);
  await first.catalog.attach(connection);
  await first.catalog.flush();
  const second = openScene({ catalogFile: catalogFiles(folder)('key') });
  second.catalog.recall();
  offering.tools = [tool('before'), ...offering.tools];
  await first.catalog.refresh();
  await first.catalog.flush();
  expect(await second.catalog.tool('write')).toMatchObject({ name: 'write' });
  expect(await second.catalog.prompt('greet')).toMatchObject({ name: 'greet' });
  expect(await second.catalog.tool('before')).toBeUndefined();
});

test('a change of one list takes the definitions of the others along', async () => {
  const catalogFile = catalogFiles(folder)('key');
  const { catalog, connect } = openScene({ catalogFile });
  const offering = offerEverything();
  await using connection = await connect(offering);
  await catalog.attach(connection);
  await catalog.flush();
  offering.prompts.push({ name: 'second' });
  await catalog.refresh();
  await catalog.flush();
  const next = openScene({ catalogFile: catalogFiles(folder)('key') }).catalog;
  next.recall();
  expect(names(next.prompts)).toEqual(['greet', 'second']);
  expect(await next.tool('write')).toMatchObject({ name: 'write' });
  expect(await next.prompt('second')).toMatchObject({ name: 'second' });
});

test('nothing is written when nothing has changed', async () => {
  const offering = offerEverything();
  for (const isFirst of [true, false]) {
    const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
    catalog.recall();
    await using connection = await connect(offering);
    await catalog.attach(connection);
    if (!isFirst) rmSync(join(folder, 'key.catalog'));
    await catalog[Symbol.asyncDispose]();
  }
  expect(readdirSync(folder)).toEqual([]);
});

test('a disk that cannot be written costs nobody a definition', async () => {
  const { catalog, connect } = openScene({ catalogFile: catalogFiles('/dev/null/x')('key') });
  await using connection = await connect(offerEverything());
  await catalog.attach(connection);
  await catalog.flush();
  catalog.detach();
  expect(await catalog.tool('read')).toMatchObject({ name: 'read' });
});

test('of another version of the server nothing is kept that cannot be fetched', async () => {
  const offering = offerEverything();
  {
    const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
    await using connection = await connect(offering);
    await catalog.attach(connection);
    await catalog.flush();
  }
  offering.failing.set('tools/list', -32000);
  {
    const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
    catalog.recall();
    await using connection = await connect(offering);
    await catalog.attach(connection);
    expect(names(catalog.tools)).toEqual(['read', 'write']);
    await catalog.flush();
  }
  offering.version = '2';
  const { catalog, changes, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
  catalog.recall();
  await using connection = await connect(offering);
  await catalog.attach(connection);
  expect(catalog.tools).toEqual([]);
  expect(changes).toEqual([{ list: 'tools', added: [], removed: ['read', 'write'], changed: [] }]);
  await catalog.flush();
  expect(openScene({ catalogFile: catalogFiles(folder)('key') }).catalog.recall()).toBe(true);
});

test('a line that breaks while another version is asked costs nobody a tool', async () => {
  const offering = offerEverything();
  const { catalog, changes, problems, connect } = openScene();
  {
    await using connection = await connect(offering);
    await catalog.attach(connection);
  }
  changes.length = 0;
  offering.version = '2';
  offering.silent.add('tools/list');
  await using connection = await connect(offering);
  const attached = catalog.attach(connection);
  await settle();
  offering.server.close();
  await attached;
  expect([names(catalog.tools), changes]).toEqual([['read', 'write'], []]);
  expect(problems.map(([list, { code }]) => [list, code])).toEqual([['tools', 'connection-closed']]);
});

test('what has to be known of a tool before a call is known before its list comes', async () => {
  const offering = offerEverything();
  offering.capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
  offering.tools = [tool('long', { execution: { taskSupport: 'required' } })];
  {
    const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
    await using connection = await connect(offering);
    await catalog.attach(connection);
    await catalog.flush();
  }
  offering.silent.add('tools/list');
  const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
  catalog.recall();
  await using connection = await connect(offering);
  const attached = catalog.attach(connection);
  expect([...connection.traits]).toEqual([['long', { mirrored: [], needsTask: true }]]);
  catalog.detach();
  await attached;
});

test('whoever forgets has neither lists nor a file, and everybody hears of it', async () => {
  const { catalog, changes, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
  const offering = offerEverything();
  await using connection = await connect(offering);
  await catalog.attach(connection);
  await catalog.flush();
  changes.length = 0;
  await catalog.forget();
  expect([catalog.source, catalog.tools, catalog.instructions]).toEqual(['none', [], undefined]);
  expect(await catalog.tool('read')).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
  expect(changes).toContainEqual({ list: 'tools', added: [], removed: ['read', 'write'], changed: [] });
  await catalog.refresh();
  expect([names(catalog.tools), catalog.instructions]).toEqual([['read', 'write'], 'Be kind.']);
});

test('a tool that its entry leaves out is not brought back by a file', async () => {
  const offering = offerEverything();
  {
    const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
    await using connection = await connect(offering);
    await catalog.attach(connection);
    await catalog.flush();
  }
  const { catalog } = openScene({ catalogFile: catalogFiles(folder)('key'), filter: { excludeTools: ['read'] } });
  catalog.recall();
  expect(names(catalog.tools)).toEqual(['write']);
  expect(await catalog.tool('write')).toMatchObject({ name: 'write' });
  expect(await catalog.tool('read')).toBeUndefined();
});

test('what a server was told in confidence is in no description and no instructions', async () => {
  const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key') });
  const secret = 'sesame-open-42';
  const offering = offerEverything();
  offering.instructions = `Use ${secret}.`;
  offering.tools = [
    tool('read', { title: `T ${secret}`, description: `${'x'.repeat(2025)}${secret}${'y'.repeat(100)}` }),
  ];
  await using connection = await connect(offering, { secrets: [new Secret(secret)] });
  await catalog.attach(connection);
  await catalog.flush();
  expect(catalog.instructions).not.toContain(secret);
  expect((await catalog.tool('read'))?.description).not.toContain('sesame');
  expect(readFileSync(join(folder, 'key.catalog'), 'utf8')).not.toContain('sesame');
});

describe('in the new era', () => {
  const MINUTE = 60_000;

  async function secondRun({ age, version = '1' }: { age: number; version?: string }): Promise<Record<string, number>> {
    const offering = offerEverything();
    offering.ttlMs = MINUTE;
    const begin = 1_000 * MINUTE;
    {
      const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key'), wall: () => begin });
      await using connection = await connect(offering, { era: 'modern' });
      await catalog.attach(connection);
      await catalog.flush();
    }
    offering.version = version;
    offering.asked();
    const { catalog, connect } = openScene({ catalogFile: catalogFiles(folder)('key'), wall: () => begin + age });
    catalog.recall();
    await using connection = await connect(offering, { era: 'modern' });
    await catalog.attach(connection);
    expect(names(catalog.tools)).toEqual(['read', 'write']);
    expect(catalog.source).toBe('server');
    return offering.asked();
  }

  test('what is fresh is not asked for again', async () => {
    expect(await secondRun({ age: MINUTE - 1 })).toEqual({});
  });

  test.each([
    ['is over', { age: MINUTE }],
    ['cannot be told, because the clock was set back', { age: -1 }],
    ['was that of another version', { age: 1, version: '2' }],
  ])('when its time %s, it is asked for', async (_, run) => {
    expect(Object.keys(await secondRun(run))).toHaveLength(4);
  });

  test('somebody who looks has fetched what is no longer fresh, and nothing else', async () => {
    let now = 1_000 * MINUTE;
    const { catalog, clock, connect } = openScene({ wall: () => now });
    const offering = offerEverything();
    offering.ttlMs = MINUTE;
    await using connection = await connect(offering, { era: 'modern' });
    await catalog.attach(connection);
    offering.asked();
    now += MINUTE - 1;
    await clock.pass(MINUTE - 1);
    catalog.refreshStale();
    await settle();
    expect(offering.asked()).toEqual({});
    now += 1;
    await clock.pass(1);
    offering.tools.push(tool('third'));
    catalog.refreshStale();
    await settle();
    expect(Object.keys(offering.asked())).toHaveLength(4);
    expect(names(catalog.tools)).toEqual(['read', 'write', 'third']);
  });

  test('changes of lists are asked to be told', async () => {
    const { catalog, connect } = openScene();
    const offering = offerEverything();
    await using connection = await connect(offering, { era: 'modern' });
    await catalog.attach(connection);
    const listen = offering.server.received.find(({ method }) => method === 'subscriptions/listen');
    expect(listen?.params['notifications']).toEqual({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
    });
  });
});
