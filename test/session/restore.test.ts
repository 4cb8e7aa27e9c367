import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InsideServer, say } from './golden/inside-server.js';
import { APIS } from './golden/script.js';
import { type Answer, type LongOptions, type LongScene, openLong } from './long-scene.js';
import { MemoryJournal } from './memory-journal.js';

// Conversations that go on in another process, over another host.

const get = { name: 'get', description: 'A note by its number', annotations: { readOnlyHint: true } };
const old = { name: 'old', description: 'Will be gone' };
const fresh = { name: 'fresh', description: 'Is new' };

function answer(text: string): Answer {
  if (text.includes('Look')) return { uses: [['mcp__notes__get', { number: 1 }]] };
  if (text.includes('Find')) return { uses: [['ToolSearch', { query: 'select:mcp__notes__old' }]] };
  return { say: 'I have it.' };
}

function open(
  by: (typeof APIS)[number],
  { journal, tools = [get, old], instructions = 'Count from 1.', ...more }: Partial<LongOptions> & Opening,
): Promise<LongScene> {
  const restored = journal.stored;
  return openLong(by, {
    inside: { notes: new InsideServer({ tools, instructions }) },
    window: 50_000,
    answer,
    ...more,
    session: { openJournal: () => journal, ...(restored.items.length > 0 && { restored }) },
  });
}

interface Opening {
  readonly journal: MemoryJournal;
  readonly tools?: readonly { readonly name: string }[];
  readonly instructions?: string;
}

const lastOf = ({ api }: LongScene): string => api.received.at(-1)!.text;
const messagesOf = (text: string): readonly unknown[] => (JSON.parse(text) as { messages: unknown[] }).messages;

describe.each(APIS)('%s', (by) => {
  test('a conversation goes on where it was left, byte by byte', async () => {
    const journal = new MemoryJournal();
    const first = await open(by, { journal });
    await first.say('Look it up.');
    expect(journal.results.length).toBe(1);
    const second = await open(by, { journal });
    await second.say('And now?');
    const [before, after] = [messagesOf(lastOf(first)), messagesOf(lastOf(second))];
    expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
    expect(second.api.refused).toEqual([]);
    expect(lastOf(second)).not.toContain('MCP servers have changed');
    expect(journal.stored.items.length).toBe(6);
  });

  test('saved results that it mentions count as used', async () => {
    const journal = new MemoryJournal();
    const first = await open(by, { journal });
    await first.say('Look it up.');
    const folder = mkdtempSync(join(tmpdir(), 'plugboard-restored-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'result-0123456789abcdef');
    writeFileSync(path, 'x');
    utimesSync(path, 1_000, 1_000);
    const items = journal.stored.items.map((item) => {
      if (item.kind !== 'results') return item;
      const saved = [{ path, bytes: 1, mimeType: 'text/plain' }];
      return { ...item, results: item.results.map((result) => ({ ...result, saved })) };
    });
    const restored = { ...journal.stored, items };
    await openLong(by, {
      inside: { notes: new InsideServer({ tools: [get] }) },
      window: 50_000,
      answer,
      session: { restored },
    });
    await expect.poll(() => statSync(path).mtimeMs).toBeGreaterThan(1_000_000);
  });

  test("servers' news since then is told in a message; what is gone is not referred to any more", async () => {
    const journal = new MemoryJournal();
    const first = await open(by, { journal });
    await first.say('Find it.');
    const second = await open(by, { journal, tools: [get, fresh], instructions: 'Count from 0.' });
    await second.say('And now?');
    const text = lastOf(second);
    expect(second.api.refused).toEqual([]);
    expect(text).toContain('this conversation was left and goes on now');
    expect(text).toMatch(/has new tools: mcp__notes__fresh/u);
    expect(text).toMatch(/does not have these tools any more: mcp__notes__old/u);
    expect(text).toMatch(/other instructions now/u);
    // It is told once.
    await second.say('Once more.');
    const third = await open(by, { journal, tools: [get, fresh], instructions: 'Count from 0.' });
    await third.say('Still?');
    expect(lastOf(third).split('this conversation was left').length).toBe(2);
    expect(third.api.refused).toEqual([]);
  });

  test('a summarised conversation is left and goes on as a summary', async () => {
    const journal = new MemoryJournal();
    const first = await open(by, { journal });
    for (let turn = 0; turn < 5; turn++) await first.say('Look it up.');
    expect(await first.session.compact()).toMatchObject({ kind: 'compacted' });
    const second = await open(by, { journal });
    await second.say('And now?');
    expect(second.api.refused).toEqual([]);
    expect(lastOf(second)).toContain('SUMMARY 1');
    expect(messagesOf(lastOf(second)).length).toBeLessThan(messagesOf(lastOf(first)).length);
  });
});

test('another model goes on: what only the first one understands is left out', async () => {
  const journal = new MemoryJournal();
  const first = await open('anthropic', { journal });
  await first.say('Look it up.');
  const second = await open('openai', { journal });
  await second.say('And now?');
  expect(second.api.refused).toEqual([]);
  expect(lastOf(second)).toContain('tool_calls');
});

test('messages that were taken back do not come back', async () => {
  const journal = new MemoryJournal();
  const stop = new AbortController();
  const first = await open('anthropic', {
    journal,
    answer: (text) => {
      if (text.includes('never')) stop.abort();
      return answer(text);
    },
  });
  await first.say('Look it up.');
  await first.say('never mind', stop.signal);
  expect(JSON.stringify(journal.stored)).not.toContain('never mind');
});

test('a session that is cleared has a new id and a new journal', async () => {
  const opened: string[] = [];
  const long = await openLong('anthropic', {
    inside: { notes: new InsideServer({ tools: [{ ...get, run: () => ({ content: [say('x')] }) }] }) },
    window: 50_000,
    answer,
    session: { openJournal: (id) => (opened.push(id), undefined) },
  });
  const before = long.session.id;
  await long.session.clear();
  expect(opened).toEqual([before, long.session.id]);
  expect(long.session.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/u);
});
