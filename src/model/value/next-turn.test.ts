import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { profiles } from '../profiles/all.js';
import type { ToolDefinition } from '../tool.js';
import { ModelView } from '../view/model-view.js';
import type { ServerSnapshot } from '../view/model-view-server.js';
import { type BlockChange, tokensSaved } from './next-turn.js';

interface GivenServer {
  readonly name: string;
  /** Lengths of descriptions. */
  readonly tools: readonly number[];
  readonly alwaysLoad: boolean;
  readonly instructions: number;
}

interface Given {
  readonly servers: readonly GivenServer[];
  readonly toolSearch: 'auto' | 'always' | 'never';
  readonly contextTokens: number;
}

const makeTool = (name: string, length: number): ToolDefinition => ({
  name,
  title: undefined,
  description: 'x'.repeat(length),
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  outputSchema: undefined,
  meta: { searchHint: undefined, maxResultChars: undefined },
  hints: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
});

function toSnapshot({ name, tools, alwaysLoad, instructions }: GivenServer): ServerSnapshot {
  const definitions = tools.map((length, at) => makeTool(`mcp__${name}__tool_${at}`, length));
  return {
    name,
    state: 'connected',
    instructions: instructions === 0 ? undefined : 'y'.repeat(instructions),
    hasResources: false,
    alwaysLoad,
    revision: '1',
    names: () => definitions.map((tool) => tool.name),
    definitions: () => definitions,
    seen: new Map(),
  };
}

const builtIns = ['ToolSearch', 'CallMcpTool', 'Read'].map((name) => makeTool(name, 400));

function open({ servers, toolSearch, contextTokens }: Given, profile: (typeof profiles)[number]): ModelView {
  const view = new ModelView({ profile, toolSearch, contextTokens });
  view.turn({ builtIns, servers: servers.map(toSnapshot) });
  return view;
}

/** What a turn takes: definitions and the system text. */
function tokensOf(view: ModelView): number {
  const { loaded, system } = view.report();
  return loaded + system;
}

const servers = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    tools: fc.array(fc.integer({ min: 50, max: 3_000 }), { minLength: 1, maxLength: 12 }),
    alwaysLoad: fc.boolean(),
    instructions: fc.constantFrom(0, 0, 800),
  }),
  { minLength: 1, maxLength: 5, selector: ({ name }) => name },
);
const given = fc.record({
  servers,
  toolSearch: fc.constantFrom('auto' as const, 'always' as const, 'never' as const),
  contextTokens: fc.constantFrom(20_000, 60_000, 200_000),
});

/** The same change in the configuration, and as it is asked about. */
function change(before: Given, kind: BlockChange['kind'], view: ModelView): { after: Given; asked: BlockChange } {
  const [first, ...others] = before.servers as readonly [GivenServer, ...GivenServer[]];
  const server = first.name;
  if (kind === 'disable') return { after: { ...before, servers: others }, asked: { kind, server } };
  if (kind === 'defer') {
    const after = { ...before, toolSearch: 'always' as const, servers: [{ ...first, alwaysLoad: false }, ...others] };
    return { after, asked: { kind, server, toolSearch: 'always' } };
  }
  // Only tools that are shown are narrowed away; the last ones, because the names of the others stay the same.
  const shown = view.shown!.servers.find(({ name }) => name === server)!;
  const gone = shown.deferred > 0 ? 0 : first.tools.length - Math.ceil(first.tools.length / 2);
  const kept = first.tools.slice(0, first.tools.length - gone);
  const sizes = first.tools.map((_, at) => shown.tools.get(`mcp__${server}__tool_${at}`)?.tokens ?? 0);
  const tokens = sizes.slice(kept.length).reduce((sum, size) => sum + size, 0);
  return {
    after: { ...before, servers: [{ ...first, tools: kept }, ...others] },
    asked: { kind, server, tokens, count: gone },
  };
}

test.each(['disable', 'defer', 'narrow'] as const)(
  'what it saves to %s a server is what the next conversation shows less, with every API',
  (kind) => {
    fc.assert(
      fc.property(given, fc.constantFrom(...profiles), (before, profile) => {
        const view = open(before, profile);
        const { after, asked } = change(before, kind, view);
        const said = tokensSaved(view.shown!, asked);
        const done = tokensOf(view) - tokensOf(open(after, profile));
        // Headings of the system text, and tools of the host that only searching needs.
        const isSearchGone = view.shown!.canSearch !== open(after, profile).shown!.canSearch;
        expect(Math.abs(said - done)).toBeLessThanOrEqual(isSearchGone ? 400 : 70);
      }),
      { numRuns: process.env['PLUGBOARD_FULL'] === undefined ? 60 : 300 },
    );
  },
);

const makeServer = (name: string, length: number): GivenServer => ({
  name,
  tools: Array.from({ length: 10 }, () => length),
  alwaysLoad: name === 'small',
  instructions: 0,
});

test('one server less can bring the definitions of all others back, which costs more than it saves', () => {
  const before: Given = {
    servers: [makeServer('small', 200), makeServer('large', 7_000)],
    toolSearch: 'auto',
    contextTokens: 200_000,
  };
  const [profile] = profiles;
  const full = open({ ...before, contextTokens: 182_000 }, profile!);
  expect(tokensSaved(full.shown!, { kind: 'disable', server: 'small' })).toBeLessThan(0);
});
