import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { ask, openGatewayScene, refusalOf } from './gateway-scene.js';
import { listing, namesOf } from './list-servers.js';

test('tools of all servers are listed in order, under names that say whose they are', async () => {
  const entries = {
    ...listing('zoo', { tools: ['b', 'a'] }),
    ...listing('ark', { tools: [{ name: 'x', title: 'X!' }] }),
  };
  await using opened = await openGatewayScene(entries);
  const listed = await ask(opened.endpoint(), 'tools/list');
  expect(listed['tools']).toEqual([
    { name: 'ark__x', title: 'ark: X!', inputSchema: { type: 'object' } },
    { name: 'zoo__a', title: 'zoo: a', inputSchema: { type: 'object' } },
    { name: 'zoo__b', title: 'zoo: b', inputSchema: { type: 'object' } },
  ]);
  expect(listed).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' });
  expect(listed).not.toHaveProperty('nextCursor');
  const called = await ask(opened.endpoint(), 'tools/call', { name: 'zoo__a', arguments: { n: 1 } });
  expect(called['content']).toEqual([
    { type: 'text', text: JSON.stringify({ server: 'zoo', name: 'a', arguments: { n: 1 } }) },
  ]);
});

test('the address of one server gives its own names and titles', async () => {
  const entries = {
    ...listing('zoo', { tools: ['read.file', 'ünder', 'my tool', 'o\u200bne', 't\u200bwo', 'tw\u200bo', 'two'] }),
    ...listing('ark', {}),
  };
  // Raw: what a call says of its name is to have the hidden characters.
  await using opened = await openGatewayScene(entries, { settings: { gateway: { results: 'raw' } } });
  const one = opened.endpoint('/mcp/zoo');
  const { tools } = (await ask(one, 'tools/list')) as { tools: { name: string }[] };
  const names = ['my tool', 'one', 'read.file', 't_wo', 'tw_o', 'two', 'ünder'];
  expect(tools).toEqual(names.map((name) => ({ name, inputSchema: { type: 'object' } })));
  const called = await Promise.all(tools.map(({ name }) => ask(one, 'tools/call', { name })));
  const own = called.map(({ content }) => (JSON.parse((content as [{ text: string }])[0].text) as JsonObject)['name']);
  // Each reaches the tool that its server knows by another name.
  expect(own).toEqual(['my tool', 'o\u200bne', 'read.file', 't\u200bwo', 'tw\u200bo', 'two', 'ünder']);
  expect(opened.gateway.endpoint('/mcp/nobody', 'local')).toBeUndefined();
  expect(opened.gateway.endpoint('/other', 'local')).toBeUndefined();
  expect(opened.gateway.endpoint('/mcp', 'local', 'tools=some')).toBeUndefined();
  expect(opened.gateway.endpoint('/mcp/zoo', 'local')).toBe(one);
});

test('what a server does not declare is not found at its own address, and missing among others', async () => {
  const entries = listing('zoo', { tools: ['a'] }, { capabilities: { prompts: null, resources: null } });
  await using opened = await openGatewayScene(entries);
  const one = opened.endpoint('/mcp/zoo');
  const asked = ['prompts/list', 'resources/list', 'resources/templates/list'];
  for (const method of asked) expect(await refusalOf(ask(one, method))).toMatchObject({ code: -32601 });
  const complete = { ref: { type: 'ref/resource', uri: 'zoo://{a}' }, argument: { name: 'a', value: '' } };
  expect(await refusalOf(ask(one, 'completion/complete', complete))).toMatchObject({ code: -32601 });
  expect(namesOf(await ask(one, 'tools/list'), 'tools')).toEqual(['a']);
  expect(namesOf(await ask(opened.endpoint(), 'prompts/list'), 'prompts')).toEqual([]);
});

test('a long name is cut to 48 characters and still means its tool', async () => {
  const long = `${'very_'.repeat(12)}long`;
  await using opened = await openGatewayScene(listing('a-server-with-a-name', { tools: [long, `${long}er`] }));
  const names = namesOf(await ask(opened.endpoint(), 'tools/list'), 'tools') as string[];
  expect(names.every((name) => name.length <= 48)).toBe(true);
  const told = await Promise.all(names.map((name) => ask(opened.endpoint(), 'tools/call', { name })));
  const called = told.map(({ content }) => (JSON.parse((content as [{ text: string }])[0].text) as JsonObject)['name']);
  expect(new Set(called)).toEqual(new Set([long, `${long}er`]));
});

test('plain names stay plain where they are unique', async () => {
  const entries = { ...listing('zoo', { tools: ['feed', 'Go'] }), ...listing('ark', { tools: ['sail', 'go'] }) };
  await using opened = await openGatewayScene(entries, { gateway: { naming: 'plain' } });
  const names = namesOf(await ask(opened.endpoint(), 'tools/list'), 'tools');
  expect(names).toEqual(['ark__go', 'feed', 'sail', 'zoo__Go']);
});

test('a server whose tools are called as those of the search does not get their calls, not even by plain names', async () => {
  const entries = { ...listing('evil', { tools: ['call_tool', 'search_tools', 'x'] }) };
  await using opened = await openGatewayScene(entries, { gateway: { naming: 'plain' } });
  const names = namesOf(await ask(opened.endpoint(), 'tools/list'), 'tools');
  expect(names).toEqual(['evil__call_tool', 'evil__search_tools', 'x']);
  const searching = namesOf(await ask(opened.endpoint('/mcp', 'tools=search'), 'tools/list'), 'tools');
  expect(searching).toEqual(['call_tool', 'search_tools']);
});

test('a list is read page by page, and a cursor holds although the list has changed', async () => {
  const tools = Array.from({ length: 2_500 }, (_, at) => `t${String(at).padStart(4, '0')}`);
  await using opened = await openGatewayScene(listing('many', { tools: [...tools, 'set'] }));
  const endpoint = opened.endpoint();
  const first = await ask(endpoint, 'tools/list');
  const second = await ask(endpoint, 'tools/list', { cursor: first['nextCursor'] });
  const third = await ask(endpoint, 'tools/list', { cursor: second['nextCursor'] });
  const pages = [first, second, third].map((page) => namesOf(page, 'tools'));
  expect(pages.map(({ length }) => length)).toEqual([1_000, 1_000, 501]);
  expect(pages.flat()).toEqual([...tools, 'set'].map((name) => `many__${name}`).toSorted());
  expect(third).not.toHaveProperty('nextCursor');
  const gone = new Set(['t0999', 't0500']);
  const changed = new Promise((heard) => opened.host.on('catalog', heard));
  await ask(endpoint, 'tools/call', {
    name: 'many__set',
    arguments: { list: 'tools', items: tools.filter((name) => !gone.has(name)) },
  });
  await changed;
  const rest = await ask(endpoint, 'tools/list', { cursor: first['nextCursor'] });
  expect(namesOf(rest, 'tools')[0]).toBe('many__t1000');
});

test('a forged cursor, or one of another list, is refused', async () => {
  const tools = Array.from({ length: 1_001 }, (_, at) => `t${at}`);
  await using opened = await openGatewayScene(listing('many', { tools }));
  const { nextCursor } = await ask(opened.endpoint(), 'tools/list');
  for (const [method, cursor] of [
    ['tools/list', 'x'],
    ['tools/list', 7],
    ['tools/list', `${String(nextCursor).slice(0, -1)}_`],
    ['prompts/list', nextCursor],
  ] as const) {
    expect(await refusalOf(ask(opened.endpoint(), method, { cursor }))).toMatchObject({ code: -32602 });
  }
});

test('tools that a rule denies are not listed, and calling one says which rule', async () => {
  const entries = { ...listing('zoo', { tools: ['feed', 'free'] }) };
  await using opened = await openGatewayScene(entries, {
    host: { permissions: { mode: 'bypass', deny: ['mcp__zoo__free'] } },
  });
  expect(namesOf(await ask(opened.endpoint(), 'tools/list'), 'tools')).toEqual(['zoo__feed']);
  const denied = await ask(opened.endpoint(), 'tools/call', { name: 'zoo__free' });
  expect(denied).toMatchObject({ isError: true, _meta: { 'plugboard/outcome': 'error' } });
  expect(JSON.stringify(denied['content'])).toContain('mcp__zoo__free');
});

test('a preset gives the servers and tools that it names', async () => {
  const entries = { ...listing('zoo', { tools: ['feed', 'free'] }), ...listing('ark', { tools: ['sail'] }) };
  const settings = {
    gateway: { presets: { calm: { servers: ['zoo'], tools: ['mcp__zoo__feed'] }, odd: { tools: 7 } } },
  };
  await using opened = await openGatewayScene(entries, { settings });
  expect(namesOf(await ask(opened.endpoint('/mcp/@calm'), 'tools/list'), 'tools')).toEqual(['zoo__feed']);
  expect(opened.gateway.endpoint('/mcp/@odd', 'local')).toBeUndefined();
  expect(opened.gateway.endpoint('/mcp/@none', 'local')).toBeUndefined();
});

test('a server that is down keeps its place, and its calls say why', async () => {
  await using opened = await openGatewayScene(listing('zoo', { tools: ['exit', 'feed'] }));
  const endpoint = opened.endpoint();
  const broken = await ask(endpoint, 'tools/call', { name: 'zoo__exit' });
  expect(broken).toMatchObject({ isError: true, _meta: { 'plugboard/outcome': 'unknown' } });
  expect(namesOf(await ask(endpoint, 'tools/list'), 'tools')).toEqual(['zoo__exit', 'zoo__feed']);
});

test('what is between the gateway and its servers is not listed', async () => {
  const tools = [
    {
      name: 'bad',
      execution: { taskSupport: 'optional' },
      inputSchema: { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' }, 'x-mcp-header': {} } },
    },
    { name: 'hid\u200bden', description: 'a\u200bb', icons: [{ src: 'data:,' }] },
  ];
  await using opened = await openGatewayScene(listing('zoo', { tools }));
  expect((await ask(opened.endpoint('/mcp/zoo'), 'tools/list'))['tools']).toEqual([
    { name: 'bad', inputSchema: { type: 'object', properties: { a: { type: 'number' }, 'x-mcp-header': {} } } },
    { name: 'hidden', description: 'ab', icons: [{ src: 'data:,' }], inputSchema: { type: 'object' } },
  ]);
});

test('a URI that two servers have names its server, and others stay as they are', async () => {
  const both = { uri: 'file:///both', name: 'both' };
  const entries = {
    ...listing('zoo', {
      resources: [both, { uri: 'zoo://a', name: 'a' }],
      tools: ['link'],
      resourceTemplates: [{ uriTemplate: 'zoo:///{id}', name: 't' }],
    }),
    ...listing('ark', { resources: [both] }),
  };
  await using opened = await openGatewayScene(entries);
  const endpoint = opened.endpoint();
  const uris = namesOf(await ask(endpoint, 'resources/list'), 'resources', 'uri');
  expect(uris).toEqual(['plugboard+ark:file:///both', 'plugboard+zoo:file:///both', 'zoo://a']);
  expect(await ask(endpoint, 'resources/read', { uri: 'plugboard+ark:file:///both' })).toMatchObject({
    contents: [{ uri: 'plugboard+ark:file:///both', text: 'ark file:///both' }],
  });
  expect(await ask(endpoint, 'resources/read', { uri: 'zoo:///7' })).toMatchObject({
    contents: [{ uri: 'zoo:///7', text: 'zoo zoo:///7' }],
  });
  const ambiguous = await refusalOf(ask(endpoint, 'resources/read', { uri: 'file:///both' }));
  expect(ambiguous).toMatchObject({
    code: -32602,
    message: expect.stringContaining('plugboard+zoo:file:///both') as string,
  });
  expect(await refusalOf(ask(endpoint, 'resources/read', { uri: 'far://away' }))).toMatchObject({ code: -32602 });
  const link = (uri: string): Promise<JsonObject> =>
    ask(endpoint, 'tools/call', { name: 'zoo__link', arguments: { uri } });
  expect((await link('far://away'))['content']).toMatchObject([{ uri: 'far://away' }]);
  expect((await link('file:///both'))['content']).toMatchObject([{ uri: 'plugboard+zoo:file:///both' }]);
  expect(await ask(endpoint, 'resources/read', { uri: 'far://away' })).toMatchObject({
    contents: [{ uri: 'far://away', text: 'zoo far://away' }],
  });
});

test('the first list waits for servers that have never listed anything', async () => {
  await using opened = await openGatewayScene(listing('zoo', { tools: ['feed'], prompts: ['p'] }), {
    isSettled: false,
  });
  expect(namesOf(await ask(opened.endpoint(), 'tools/list'), 'tools')).toEqual(['zoo__feed']);
  expect(namesOf(await ask(opened.endpoint(), 'prompts/list'), 'prompts')).toEqual(['zoo__p']);
});
