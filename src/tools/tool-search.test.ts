import { expect, test } from 'vitest';
import { documents, toIndex } from '../model/search/search-fixtures.js';
import type { ToolDefinition, ToolResult } from '../model/tool.js';
import { toolSearch } from './tool-search.js';

const index = toIndex(documents);
const all = new Map([...documents.values()].flat().map((document) => [document.name, document]));
const context = { callId: 'call' };

function define(name: string, schema: object = {}): ToolDefinition {
  const hints = { readOnly: false, destructive: true, idempotent: false, openWorld: true };
  return {
    name,
    title: undefined,
    description: all.get(name)!.description,
    inputSchema: { type: 'object', ...schema },
    outputSchema: { type: 'object' },
    hints,
    marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
    meta: { searchHint: undefined, maxResultChars: undefined },
  };
}

function make(schemas: Readonly<Record<string, object>> = {}, gone: readonly string[] = []) {
  return toolSearch({
    search: async (query, limit) => index.search(query, { limit }),
    definitions: async (names) =>
      names
        .filter((name) => !gone.includes(name))
        .toSorted()
        .map((name) => define(name, schemas[name])),
    count: () => all.size,
  });
}

function textOf({ content }: ToolResult): string {
  expect(content).toHaveLength(1);
  return String(content[0]!['text']);
}

test('a model that looks for words is given definitions, best first, one a line', async () => {
  const result = await make().call({ query: 'create issue', max_results: 2 }, context);
  const lines = textOf(result)
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string });
  expect(result.outcome).toBe('ok');
  expect(lines[0]).toEqual({
    name: 'mcp__github__create_issue',
    description: 'Create a new issue in a GitHub repository',
    parameters: { type: 'object' },
  });
  expect(result.structuredContent).toEqual({ matches: lines.map(({ name }) => name), total: all.size });
  expect(lines).toHaveLength(2);
});

test('five are given when nobody says how many, and all that were selected', async () => {
  const found = await make().call({ query: 'repo' }, context);
  expect((found.structuredContent as { matches: string[] }).matches).toHaveLength(5);
  const names = [...all.keys()].slice(0, 12);
  const selected = await make().call({ query: `select:${names.join(',')}` }, context);
  expect(selected.structuredContent).toEqual({ matches: names, total: all.size });
});

test('a name that nobody has is answered with the nearest, beside what was found', async () => {
  const some = await make().call({ query: 'select:mcp__db__query,mcp__github__creat_isue' }, context);
  const [first, second] = textOf(some).split('\n');
  expect(JSON.parse(first!)).toMatchObject({ name: 'mcp__db__query' });
  expect(second).toMatch(/^No tool "mcp__github__creat_isue"\. The nearest: mcp__github__create_issue\b/);
  const none = await make().call({ query: 'select:mcp__github__creat_isue' }, context);
  expect(textOf(none)).toMatch(/^No matching deferred tools found\. The nearest: mcp__github__create_issue\b/);
  expect(none).toMatchObject({ outcome: 'ok', structuredContent: { matches: [], total: all.size } });
});

test('who requires too much is told what there would be without', async () => {
  const result = await make().call({ query: '+slack +sql' }, context);
  expect(textOf(result)).toMatch(/^No matching deferred tools found\. The nearest: mcp__/);
});

test('nothing found and nothing near is said in the known words', async () => {
  for (const query of ['xylophone', 'select:xylophone', '+', '"']) {
    expect(textOf(await make().call({ query }, context))).toBe('No matching deferred tools found');
  }
});

test('definitions that are too long together are named, and shown when asked for alone', async () => {
  const long = { description: 'x'.repeat(70_000) };
  const tool = make({ mcp__github__create_issue: long, mcp__github__list_issues: { title: 'y'.repeat(50_000) } });
  const result = await tool.call({ query: 'issue' }, context);
  const text = textOf(result);
  expect(text.length).toBeLessThan(61_000);
  expect(text).toContain(
    '\nmcp__github__create_issue: too long to be shown with the others; select:mcp__github__create_issue shows it alone',
  );
  expect((result.structuredContent as { matches: string[] }).matches).toContain('mcp__github__create_issue');
  const alone = textOf(await tool.call({ query: 'select:mcp__github__create_issue' }, context));
  expect(JSON.parse(alone)).toMatchObject({ name: 'mcp__github__create_issue', parameters: long });
});

test('a definition is shown as the blocks of all APIs would have it, or not at all', async () => {
  const tag = String.fromCodePoint(0xe0041);
  const tool = make({
    mcp__github__create_issue: { properties: { [`title${tag}`]: { type: 'string' } } },
    mcp__github__list_issues: {
      properties: { state: { type: 'STRING', pattern: '([', description: `open or${tag} closed` } },
    },
  });
  const result = await tool.call({ query: 'select:mcp__github__create_issue,mcp__github__list_issues' }, context);
  const [first, second] = textOf(result).split('\n');
  expect(JSON.parse(first!)).toMatchObject({
    name: 'mcp__github__list_issues',
    parameters: { properties: { state: { type: 'string', description: 'open or closed' } } },
  });
  expect(first).not.toContain('pattern');
  expect(second).toBe('mcp__github__create_issue cannot be used: Its schema hides characters in a name or a value');
  expect(result.structuredContent).toMatchObject({ matches: ['mcp__github__list_issues'] });
});

test('a tool that went away while it was looked for is left out', async () => {
  const result = await make({}, ['mcp__github__create_issue']).call({ query: 'create issue', max_results: 3 }, context);
  expect((result.structuredContent as { matches: string[] }).matches).not.toContain('mcp__github__create_issue');
});

test('it is read-only, always shown, and refuses what its schema refuses', async () => {
  const tool = make();
  expect(tool).toMatchObject({ name: 'ToolSearch', load: 'always', hints: { readOnly: true, destructive: false } });
  expect(await tool.call({ query: '' }, context)).toMatchObject({ outcome: 'error', error: { code: 'bad-input' } });
  expect(await tool.call({ query: 'x', max_results: 51 }, context)).toMatchObject({ outcome: 'error' });
});
