import { expect, test } from 'vitest';
import { FlyingClock, names, offerEverything, Offering, openScene, settle, tool } from '../../../test/catalog-scene.js';

const NO_MARKS = { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false };

test('all lists are asked for together, page by page, and told as new', async () => {
  const { catalog, changes, connect } = openScene();
  const offering = offerEverything();
  offering.perPage = 1;
  offering.silent.add('tools/list');
  await using connection = await connect(offering);
  const attached = catalog.attach(connection);
  await settle();
  expect(offering.asked()).toEqual({
    'tools/list': 1,
    'resources/list': 1,
    'resources/templates/list': 1,
    'prompts/list': 1,
  });
  expect(names(catalog.prompts)).toEqual(['greet']);
  catalog.detach();
  await attached;
  offering.silent.clear();
  await catalog.attach(connection);
  expect(offering.asked()['tools/list']).toBe(2);
  expect(catalog.source).toBe('server');
  expect(catalog.tools).toEqual([
    {
      name: 'read',
      title: 'Read',
      hints: { readOnly: true, destructive: true, idempotent: false, openWorld: true },
      marks: NO_MARKS,
    },
    {
      name: 'write',
      title: undefined,
      hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
      marks: NO_MARKS,
    },
  ]);
  expect(catalog.resources).toEqual([{ uri: 'file:///a', name: 'a' }]);
  expect(catalog.templates).toEqual([{ uri: 'file:///{path}', name: 'any file' }]);
  expect(catalog.instructions).toBe('Be kind.');
  expect(catalog.server).toEqual({ name: 'offering', version: '1' });
  expect(catalog.protocol).toBe('2025-11-25');
  expect(changes.map(({ list, added }) => `${list}: ${added.join()}`).toSorted()).toEqual([
    'instructions: instructions',
    'prompts: greet',
    'resources: file:///a',
    'templates: file:///{path}',
    'tools: read,write',
  ]);
  expect(await catalog.resource('file:///a')).toMatchObject({ mimeType: 'text/plain', size: 3 });
  expect(await catalog.template('file:///{path}')).toMatchObject({ name: 'any file' });
  expect(await catalog.prompt('greet')).toMatchObject({ arguments: [{ name: 'who', required: true }] });
  expect(await catalog.tool('none')).toBeUndefined();
});

test('only what a server declares is asked for', async () => {
  const { catalog, connect } = openScene();
  const offering = offerEverything();
  offering.capabilities = { prompts: {} };
  await using connection = await connect(offering);
  await catalog.attach(connection);
  expect(offering.asked()).toEqual({ 'prompts/list': 1 });
  expect([catalog.tools, catalog.source]).toEqual([[], 'server']);
});

test('a list that fails keeps what was known of it, and does not hurt the others', async () => {
  const { catalog, problems, changes, connect } = openScene();
  const offering = offerEverything();
  await using connection = await connect(offering);
  await catalog.attach(connection);
  changes.length = 0;
  offering.failing.set('tools/list', -32000);
  offering.prompts = [];
  await catalog.refresh();
  expect(names(catalog.tools)).toEqual(['read', 'write']);
  expect(changes).toEqual([{ list: 'prompts', added: [], removed: ['greet'], changed: [] }]);
  expect(problems.map(([list, { code }]) => [list, code])).toEqual([['tools', 'server-error']]);
});

test('a method that a server declares and does not know is an empty list with a warning', async () => {
  const { catalog, problems, connect } = openScene();
  const offering = offerEverything();
  offering.failing.set('prompts/list', -32601);
  await using connection = await connect(offering);
  await catalog.attach(connection);
  expect([problems, catalog.prompts]).toEqual([[], []]);
  expect(catalog.warnings).toEqual(['it declares prompts and does not know prompts/list']);
});

test('a note of a change has only that list fetched again, and tells what is different', async () => {
  const { catalog, clock, changes, connect } = openScene();
  const offering = offerEverything();
  await using connection = await connect(offering);
  await catalog.attach(connection);
  await clock.pass(1_000);
  offering.asked();
  changes.length = 0;
  offering.tools = [tool('write', { description: 'Now it also deletes' }), tool('new')];
  offering.server.say('notifications/tools/list_changed', {});
  await settle();
  expect(offering.asked()).toEqual({ 'tools/list': 1 });
  expect(changes).toEqual([{ list: 'tools', added: ['new'], removed: ['read'], changed: ['write'] }]);
  expect((await catalog.tool('write'))?.description).toBe('Now it also deletes');
  await clock.pass(1_000);
  offering.server.say('notifications/resources/list_changed', {});
  await settle();
  expect(offering.asked()).toEqual({ 'resources/list': 1, 'resources/templates/list': 1 });
});

/** A schema's properties, in this order. */
function shuffled(order: readonly string[]): object {
  return Object.fromEntries(order.map((key) => [key, { type: 'string', description: `what ${key} means` }]));
}

test('a definition whose fields come in another order is the same, to the letter', async () => {
  const { catalog, changes, connect } = openScene();
  const offering = new Offering();
  offering.tools = [tool('read', { inputSchema: { type: 'object', properties: shuffled(['a', 'b', 'c']) } })];
  await using connection = await connect(offering);
  await catalog.attach(connection);
  changes.length = 0;
  offering.tools = [tool('read', { inputSchema: { properties: shuffled(['c', 'a', 'b']), type: 'object' } })];
  await catalog.refresh();
  expect(changes).toEqual([]);
  expect(Object.keys((await catalog.tool('read'))!.inputSchema['properties'] as object)).toEqual(['a', 'b', 'c']);
});

test('what a line brings that has been given up is dropped', async () => {
  const { catalog, changes, problems, connect } = openScene();
  const offering = offerEverything();
  offering.silent.add('tools/list');
  await using connection = await connect(offering);
  const attached = catalog.attach(connection);
  await settle();
  const late = offering.server.received.find(({ method }) => method === 'tools/list')!;
  const received = changes.length;
  catalog.detach();
  offering.server.answer(late.id, { tools: offering.tools });
  await attached;
  await settle();
  expect([catalog.tools, changes.length, problems]).toEqual([[], received, []]);
});

test('what is still being read of a line that has been given up is dropped, too', async () => {
  const { catalog, changes, connect } = openScene({ clock: new FlyingClock() });
  const offering = new Offering();
  offering.capabilities = { tools: {} };
  offering.instructions = undefined;
  offering.tools = Array.from({ length: 200 }, (_, index) => tool(`tool-${index}`));
  await using connection = await connect(offering);
  const attached = catalog.attach(connection);
  await settle();
  expect(offering.asked()).toEqual({ 'tools/list': 1 });
  catalog.detach();
  await attached;
  expect([catalog.tools, changes]).toEqual([[], []]);
  await catalog.attach(connection);
  expect(catalog.tools).toHaveLength(200);
});

test('a signal ends it as well', async () => {
  const { catalog, connect } = openScene();
  const offering = offerEverything();
  offering.silent.add('tools/list');
  await using connection = await connect(offering);
  const abort = new AbortController();
  const attached = catalog.attach(connection, abort.signal);
  abort.abort();
  await attached;
  catalog.onNotification('notifications/prompts/list_changed');
  await catalog.attach(connection, AbortSignal.abort());
  await catalog.refresh();
  offering.asked();
  await settle();
  expect(offering.asked()).toEqual({});
});

test('a change that could not be looked at before the line broke is looked at over the next one', async () => {
  const { catalog, connect } = openScene();
  const offering = offerEverything();
  offering.ttlMs = 3_600_000;
  await using first = await connect(offering, { era: 'modern' });
  await catalog.attach(first);
  offering.tools.push(tool('new'));
  // So soon after the last refresh that this one is delayed.
  catalog.onNotification('notifications/tools/list_changed');
  catalog.detach();
  offering.asked();
  await using second = await connect(offering, { era: 'modern' });
  await catalog.attach(second);
  expect(names(catalog.tools)).toEqual(['read', 'write', 'new']);
  expect(offering.asked()).toEqual({ 'tools/list': 1 });
});
