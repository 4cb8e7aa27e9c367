import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import { type OfferScene, openOffers, script } from './scene.js';
import { listResourcesTool } from '../../src/tools/list-resources.js';
import { readResourceTool } from '../../src/tools/read-resource.js';
import { countTurns } from '../computed.js';

const server = 'odd';
let scene: OfferScene;
beforeAll(async () => {
  scene = await openOffers({
    [server]: script('odd-server.mjs'),
    lazy: script('odd-server.mjs', { start: 'lazy' }),
    dead: script('none.mjs'),
  });
});
afterAll(() => scene[Symbol.asyncDispose]());

const read = (uri: string, more = {}): ReturnType<Host['readResource']> =>
  scene.host.readResource({ server, uri, ...more });

test('a text comes without what does not show, unless somebody wants it exactly', async () => {
  expect(await read('odd://text')).toMatchObject({ ok: true, contents: [{ text: 'plain hidden\nend' }] });
  expect(await read('odd://text', { isExact: true })).toMatchObject({
    contents: [{ text: 'plain \u202ehidden\u001b[31m\r\nend' }],
  });
});

test('of several parts those that are none are left out, and counted', async () => {
  expect(await read('odd://several')).toEqual({
    ok: true,
    contents: [
      { uri: 'odd://several/1', mimeType: undefined, text: 'one' },
      { uri: 'odd://several/2', mimeType: 'image/png', blob: 'AAAA' },
      { uri: 'odd://several', mimeType: undefined, text: 'without an address' },
    ],
    saved: [],
    notes: ['2 malformed parts were left out'],
  });
});

test.each([
  ['odd://no-list', 'bad-answer'],
  ['odd://there-is-none', 'unknown-resource'],
  ['', 'bad-input'],
  ['x'.repeat(4_097), 'bad-input'],
])('reading %j fails by name', async (uri, code) => {
  expect(await read(uri)).toMatchObject({ ok: false, error: { code } });
});

test('what is too large for memory is in a file', async () => {
  const answer = await read('odd://large');
  expect(answer).toMatchObject({ ok: true, saved: [{ bytes: 20_000_000 }] });
  const path = answer.ok ? answer.saved[0]!.path : '';
  expect(readFileSync(path, 'utf8')).toHaveLength(20_000_000);
});

test('a server that rests is started when it is asked by name, and one that failed says why', async () => {
  const all = await scene.host.resources();
  expect(all).toMatchObject({
    ok: true,
    notes: [
      expect.stringContaining('"lazy" has not been started') as string,
      expect.stringContaining('"dead"') as string,
    ],
  });
  expect(await scene.host.resources({ server: 'dead' })).toMatchObject({ ok: false });
  expect(await scene.host.resources({ server: 'lazy', limit: 2 })).toMatchObject({
    ok: true,
    resources: [{ server: 'lazy' }, { server: 'lazy' }],
  });
});

test('a prompt keeps its roles, and loses what is no message', async () => {
  const answer = await scene.host.getPrompt({ server, prompt: 'say', arguments: { what: 'hi' } });
  expect(answer).toEqual({
    ok: true,
    description: 'A talk',
    messages: [
      { role: 'user', content: { type: 'text', text: 'say {"what":"hi"}' } },
      { role: 'assistant', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
      { role: 'user', content: { type: 'text', text: 'a' } },
      { role: 'user', content: { type: 'text', text: 'b' } },
      { role: 'user', content: { type: 'resource', resource: { uri: 'odd://text', text: 'x' } } },
    ],
    saved: [],
    notes: ['4 malformed messages were left out'],
  });
});

test('a prompt called clear, with or without a line break, is only ever a command of its server', async () => {
  const listed = await scene.host.prompts({ server });
  const commands = listed.ok ? listed.prompts.map(({ command }) => command) : [];
  expect(commands[0]).toBe('/mcp__odd__clear');
  expect(commands[1]).toBe('/mcp__odd__clear_');
  expect(await scene.host.runPrompt('/clear')).toBeUndefined();
  expect(await scene.host.runPrompt('/mcp__odd__clear_')).toMatchObject({
    ok: true,
    messages: [{ content: { text: 'clear\n {}' } }, {}, {}, {}, {}],
  });
});

test.each([
  ['/mcp__odd__say', 'bad-input', 'Write what=...'],
  ['/mcp__odd__say nothing', 'bad-input', 'See what it takes: host.prompts({ server: "odd" })'],
  ['/mcp__odd__clear now', 'bad-input', undefined],
  ['/mcp__odd__sai', 'unknown-resource', 'Did you mean /mcp__odd__say?'],
])('%s is refused by name', async (text, code, hint) => {
  expect(await scene.host.runPrompt(text)).toMatchObject({ ok: false, error: { code, hint } });
});

const many = { command: process.execPath, args: ['-e', manyServer()] };

test('an argument that is called like what every object has is missing unless somebody gives it', async () => {
  await using sly = await openOffers({ many });
  const get = (given: string): ReturnType<Host['getPrompt']> =>
    sly.host.getPrompt({ server: 'many', prompt: 'sly', arguments: JSON.parse(given) as Record<string, string> });
  expect(await get('{}')).toMatchObject({ ok: false, error: { code: 'bad-input' } });
  expect(await get('{"__proto__":"x"}')).toMatchObject({ ok: true });
});

test('ten thousand resources are listed, and everybody else has their turn meanwhile', async () => {
  await using lists = await openOffers({ many });
  await lists.server('many').catalog.flush();
  using turns = countTurns();
  const listed = await lists.host.resources();
  expect(listed.ok && listed.resources.length).toBe(10_000);
  expect(turns.count).toBeGreaterThan(5);
});

test('suggestions are texts, at most a hundred, and asked for no more often than needed', async () => {
  const ref = { type: 'ref/prompt', name: 'say' } as const;
  const complete = (value: string): ReturnType<Host['complete']> =>
    scene.host.complete({ server, ref, argument: { name: 'how', value }, context: { what: 'hi' } });
  const typed = await Promise.all(['a', 'ab', 'abc', 'abcd'].map((value) => complete(value)));
  expect(typed.map((answer) => answer.ok)).toEqual([true, false, false, true]);
  expect(typed[1]).toMatchObject({ error: { code: 'cancelled' } });
  const [last] = typed.slice(-1);
  expect(last).toMatchObject({ total: 203, hasMore: true });
  expect(last?.ok === true && last.values.slice(0, 3)).toEqual(['abcd!', 'hi', '0']);
  expect(last?.ok === true && last.values.length).toBeLessThanOrEqual(100);
  expect(await complete('abcd')).toEqual(last);
  expect(await complete('bad')).toMatchObject({ ok: false, error: { code: 'bad-answer' } });
  const asked = await read('odd://asked');
  expect(asked).toMatchObject({ contents: [{ text: '["a","abcd","bad"]' }] });
});

test('what a text mentions is read, once each, and what cannot be read is noted', async () => {
  const text =
    'See @odd:odd://text, (@odd:odd://several) and @odd:odd://text; not a@odd:odd://x. @ood:odd://text @param:x @odd:odd://gone';
  const { blocks, notes, mentions } = await scene.host.resolveMentions(text);
  expect(mentions).toHaveLength(4);
  expect(blocks.slice(0, 4)).toEqual([
    { type: 'text', text: '[Resource from odd at odd://text]\nplain hidden\nend' },
    { type: 'text', text: '[Resource from odd at odd://several/1]\none' },
    {
      type: 'text',
      text: expect.stringMatching(/^\[Resource at odd:..several.2\] Binary content .* saved to /u) as string,
    },
    { type: 'text', text: '[Resource from odd at odd://several]\nwithout an address' },
  ]);
  expect(notes[0]).toContain('there is no server "ood"; did you mean "odd"?');
  expect(notes[1]).toContain('@odd:odd://gone was not read');
  expect(notes).toHaveLength(2);
});

const context = { callId: '1' };

test('a model lists what there is, as much as it can read, and reads it', async () => {
  const list = listResourcesTool({ list: (question) => scene.host.resources(question) });
  const listed = await list.call({ server }, context);
  const text = String(listed.content[0]!['text']);
  expect(text.length).toBeLessThan(41_000);
  const { resources, templates } = JSON.parse(text) as { resources: object[]; templates: object[] };
  expect(resources[0]).toEqual({
    server,
    uri: 'odd://text',
    name: 'text',
    description: `${'d'.repeat(300)}…`,
    size: 3,
  });
  expect(templates).toEqual([{ server, uriTemplate: 'odd://page/{number}', name: 'a page' }]);
  const tool = readResourceTool({ read: (question) => scene.host.readResource(question) });
  expect((await tool.call({ server, uri: 'odd://text' }, context)).content).toEqual([
    { type: 'text', text: 'plain hidden\nend' },
  ]);
  expect((await tool.call({ server, uri: 'odd://nothing' }, context)).content).toEqual([
    { type: 'text', text: '[A resource of odd: it is empty]' },
  ]);
});

test.each([
  [{ server: 'od', uri: 'odd://text' }, 'unknown-server', 'Did you mean "odd"?'],
  [{ server, uri: 'odd://txet' }, 'unknown-resource', 'Did you mean odd://text?'],
  [{ server }, 'bad-input', 'Look at its schema'],
])('a model that asks for %j is told what is wrong', async (input, code, hint) => {
  const tool = readResourceTool({ read: (question) => scene.host.readResource(question) });
  const { outcome, error, content } = await tool.call(input, context);
  expect(outcome).toBe('error');
  expect(error?.code).toBe(code);
  expect(String(content[0]!['text'])).toContain(hint);
});

function manyServer(): string {
  return `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id } = JSON.parse(line);
    const resources = Array.from({ length: 10000 }, (_, at) => ({ uri: 'many://' + at, name: 'r' + at }));
    const prompts = [{ name: 'sly', arguments: [{ name: '__proto__', required: true }] }];
    const greeting = { protocolVersion: '2025-11-25', serverInfo: { name: 'many', version: '1' } };
    const result = { ...greeting, capabilities: { resources: {}, prompts: {} }, resources, prompts, messages: [] };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });`;
}
