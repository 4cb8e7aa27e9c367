import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anthropic } from '../../src/model/profiles/anthropic.js';
import { profiles } from '../../src/model/profiles/all.js';
import type { ModelProfile } from '../../src/model/profiles/profile.js';
import { ModelView } from '../../src/model/view/model-view.js';
import type { ToolDefinition } from '../../src/model/tool.js';
import { builtIns, namesOf, SceneServer, toDefinition } from './scene.js';

const LIMIT = 20_000;

function open(profile: ModelProfile = anthropic, toolSearch: 'auto' | 'always' | 'never' = 'auto'): ModelView {
  return new ModelView({ profile, toolSearch, toolBytes: LIMIT });
}

/** Definitions of about `length` bytes. */
function toTools(server: string, count: number, length = 500): ToolDefinition[] {
  return Array.from({ length: count }, (_, at) =>
    toDefinition(`mcp__${server}__t${at}`, undefined, { description: 'x'.repeat(length) }),
  );
}

function find(view: ModelView, servers: readonly SceneServer[], ...matches: readonly string[]): readonly object[] {
  const content = [{ type: 'text', text: 'found' }];
  const found = { callId: 'toolu_1', name: 'ToolSearch', outcome: 'ok', content, structuredContent: { matches } };
  const [result] = view.toToolResults([{ ...found, outcome: 'ok' }], servers);
  return (result as { content: readonly object[] }).content;
}

/** Finds tools of server a, one by one. How many have joined the block. */
function fill(view: ModelView, servers: readonly SceneServer[], count: number): number {
  const before = view.tools.length;
  for (let at = 0; at < count; at++) find(view, servers, `mcp__a__t${at}`);
  return view.tools.length - before;
}

const refersTo = (name: string): object => ({ type: 'tool_reference', tool_name: name });
const bytesOf = (tools: readonly object[]): number => Buffer.byteLength(JSON.stringify(tools));

test('definitions beyond what a request may have are left out, which the model and the program are told', () => {
  const servers = [new SceneServer('a', toTools('a', 1_000, 3_000)), new SceneServer('b', ['small'])];
  const view = open();
  const { tools, system, setAside } = view.turn({ builtIns, servers });
  expect(namesOf(tools)).toEqual(['Read', 'ToolSearch']);
  expect(view.leftOut).toBe(1_001);
  expect(setAside).toEqual([]);
  expect(system).toContain('\nmcp__a__t999\nmcp__b__small');
  expect(system).toContain('Find them with ToolSearch');
  const small = open(anthropic, 'always');
  small.turn({ builtIns, servers: [servers[1]!] });
  expect(small.leftOut).toBe(0);
});

test('what a search has found joins the block, once, and stays there', () => {
  const server = new SceneServer('a', toTools('a', 100));
  const view = open(anthropic, 'always');
  const first = view.turn({ builtIns, servers: [server] });
  expect(find(view, [server], 'mcp__a__t7', 'mcp__a__none', 'mcp__a__t9')).toEqual([
    refersTo('mcp__a__t7'),
    refersTo('mcp__a__t9'),
  ]);
  const joined = ['Read', 'ToolSearch', 'mcp__a__t7 (deferred)', 'mcp__a__t9 (deferred)'];
  expect(namesOf(view.tools)).toEqual(joined);
  expect(find(view, [server], 'mcp__a__t9')).toEqual([refersTo('mcp__a__t9')]);
  server.set([]);
  const { tools, news } = view.turn({ builtIns, servers: [server] });
  expect(namesOf(tools)).toEqual(joined);
  expect(JSON.stringify(tools).startsWith(JSON.stringify(first.tools).slice(0, -1))).toBe(true);
  expect(news).toContain('does not have these tools any more');
  expect(view.leftOut).toBe(0);
});

test('a list that grows over the limit takes nothing away, and its new tools are found', () => {
  const server = new SceneServer('a', toTools('a', 20));
  const view = open(anthropic, 'always');
  const before = JSON.stringify(view.turn({ builtIns, servers: [server] }).tools);
  server.set(toTools('a', 400));
  const { tools, news } = view.turn({ builtIns, servers: [server] });
  expect(JSON.stringify(tools)).toBe(before);
  expect(news).toContain('has new tools: mcp__a__t100');
  expect(view.leftOut).toBe(380);
  expect(find(view, [server], 'mcp__a__t399')).toEqual([refersTo('mcp__a__t399')]);
  expect(JSON.stringify(view.tools).startsWith(before.slice(0, -1))).toBe(true);
  expect(view.turn({ builtIns, servers: [server] }).news).toBeUndefined();
  expect(view.retell({ builtIns, servers: [server] })).toContain('has new tools: mcp__a__t100');
});

test('a search shows in words what a full conversation cannot take in any more', () => {
  const server = new SceneServer('a', toTools('a', 100));
  const view = open(anthropic, 'always');
  view.turn({ builtIns, servers: [server] });
  for (let at = 0; at < 100; at++) find(view, [server], `mcp__a__t${at}`);
  expect(bytesOf(view.tools)).toBeLessThanOrEqual(LIMIT);
  expect(bytesOf(view.tools)).toBeGreaterThan(LIMIT - 1_000);
  expect(find(view, [server], 'mcp__a__t99')).toEqual([
    { type: 'text', text: 'found' },
    { type: 'text', text: expect.stringContaining('no room for these tools') as string },
  ]);
  server.set([...toTools('a', 100), ...toTools('b', 3)]);
  expect(view.turn({ builtIns, servers: [server] }).news).toContain('3 more tools, which this conversation cannot use');
});

test('tools that have no room any more stay counted as left out, as long as their server is there', () => {
  const servers = [new SceneServer('a', toTools('a', 100)), new SceneServer('b', ['small', 'other'])];
  const view = open(anthropic, 'always');
  view.turn({ builtIns, servers });
  const joined = fill(view, servers, 100);
  expect(view.leftOut).toBe(102 - joined);
  const { setAside } = view.turn({ builtIns, servers });
  expect(setAside).toEqual([]);
  expect(view.leftOut).toBe(102 - joined);
  view.turn({ builtIns, servers: servers.slice(0, 1) });
  expect(view.leftOut).toBe(100 - joined);
});

test('a search whose best hits have no room says so, and how the others are loaded', () => {
  const server = new SceneServer('a', toTools('a', 100));
  const view = open(anthropic, 'always');
  view.turn({ builtIns, servers: [server] });
  fill(view, [server], 100);
  const before = JSON.stringify(view.tools);
  const [found, note, ...more] = find(view, [server], 'mcp__a__t90', 'mcp__a__t1', 'mcp__a__t91', 'mcp__a__t2');
  expect(found).toEqual({ type: 'text', text: 'found' });
  expect(note).toEqual({
    type: 'text',
    text:
      '[There is no room for these tools in this conversation any more: mcp__a__t90, mcp__a__t91. ' +
      'They cannot be called in it. To call the others, load them first: select:mcp__a__t1,mcp__a__t2]',
  });
  expect(more).toEqual([]);
  // A good hit hides no other, either.
  expect(find(view, [server], 'mcp__a__t1', 'mcp__a__t90')[1]).toMatchObject({
    text: expect.stringContaining('any more: mcp__a__t90. They cannot') as string,
  });
  expect(find(view, [server], 'mcp__a__t1', 'mcp__a__t2')).toEqual([refersTo('mcp__a__t1'), refersTo('mcp__a__t2')]);
  expect(JSON.stringify(view.tools)).toBe(before);
});

test('of many tools without room the first are named, and the others counted', () => {
  const server = new SceneServer('a', toTools('a', 100));
  const view = open(anthropic, 'always');
  view.turn({ builtIns, servers: [server] });
  fill(view, [server], 100);
  const names = Array.from({ length: 25 }, (_, at) => `mcp__a__t${at + 60}`);
  const [, note] = find(view, [server], ...names);
  expect(note).toEqual({
    type: 'text',
    text: `[There is no room for these tools in this conversation any more: ${names.slice(0, 10).join(', ')}, and 15 more. They cannot be called in it.]`,
  });
});

test('a tool that has grown since the turn counts as what it takes now', () => {
  const server = new SceneServer('a', toTools('a', 100));
  const view = open(anthropic, 'always');
  view.turn({ builtIns, servers: [server] });
  server.set(toTools('a', 100, LIMIT / 2));
  const names = Array.from({ length: 10 }, (_, at) => `mcp__a__t${at}`);
  expect(find(view, [server], ...names)).toEqual([refersTo('mcp__a__t0')]);
  expect(namesOf(view.tools)).toEqual(['Read', 'ToolSearch', 'mcp__a__t0 (deferred)']);
  expect(bytesOf(view.tools)).toBeLessThanOrEqual(LIMIT);
});

test('no more tools are in a request than the API takes, however small they are', () => {
  const server = new SceneServer('a', toTools('a', 10_000, 1));
  const view = new ModelView({ profile: anthropic, toolSearch: 'always', toolBytes: 1e9 });
  expect(namesOf(view.turn({ builtIns, servers: [server] }).tools)).toEqual(['Read', 'ToolSearch']);
  server.set(toTools('a', 9_998, 1));
  const other = new ModelView({ profile: anthropic, toolSearch: 'always', toolBytes: 1e9 });
  expect(other.turn({ builtIns, servers: [server] }).tools).toHaveLength(10_000);
});

test.each(profiles)('of tools that are always loaded as many are as fit: $name', (profile) => {
  const server = new SceneServer('a', toTools('a', 60));
  server.alwaysLoad = true;
  const view = open(profile);
  const searched = view.turn({ builtIns, servers: [server] });
  expect(bytesOf(searched.tools)).toBeLessThanOrEqual(LIMIT);
  expect(view.leftOut).toBeGreaterThan(10);
  expect(view.leftOut).toBeLessThan(40);
  expect(searched.system).toContain('\nmcp__a__t9');
  const unsearched = open(profile, 'never');
  const bare = unsearched.turn({ builtIns: [], servers: [server] });
  expect(bytesOf(bare.tools)).toBeLessThanOrEqual(LIMIT);
  expect(bare.setAside[0]!.reason).toBe(
    `All definitions together may have ${LIMIT} bytes, and this conversation has no search`,
  );
  expect(unsearched.leftOut).toBe(0);
});

test('characters of several bytes count as what they take', () => {
  const wide = toDefinition('mcp__a__wide', undefined, { description: '検索'.repeat(3_000) });
  const server = new SceneServer('a', [wide]);
  const view = open(anthropic, 'always');
  view.turn({ builtIns, servers: [server] });
  expect(view.leftOut).toBe(1);
});

test('whatever lists do and searches find, nothing is taken away and no request has too many bytes', () => {
  const lists = fc.array(fc.record({ count: fc.nat(60), length: fc.constantFrom(10, 400, 4_000) }), { minLength: 2 });
  fc.assert(
    fc.property(
      lists,
      fc.constantFrom(...profiles),
      fc.constantFrom('auto', 'always', 'never'),
      (turns, profile, mode) => {
        const view = open(profile, mode);
        const server = new SceneServer('a');
        let before: string | undefined;
        for (const { count, length } of turns) {
          server.set(toTools('a', count, length));
          const { tools } = view.turn({ builtIns, servers: [server] });
          for (const now of [tools, (find(view, [server], `mcp__a__t${count - 1}`, 'mcp__a__t0'), view.tools)]) {
            const text = JSON.stringify(now);
            expect(text.startsWith((before ?? text).slice(0, -1))).toBe(true);
            expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMIT);
            before = text;
          }
          const inside = new Set(namesOf(view.tools).map((name) => name.split(' ')[0]));
          expect(view.leftOut).toBe(server.names().filter((name) => !inside.has(name)).length);
        }
      },
    ),
    { numRuns: 200 },
  );
});
