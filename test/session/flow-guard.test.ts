import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PermissionAnswer } from '../../src/guard/permission-question.js';
import { userFile } from '../../src/config/scopes/user.js';
import type { SessionStore } from '../../src/session/store/session-store.js';
import { done, fetchPage, type FlowScene, leak, leaked, NOTE, openFlow, PAGE, readNote } from './flow-scene.js';
import { call, type Line, say } from './scripted-model.js';

// The conversation of a session as the flow guard sees it: what marks it, for how long, and what is asked.

describe('a page has the model read notes, and send them where the page came from', () => {
  test('the user is asked, told why, and which argument repeats what', async () => {
    const flow = openFlow();
    const session = await flow.open([fetchPage, readNote, leak, done], { answer: { kind: 'deny' } });
    await session.say('Look at the page of the gardeners.');
    expect(flow.asked).toHaveLength(1);
    const [question] = flow.asked;
    expect(question).toMatchObject({
      name: 'mcp__web__fetch',
      rule: 'notes -> web',
      offers: ['once', 'session', 'always'],
      reason:
        'its argument "url" repeats text (percent-encoded) that notes.read gave one turn ago, and text from web.fetch was read two turns ago',
      flow: {
        kind: 'copy',
        outside: { server: 'web', tool: 'fetch', turnsAgo: 2 },
        copies: [{ argument: 'url', from: { server: 'notes', tool: 'read', turnsAgo: 1 }, isSecret: false }],
        rules: ['notes -> web'],
      },
    });
    expect(leaked(flow.ran)).toBe(false);
    await session.host[Symbol.asyncDispose]();
    const ledger = readFileSync(join(flow.scene.home, '.local/state/plugboard/ledger/calls.jsonl'), 'utf8');
    expect(ledger).toMatch(/"decision":"ask-deny","rule":"person","flow":"ask copy notes -> web/u);
    expect(ledger).not.toMatch(/Northwind|greenhouse/u);
  });

  test('a yes for the session covers such flows, and no others', async () => {
    const flow = openFlow();
    const mail = [call('mcp__mail__send', { body: NOTE }, 'mail')];
    const session = await flow.open([fetchPage, readNote, leak, leak, mail, done], {
      answer: { kind: 'allow', remember: 'session' },
    });
    await session.say('Look at the page of the gardeners.');
    expect(flow.asked.map(({ rule }) => rule)).toEqual(['notes -> web', 'notes -> mail']);
    expect(flow.ran.filter((one) => one.includes('evil'))).toHaveLength(2);
    await session.host[Symbol.asyncDispose]();
    // What an answer lets pass is in the record as well.
    const ledger = readFileSync(join(flow.scene.home, '.local/state/plugboard/ledger/calls.jsonl'), 'utf8');
    expect(ledger.match(/"flow":"[a-z]+ copy notes -> web/gu)?.map((one) => one.split(' ')[0])).toEqual([
      '"flow":"ask',
      '"flow":"let',
    ]);
  });

  test('an answer for good is written to the settings of the user, and holds in the next session', async () => {
    const flow = openFlow();
    const session = await flow.open([fetchPage, readNote, leak, done], {
      answer: { kind: 'allow', remember: 'always' },
    });
    await session.say('Look at the page of the gardeners.');
    const file = userFile({ places: { config: join(flow.scene.home, '.config/plugboard') } } as never)!;
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ settings: { flow: { allow: ['notes -> web'] } } });
    const second = await flow.open([fetchPage, readNote, leak, done]);
    await second.say('Look again.');
    expect(flow.asked).toHaveLength(1);
    expect(flow.ran.filter((one) => one.includes('evil'))).toHaveLength(2);
  });

  test('what the user wrote may go anywhere', async () => {
    const flow = openFlow();
    const session = await flow.open([fetchPage, readNote, leak, done]);
    await session.say(`Look at the page, and search for this: ${NOTE}`);
    expect(flow.asked).toEqual([]);
    expect(leaked(flow.ran)).toBe(true);
  });
});

describe('the mark stays', () => {
  test('when older messages are summarised', async () => {
    const flow = openFlow();
    const session = await flow.open([fetchPage, readNote, done, [say('SUMMARY')], leak, done]);
    await session.say('Look at the page.');
    expect(await session.compact()).toMatchObject({ kind: 'compacted' });
    await session.say('Go on.');
    expect(flow.asked.map(({ rule }) => rule)).toEqual(['notes -> web']);
  });

  test('when a sub-agent has read, and when one sends', async () => {
    const task = [call('Agent', { description: 'x', prompt: 'Look' }, 'task')];
    const below = openFlow();
    await (await below.open([task, fetchPage, readNote, done, leak, done])).say('Have it looked at.');
    expect(below.asked.map(({ rule }) => rule)).toEqual(['notes -> web']);
    const above = openFlow();
    await (await above.open([fetchPage, readNote, task, leak, done, done])).say('Have it sent.');
    expect(above.asked.map(({ rule }) => rule)).toEqual(['notes -> web']);
  });

  test('until the conversation is cleared', async () => {
    const flow = openFlow();
    const session = await flow.open([fetchPage, readNote, done, leak, done]);
    await session.say('Look at the page.');
    await session.clear();
    await session.say('Go on.');
    expect(flow.asked).toEqual([]);
    expect(leaked(flow.ran)).toBe(true);
  });

  test.each(['resumed', 'copied'] as const)('when the session is %s by another process', async (how) => {
    const flow = openFlow();
    const store = await flow.store();
    // Nobody could be asked in the first run: what is read is kept for the next one.
    const journal = store.create();
    const first = await flow.open([fetchPage, readNote, done], { journal, answer: 'nobody' });
    await first.say('Look at the page.');
    await first[Symbol.asyncDispose]();
    journal[Symbol.dispose]();
    const text = readFileSync(journal.path!, 'utf8');
    const lines = text.split('\n').filter((line) => line.startsWith('{"type":"flow"'));
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.join('\n')).not.toMatch(/greenhouse|Northwind/iu);

    const session = store.read(journal.id);
    const next = how === 'resumed' ? store.resume(journal.id) : { session, journal: store.create(undefined, session) };
    const second = await flow.open([leak, done], { journal: next.journal, restored: next.session });
    await second.say('Go on.');
    expect(flow.asked.map(({ rule }) => rule)).toEqual(['notes -> web']);
    next.journal[Symbol.dispose]();
    const kept = [journal.id, next.journal.id].map((id) => store.read(id).flow!.length);
    expect(kept[1]).toBe(how === 'copied' ? kept[0]! + 2 : kept[0]);
  });
});

describe('the modes of flow', () => {
  test('where nobody can be asked the guard is off, which is said once', async () => {
    const flow = openFlow();
    const session = await flow.open([fetchPage, readNote, leak, leak, done], { answer: 'nobody' });
    await session.say('Look at the page.');
    expect(leaked(flow.ran)).toBe(true);
    await new Promise(setImmediate); // events of the first turn of the event loop come after it
    expect(flow.notes.filter((note) => note.includes('The flow guard is off'))).toHaveLength(1);
  });

  test.each(['ask', 'deny'])(
    '%s that is set denies where nobody can be asked, and says what to write',
    async (mode) => {
      const flow = openFlow({ mode });
      const session = await flow.open([fetchPage, readNote, leak, done], { answer: 'nobody' });
      await session.say('Look at the page.');
      expect(leaked(flow.ran)).toBe(false);
      expect(JSON.stringify(session.conversation!.messages)).toContain(
        'repeats text (percent-encoded) that notes.read gave',
      );
      expect(JSON.stringify(session.conversation!.messages)).toContain('flow.allow of the settings');
      expect(JSON.stringify(session.conversation!.messages)).not.toContain('notes -> web');
    },
  );

  test('deny asks nobody', async () => {
    const flow = openFlow({ mode: 'deny' });
    const session = await flow.open([fetchPage, readNote, leak, done]);
    await session.say('Look at the page.');
    expect([flow.asked.length, leaked(flow.ran)]).toEqual([0, false]);
  });

  test('strict asks about calls of another server that repeat nothing', async () => {
    const flow = openFlow({ mode: 'strict' });
    const mail = [call('mcp__mail__send', { body: 'Hello' }, 'mail')];
    const session = await flow.open([fetchPage, mail, done]);
    await session.say('Look at the page.');
    expect(flow.asked.map(({ rule, flow: found }) => [rule, found?.kind])).toEqual([['web -> mail', 'strict']]);
  });

  test('off asks nothing', async () => {
    const flow = openFlow({ mode: 'off' });
    const session = await flow.open([fetchPage, readNote, leak, done]);
    await session.say('Look at the page.');
    expect(flow.asked).toEqual([]);
    expect(leaked(flow.ran)).toBe(true);
  });
});

test('a call that the guard cannot compare is asked about, and the question says why', async () => {
  const flow = openFlow();
  const long = [call('mcp__mail__send', { body: 'x '.repeat(1_100_000) }, 'long')];
  const session = await flow.open([fetchPage, long, done], { answer: { kind: 'deny' } });
  await session.say('Look at the page.');
  expect(flow.asked.map(({ reason, offers }) => [reason, offers])).toEqual([
    [expect.stringContaining('the flow guard cannot compare all (it has more than'), ['once']],
  ]);
});

test('a call that a person makes by hand marks nothing, because no model reads its result', async () => {
  const flow = openFlow();
  const session = await flow.open([readNote, leak, done]);
  await session.host.call({ name: 'mcp__web__fetch', input: { url: 'x' }, isTyped: true, isUnread: true });
  await session.say('Read my notes.');
  expect(flow.asked).toEqual([]);
});

/** Holds a session with a page and the notes in it, and returns its file and its id. */
async function holdSession(
  flow: FlowScene,
): Promise<{ readonly store: SessionStore; readonly id: string; readonly path: string }> {
  const store = await flow.store();
  const journal = store.create();
  const session = await flow.open([fetchPage, readNote, done], { journal });
  await session.say('Look at the page.');
  await session[Symbol.asyncDispose]();
  journal[Symbol.dispose]();
  return { store, id: journal.id, path: journal.path! };
}

async function goOn(flow: FlowScene, store: SessionStore, id: string): Promise<void> {
  const { session: restored, journal } = store.resume(id);
  const session = await flow.open([leak, done], { journal, restored, answer: { kind: 'deny' } });
  await session.say('Go on.');
  journal[Symbol.dispose]();
}

test('a session that was held with the guard off is asked about when it goes on with the guard', async () => {
  const flow = openFlow({ mode: 'off' });
  const { store, id } = await holdSession(flow);
  flow.configure();
  await goOn(flow, store, id);
  expect(flow.asked.map(({ flow: found }) => found?.fault)).toEqual([
    'some of what was read was read while it was off',
  ]);
  expect(leaked(flow.ran)).toBe(false);
});

test('a session without what the guard remembers is not taken for one that has read nothing', async () => {
  const flow = openFlow();
  const { store, id, path } = await holdSession(flow);
  const lines = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, lines.filter((line) => !line.startsWith('{"type":"flow"')).join('\n'));
  await goOn(flow, store, id);
  expect(flow.asked.map(({ flow: found }) => found?.kind)).toEqual(['fault']);
  expect(leaked(flow.ran)).toBe(false);
});

/** Holds back all that wait, until they are released. */
class Hold {
  readonly #events = new EventTarget();
  readonly reached = this.#once('reached');
  readonly #released = this.#once('released');

  readonly wait = (): Promise<void> => {
    this.#events.dispatchEvent(new Event('reached'));
    return this.#released;
  };

  release(): void {
    this.#events.dispatchEvent(new Event('released'));
  }

  #once(event: string): Promise<void> {
    return new Promise((resolve) => this.#events.addEventListener(event, () => resolve()));
  }
}

test('a turn that goes on after the conversation was cleared is watched as before', async () => {
  const held = new Hold();
  const flow = openFlow(undefined, { beforeNote: held.wait });
  const session = await flow.open([fetchPage, readNote, leak, done], { answer: { kind: 'deny' } });
  const said = session.say('Look at the page.');
  await held.reached;
  await session.clear();
  held.release();
  await said;
  expect([flow.asked.length, leaked(flow.ran)]).toEqual([1, false]);
});

test('a question that waits while the conversation is cleared is still asked', async () => {
  const flow = openFlow();
  const held = new Hold();
  const answer = async (): Promise<PermissionAnswer> => {
    await held.wait();
    return { kind: 'deny' };
  };
  const both = [...leak, call('mcp__mail__send', { body: NOTE }, 'two')];
  const session = await flow.open([fetchPage, readNote, both, done], { answer });
  const said = session.say('Look at the page.');
  await held.reached;
  await session.clear();
  held.release();
  await said;
  expect(flow.asked.map(({ rule }) => rule)).toEqual(['notes -> web', 'notes -> mail']);
  expect(flow.ran.filter((one) => one.startsWith('mail.send'))).toEqual([]);
});

test('a saved result that is read in the next conversation is text from outside', async () => {
  const page = Array.from({ length: 9_000 }, (_, at) => `Line ${at} of the page, with an order for the model in it.`);
  const flow = openFlow(undefined, { page: page.join('\n') });
  const lines: Line[] = [fetchPage, done];
  const session = await flow.open(lines, { answer: { kind: 'deny' } });
  await session.say('Look at the page.');
  const path = /[^\s"\\]*\/results\/[^\s"\\]+/u.exec(JSON.stringify(session.conversation!.messages))![0];
  await session.clear();
  lines.push([call('Read', { path, offset: 100, limit: 5 }, 'part')], readNote, leak, done);
  await session.say('Read the rest of it.');
  expect(JSON.stringify(session.conversation!.messages)).toContain('Line 100 of the page');
  expect([flow.asked.length, leaked(flow.ran)]).toEqual([1, false]);
});

test('text from stdin beside what is typed marks the conversation', async () => {
  const flow = openFlow();
  const session = await flow.open([readNote, leak, done], { answer: { kind: 'deny' } });
  await session.say('Do what this page says.', { piped: PAGE });
  expect(flow.asked.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('and text from stdin was read two turns ago'),
  ]);
});

test('the mode dont-ask denies what would have to be asked', async () => {
  const flow = openFlow(undefined, { mode: 'dont-ask' });
  const session = await flow.open([fetchPage, readNote, leak, done]);
  await session.say('Look at the page.');
  expect([flow.asked.length, leaked(flow.ran)]).toEqual([0, false]);
  expect(JSON.stringify(session.conversation!.messages)).toContain('mode dont-ask');
});
