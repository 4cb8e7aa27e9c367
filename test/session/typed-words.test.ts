import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { HookCallback } from '../../src/index.js';
import { type RestoredSession, SessionStore } from '../../src/session/index.js';
import { InsideServer } from './golden/inside-server.js';
import { openLong } from './long-scene.js';

// The words of the user, in sessions whose messages have more than them.

let state: string;
let store: SessionStore;
beforeEach(async () => {
  state = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-typed-')));
  store = new SessionStore({ state, cwd: '/work', now: () => new Date(), onFailure: (reason) => expect.fail(reason) });
  await store.prepare();
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const resources = [{ uri: 'note://1', name: 'the first', mimeType: 'text/plain', text: 'Buy milk.'.repeat(2_000) }];
const prompts = [
  {
    name: 'talk',
    messages: [
      { role: 'user', content: { type: 'text', text: `A server says this. ${'x'.repeat(20_000)}` } },
      { role: 'assistant', content: { type: 'text', text: 'And this.' } },
      { role: 'user', content: { type: 'text', text: 'And that.' } },
    ],
  },
];
const hook: HookCallback = {
  event: 'UserPromptSubmit',
  label: 'test',
  ask: async () => ({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'It rains.' } }),
};

/** The session in which these texts were said, as its file gives it back. */
async function said(
  texts: readonly string[],
  {
    hookCallbacks = [],
    piped = '',
  }: { readonly hookCallbacks?: readonly HookCallback[]; readonly piped?: string } = {},
): Promise<RestoredSession> {
  const long = await openLong('anthropic', {
    inside: { notes: new InsideServer({ tools: [], resources, prompts }) },
    window: 200_000,
    answer: () => ({ say: 'Yes.' }),
    host: { hookCallbacks },
    session: { openJournal: (id) => store.create(id) },
  });
  onTestFinished(() => long.session[Symbol.asyncDispose]());
  for (const text of texts) expect(await long.session.say(text, { piped })).toMatchObject({ kind: 'sent' });
  return store.read(long.session.id);
}

const typedOf = ({ items }: RestoredSession): readonly unknown[] =>
  items.flatMap((item) => (item.kind === 'message' && item.from === 'user' ? [item.typed] : []));

test('with a mention, the title is what the user typed, and the file has the words apart', async () => {
  const session = await said(['What does @notes:note://1 say?', 'Thanks']);
  expect(session.title).toBe('What does @notes:note://1 say?');
  expect(typedOf(session)).toEqual(['What does @notes:note://1 say?', undefined]);
  expect(store.list()[0]?.title).toBe('What does @notes:note://1 say?');
});

test('with a prompt of a server, its last message has the words, and the list has them as the title', async () => {
  const session = await said(['/mcp__notes__talk']);
  expect(session.title).toBe('/mcp__notes__talk');
  expect(typedOf(session)).toEqual([undefined, undefined, '/mcp__notes__talk']);
  expect(store.list()[0]?.title).toBe('/mcp__notes__talk');
});

test('what a hook adds is not among the words of the user', async () => {
  expect(typedOf(await said(['Shall I go out?'], { hookCallbacks: [hook] }))).toEqual(['Shall I go out?']);
});

test('a prompt of another program counts as the words of its user, and piped text beside words does not', async () => {
  expect((await said([''], { piped: 'Read @notes:note://1' })).title).toBe('Read @notes:note://1');
  expect(typedOf(await said(['Sum up'], { piped: 'a log' }))).toEqual(['Sum up']);
});
