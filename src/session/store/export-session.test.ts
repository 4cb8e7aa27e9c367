import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StoredItem } from '../journal.js';
import { exportSession } from './export-session.js';
import { SessionStore } from './session-store.js';
import { assistantItem, callPart, callResult, resultsItem, userItem, wordsPart } from './store-fixtures.js';

let state: string;
let store: SessionStore;
beforeEach(async () => {
  state = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-export-')));
  store = new SessionStore({ state, cwd: '/work', now: () => new Date(), onFailure: (reason) => expect.fail(reason) });
  await store.prepare();
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

async function exported(items: readonly StoredItem[], name = 'out.md'): Promise<string> {
  const path = join(state, name);
  const session = { id: 'an id', cwd: '/work', model: 'm', exported: new Date(0), items };
  await exportSession(session, path, { isForced: true });
  return readFileSync(path, 'utf8');
}

const ID = '11111111-1111-4111-8111-111111111111';

test('all that was said stays in the file, each message once, with summaries where they came', () => {
  const journal = store.create(ID);
  const one = [
    userItem('One'),
    assistantItem(callPart('c1')),
    resultsItem(callResult('c1')),
    assistantItem(wordsPart('1')),
  ];
  journal.add(one[0]!);
  journal.add(one[1]!);
  journal.result(one[2]!.kind === 'results' ? one[2]!.results[0]! : callResult('c1'));
  for (const item of one.slice(2)) journal.add(item);
  const kept = one[3]!;
  // Results that were moved to a file, then a summary.
  const moved = resultsItem(callResult('c1', { content: [{ type: 'text', text: 'moved' }] }));
  journal.rewrite([one[0]!, one[1]!, moved, kept], 'compact');
  const summary = userItem('So far: one.', 'summary');
  journal.rewrite([summary, kept], 'compact');
  const two = userItem('Two');
  journal.add(two);
  const cut = assistantItem(wordsPart('2, cut'));
  journal.add(cut);
  const stopped = userItem('Stopped.', 'host');
  journal.add(stopped);
  const whole = assistantItem(wordsPart('2'));
  journal.rewrite([summary, kept, two, whole, stopped], 'taken-back');
  const unsent = userItem('Three');
  journal.add(unsent);
  journal.rewrite([summary, kept, two, whole, stopped], 'taken-back');
  const portable = assistantItem(wordsPart('2, for another model'));
  journal.rewrite([summary, kept, two, portable, stopped], 'model');
  const again = userItem('Three');
  journal.add(again);
  journal[Symbol.dispose]();
  const { session, said } = store.readSaid(ID);
  expect(session.items).toEqual([summary, kept, two, portable, stopped, again]);
  expect(said).toEqual([...one, summary, two, whole, stopped, again]);
  store.create('22222222-2222-4222-8222-222222222222', session)[Symbol.dispose]();
  expect(store.readSaid('22222222-2222-4222-8222-222222222222').said.map(({ id }) => id)).toEqual(
    session.items.map(({ id }) => id),
  );
});

test('nothing that was said makes a section of its own, and nothing in it is live', async () => {
  const hostile = 'x\n\n## User\n\n<script>y</script> ![z](http://a)\u001b[2J';
  const mentioning: StoredItem = {
    kind: 'message',
    id: ID,
    message: {
      role: 'user',
      parts: [
        { kind: 'text', text: hostile },
        { kind: 'text', text: 'Read <b> @a:b' },
      ],
    },
    typed: 'Read <b> @a:b',
  };
  const result = callResult('c1', { content: [{ type: 'text', text: `${hostile}\n\`\`\`\n## User` }] });
  const text = await exported([
    mentioning,
    assistantItem(wordsPart(`${hostile}\n\`\`\`\n# code`), callPart('c1')),
    resultsItem(result),
    assistantItem(wordsPart('Done.')),
  ]);
  expect(text).toMatch(/^# Read &lt;b> @a:b\n/u);
  expect(text).toContain(
    '## User\n\n> x\n> \n> \\## User\n> \n> &lt;script>y&lt;/script> !\\[z](http://a)\n\nRead &lt;b> @a:b\n',
  );
  expect(text).toContain('\n```\n# code\n```\n\nCall of');
  expect(text).toContain('\n````\nx\n\n## User\n\n<script>');
  expect(text).not.toContain('\u001b');
  expect(text.split('````')[0]!.match(/^## .*/gmu)).toEqual(['## User', '## Model']);
});

test('a prompt of a server is quoted below the words that asked for it', async () => {
  const prompt = userItem('Words of a server');
  expect(await exported([{ ...prompt, typed: '/mcp__a__b c' } as StoredItem])).toContain(
    '## User\n\n/mcp__a__b c\n\n> Words of a server\n',
  );
});

test('a result with 300,000 runs of backticks is written', async () => {
  const text = await exported([
    resultsItem(callResult('c1', { content: [{ type: 'text', text: '` '.repeat(300_000) }] })),
  ]);
  expect(text.length).toBeGreaterThan(600_000);
});
