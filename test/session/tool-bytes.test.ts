import { expect, test } from 'vitest';
import { InsideServer, type OfferedTool } from './golden/inside-server.js';
import { type LongScene, openLong } from './long-scene.js';
import { MemoryJournal } from './memory-journal.js';

// A conversation over an API that defers, with more definitions than a request may have.

const BYTES = 20_000;
const few = toTools('early', 4);
const many = [...few, ...toTools('late', 200)];

test('a list that grows beyond what a request may have: what was read stays, the rest is found and called', async () => {
  const server = new InsideServer({ tools: few });
  const long = await open(server, new MemoryJournal());
  await long.say('Find early_1 and call it.');
  server.change({ tools: many });
  await expect.poll(() => long.session.host.tools().length).toBe(204);
  await long.say('Find late_150 and call it.');
  await long.say('Find early_2 and call it.');
  check(long);
  const text = textOf(long);
  expect(text).toContain('has new tools: mcp__notes__late_0');
  for (const name of ['early_1', 'late_150', 'early_2']) expect(text).toContain(`${name} {}`);
  const tools = toolsOf(long);
  expect(tools.filter((name) => name.includes('late'))).toEqual(['mcp__notes__late_150']);
  expect(tools.filter((name) => name.includes('early'))).toHaveLength(4);
});

test('a conversation that goes on refers to what it has found, though the definitions have no room all together', async () => {
  const journal = new MemoryJournal();
  const first = await open(new InsideServer({ tools: few }), journal);
  await first.say('Find early_1 and call it.');
  check(first);
  expect(toolsOf(first)).toContain('mcp__notes__early_3');
  const second = await open(new InsideServer({ tools: many }), journal);
  await second.say('Find late_7 and call it.');
  check(second);
  const [before, after] = [first, second].map((long) => messagesOf(long));
  expect(JSON.stringify(after!.slice(0, before!.length))).toBe(JSON.stringify(before));
  expect(toolsOf(second).filter((name) => name.startsWith('mcp__notes'))).toEqual([
    'mcp__notes__early_1',
    'mcp__notes__late_7',
  ]);
});

test('a search by words in a full conversation says which tools have no room, and the rest can be loaded and called', async () => {
  const journal = new MemoryJournal();
  const long = await open(new InsideServer({ tools: many }), journal);
  await long.say('Look for 50: late things');
  const { length } = toolsOf(long);
  expect(resultOf(long)).toContain('There is no room for these tools in this conversation any more: mcp__notes__late_');
  await long.say('Look for 5: mcp__notes__late_199');
  expect(resultOf(long)).toMatch(/any more: mcp__notes__late_199[,.]/u);
  expect(toolsOf(long)).toHaveLength(length);
  const loaded = toolsOf(long).at(-1)!.replace('mcp__notes__', '');
  await long.say(`Find ${loaded} and call it.`);
  expect(textOf(long)).toContain(`${loaded} {}`);
  check(long);
  const resumed = await open(new InsideServer({ tools: many }), journal);
  await resumed.say('Thanks.');
  check(resumed);
  const [before, after] = [long, resumed].map((one) => messagesOf(one));
  expect(JSON.stringify(after!.slice(0, before!.length))).toBe(JSON.stringify(before));
});

/** The API refused nothing, no byte has changed, and no request has more definitions than it may. */
function check(long: LongScene): void {
  expect(long.api.refused).toEqual([]);
  expect(long.faults()).toEqual([]);
  for (const { text } of long.api.received)
    expect(Buffer.byteLength(JSON.stringify(bodyOf(text).tools))).toBeLessThanOrEqual(BYTES);
}

function open(server: InsideServer, journal: MemoryJournal): Promise<LongScene> {
  const { stored } = journal;
  return openLong('anthropic', {
    inside: { notes: server },
    window: 50_000,
    settings: { toolBytes: BYTES, toolSearch: 'always' },
    host: { mcpConfig: [JSON.stringify({ mcpServers: { notes: { type: 'in-process', name: 'notes' } } })] },
    answer: (text) => {
      const [, count, words] = /Look for (\d+): (\w[\w ]*)/u.exec(text) ?? [];
      if (words !== undefined) return { uses: [['ToolSearch', { query: words, max_results: Number(count) }]] };
      const [, name] = /Find (\w+_\d+)/u.exec(text) ?? [];
      if (name !== undefined) return { uses: [['ToolSearch', { query: `select:mcp__notes__${name}` }]] };
      const [, found] = /"tool_name":"(\w+)"/u.exec(text) ?? [];
      return found === undefined ? { say: 'Done.' } : { uses: [[found, {}]] };
    },
    session: { openJournal: () => journal, ...(stored.items.length > 0 && { restored: stored }) },
  });
}

function toTools(kind: string, count: number): OfferedTool[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `${kind}_${at}`,
    description: `Does ${kind} things. ${'Use it well. '.repeat(40)}`,
    annotations: { readOnlyHint: true },
  }));
}

function bodyOf(text: string): { readonly tools: readonly { name: string }[]; readonly messages: readonly unknown[] } {
  return JSON.parse(text) as ReturnType<typeof bodyOf>;
}

const textOf = ({ api }: LongScene): string => api.received.at(-1)!.text;
const toolsOf = (long: LongScene): string[] => bodyOf(textOf(long)).tools.map(({ name }) => name);
const resultOf = (long: LongScene): string => JSON.stringify(messagesOf(long).findLast(isResult));
const isResult = (message: unknown): boolean => JSON.stringify(message).includes('"tool_result"');
const messagesOf = (long: LongScene): readonly unknown[] => bodyOf(textOf(long)).messages;
