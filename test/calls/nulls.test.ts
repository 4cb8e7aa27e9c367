import { expect, test } from 'vitest';
import { ASKING, ONCE, openWalk, person, textOf } from './walk-scene.js';

// Models write null for arguments that they leave out, and most servers refuse null.

const inputSchema = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    limit: { type: 'integer' },
    since: { type: ['string', 'null'] },
    kind: { enum: ['a', 'b'] },
    any: {},
    filter: { type: 'object', properties: { from: { type: 'string' }, to: { type: 'string' } }, required: ['to'] },
    rows: { type: 'array', items: { type: 'object', properties: { note: { type: 'string' } } } },
    list: { type: 'array', items: { type: 'string' } },
  },
  required: ['query'],
};

test.each([
  [
    { query: 'x', limit: null },
    { query: 'x' },
    '1 argument was null, which the tool does not take, and left out: "limit"',
  ],
  [{ query: 'x', limit: null, kind: null, since: null, any: null }, { query: 'x', since: null, any: null }, '"kind"'],
  [{ query: 'x', filter: { from: null, to: 'y' } }, { query: 'x', filter: { to: 'y' } }, '"filter.from"'],
  [{ query: 'x', rows: [{ note: 'n' }, { note: null }] }, { query: 'x', rows: [{ note: 'n' }, {}] }, '"rows.1.note"'],
])('%j is sent as %j', async (input, sent, note) => {
  await using scene = openWalk();
  scene.configure({ desk: scene.walking([{ name: 'find', inputSchema }]) });
  const host = await scene.settle({ permissions: { allow: ['mcp__desk'] } });
  const result = await host.call({ name: 'mcp__desk__find', input });
  expect(textOf(result)).toBe(`find ${JSON.stringify(sent)}`);
  expect(result.notes.join()).toContain(note);
});

test.each([
  [{ query: null }, 'query'],
  [{ query: 'x', filter: { to: null } }, '/filter/to'],
  [{ query: 'x', list: [null] }, '/list/0'],
  [{ query: 7, limit: null }, '/limit'],
])('%j is refused: what is needed, or stands in a list, is not left out', async (input, place) => {
  await using scene = openWalk();
  scene.configure({ desk: scene.walking([{ name: 'find', inputSchema }]) });
  const host = await scene.settle({ permissions: { allow: ['mcp__desk'] } });
  const result = await host.call({ name: 'mcp__desk__find', input });
  expect(result).toMatchObject({ error: { code: 'bad-input', message: expect.stringContaining(place) } });
  expect(scene.journalLines()).toEqual([]);
});

test('more nulls than a check tells of at once are all left out', async () => {
  await using scene = openWalk();
  const names = Array.from({ length: 35 }, (_, at) => `p${at}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  scene.configure({ desk: scene.walking([{ name: 'many', inputSchema: { type: 'object', properties } }]) });
  const host = await scene.settle({ permissions: { allow: ['mcp__desk'] } });
  const input = Object.fromEntries(names.map((name) => [name, null]));
  const result = await host.call({ name: 'mcp__desk__many', input });
  expect(textOf(result)).toBe('many {}');
  expect(result.notes.join()).toContain('35 arguments were null');
});

test('hooks and the user see what is sent, and what a person typed goes as typed', async () => {
  await using scene = openWalk();
  scene.configure({ desk: scene.walking([{ name: 'find', inputSchema }]) });
  const { asked, ask } = person(ONCE);
  const seen: unknown[] = [];
  const preToolUse = [{ run: ({ input }: { readonly input: unknown }) => void seen.push(input) }];
  const host = await scene.settle({ permissions: ASKING, ports: { ask }, hooks: { preToolUse } });
  const input = { query: 'x', limit: null };
  expect(await host.call({ name: 'CallMcpTool', input: { name: 'mcp__desk__find', arguments: input } })).toMatchObject({
    outcome: 'ok',
  });
  expect(asked).toMatchObject([{ input: { query: 'x' } }]);
  expect(asked[0]!.input).not.toHaveProperty('limit');
  expect(seen).toEqual([{ query: 'x' }]);
  const typed = await host.call({ name: 'mcp__desk__find', input, isTyped: true, isForced: true });
  expect(textOf(typed)).toBe(`find ${JSON.stringify(input)}`);
  expect(typed.notes).toEqual([]);
});

test('a tool of ours takes them as well', async () => {
  await using scene = openWalk();
  scene.configure({ desk: scene.walking(['one']) });
  const host = await scene.settle();
  expect(await host.call({ name: 'ListMcpResources', input: { server: null } })).toMatchObject({ outcome: 'ok' });
});
