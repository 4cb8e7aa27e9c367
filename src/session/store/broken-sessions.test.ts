import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { randomUUID } from '../../edge/random-hex.js';
import type { StoredItem } from '../journal.js';
import { type OpenJournal, SessionStore } from './session-store.js';
import { assistantItem, callPart, callResult, resultsItem, wordsPart, userItem } from './store-fixtures.js';

let state: string;
let failures: string[];
let store: SessionStore;
beforeEach(async () => {
  state = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-broken-')));
  failures = [];
  store = new SessionStore({ state, cwd: '/work', now: () => NOW, onFailure: (reason) => failures.push(reason) });
  await store.prepare();
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const ID = '11111111-1111-4111-8111-111111111111';
const NOW = new Date('2026-11-18T12:00:00Z');
const isFull = process.env['PLUGBOARD_FULL'] !== undefined;

/** A session with everything that a file can have: two calls, a rewrite, another call. Returns each state of its items. */
function fill(journal: OpenJournal): readonly (readonly StoredItem[])[] {
  const states: StoredItem[][] = [[]];
  const add = (item: StoredItem): void => {
    journal.add(item);
    states.push([...states.at(-1)!, item]);
  };
  journal.told({ servers: 1 });
  add(userItem('Größe?'));
  add(assistantItem(wordsPart('I look'), callPart('c1'), callPart('c2')));
  const [one, two] = [callResult('c1'), callResult('c2', { content: [{ type: 'text', text: 'zwei' }] })];
  journal.flow?.({ server: 'web', tool: 'fetch', turn: 1, outside: true });
  journal.result(two);
  journal.result(one);
  add(resultsItem(one, two));
  add(assistantItem(wordsPart('Done.')));
  const summary = userItem('They spoke of sizes.', 'summary');
  journal.rewrite([summary, ...states.at(-1)!.slice(-1)], 'compact');
  states.push([summary, ...states.at(-1)!.slice(-1)]);
  add(userItem('Again'));
  add(assistantItem(callPart('c3')));
  const three = callResult('c3');
  journal.result(three);
  add(resultsItem(three));
  journal.told({ servers: 2 });
  return states;
}

/** Without the results that were made up because the writer had ended, which are checked on their own. */
function withoutLost(items: readonly StoredItem[]): readonly StoredItem[] {
  const last = items.at(-1);
  const isLost = last?.kind === 'results' && last.results.some(({ outcome }) => outcome === 'unknown');
  return isLost ? items.slice(0, -1) : items;
}

/** Items without their ids: an item that joins results after a kill has a new one. */
function shapeOf(items: readonly StoredItem[]): readonly object[] {
  return items.map((item) => ({ ...item, id: '' }));
}

test('wherever its writer is killed a session can be read, and every call has a result', () => {
  const journal = store.create(ID);
  const states = fill(journal);
  journal[Symbol.dispose]();
  const path = journal.path!;
  const whole = readFileSync(path);
  const seen = new Set<number>();
  const shapes = states.map(shapeOf);
  for (let length = whole.indexOf('\n') + 1; length <= whole.length; length++) {
    // Around the end of each line, and here and there within it; test:full tries every byte.
    const isNearEnd = whole.subarray(length - 2, length + 2).includes('\n');
    if (!isFull && !isNearEnd && length % 10 !== 0) continue;
    writeFileSync(path, whole.subarray(0, length));
    const { items } = store.read(ID);
    const at = shapes.findIndex((shape) => isDeepStrictEqual(shape, shapeOf(withoutLost(items))));
    expect(at).toBeGreaterThanOrEqual(0);
    seen.add(at);
    const { session, journal: next } = store.resume(ID);
    expect(session.items.length).toBe(items.length);
    next.add(userItem('on'));
    next[Symbol.dispose]();
    expect(store.read(ID).items.slice(0, -1)).toEqual(session.items);
  }
  // Every state of the conversation is one that a kill can leave.
  expect([...seen].toSorted((one, other) => one - other)).toEqual(states.map((_, at) => at));
  expect(failures).toEqual([]);
});

test('what the flow guard remembers survives a kill after the result that it is about', () => {
  const journal = store.create(ID);
  fill(journal);
  journal[Symbol.dispose]();
  const whole = readFileSync(journal.path!, 'utf8');
  const lines = whole.split('\n');
  const [flow, result] = ['"type":"flow"', '"tool_use_id":"c2"'].map((text) =>
    lines.findIndex((line) => line.includes(text)),
  );
  expect(flow).toBeGreaterThan(0);
  expect(flow).toBeLessThan(result!);
  expect(store.read(ID).flow).toEqual([{ server: 'web', tool: 'fetch', turn: 1, outside: true }]);
});

test('a file that ends in its first line is no session, and its id is free', () => {
  const journal = store.create(ID);
  fill(journal);
  journal[Symbol.dispose]();
  for (const length of [0, 1, 20]) {
    truncateSync(journal.path!, length);
    expect(() => store.read(ID)).toThrow(/No conversation found with session ID/u);
    expect(store.list()).toEqual([]);
    store.create(ID)[Symbol.dispose]();
    writeFileSync(journal.path!, 'x'.repeat(length), { mode: 0o600 });
  }
});

test('a call that was under way is told as unknown, one that has ended keeps its result, and both are written down', () => {
  const journal = store.create(ID);
  journal.add(userItem('go'));
  journal.add(assistantItem(callPart('c1'), callPart('c2'), { ...callPart('c3'), fault: 'no JSON' }));
  journal.result(callResult('c2'));
  journal[Symbol.dispose]();
  const { session, journal: next } = store.resume(ID);
  const last = session.items.at(-1);
  expect(last).toMatchObject({
    kind: 'results',
    results: [
      {
        callId: 'c1',
        outcome: 'unknown',
        error: { code: 'cancelled' },
        content: [{ text: /Find out what it has done/ }],
      },
      { callId: 'c2', outcome: 'ok', content: [{ text: 'done' }] },
      { callId: 'c3', outcome: 'error', error: { code: 'bad-input' } },
    ],
  });
  next[Symbol.dispose]();
  expect(store.read(ID).items).toEqual(session.items);
});

/** Changes one line of a good file. */
type Change = (lines: Record<string, unknown>[]) => unknown;
const message = (lines: Record<string, unknown>[]): { content: Record<string, unknown>[] } =>
  lines.find(({ type }) => type === 'assistant')!['message'] as { content: Record<string, unknown>[] };
const resultLine = (lines: Record<string, unknown>[]): Record<string, unknown> =>
  lines.find((line) => 'plugboard' in line)!;

test.each<[string, Change, RegExp]>([
  ['another version', ([head]) => (head!['version'] = 2), /line 1: version 2 of the format is unknown/u],
  ['another id', ([head]) => (head!['id'] = randomUUID()), /line 1: the session has another id than its file/u],
  ['no header', (lines) => lines.shift(), /line 1: the file does not begin like a session/u],
  ['a type of its own', (lines) => lines.splice(3, 0, { type: 'exec' }), /line 4: its type "exec" is unknown/u],
  ['a line of another session', (lines) => (lines[3]!['sessionId'] = randomUUID()), /line 4: it belongs to another/u],
  ['a uuid that is a path', (lines) => (lines[3]!['uuid'] = '../../x'), /line 4: "uuid" is not a UUID/u],
  ['a uuid twice', (lines) => (lines.find(({ type }) => type === 'assistant')!['uuid'] = lines[3]!['uuid']), /twice/u],
  ['a role of its own', (lines) => (lines[3]!['message'] = { role: 'system', content: [] }), /has another role/u],
  ['content that is a text', (lines) => (lines[3]!['message'] = { role: 'user', content: 'hi' }), /is not a list/u],
  ['a block of its own', (lines) => (message(lines).content[0]!['type'] = 'exec'), /a block of type "exec"/u],
  ['a call without an id', (lines) => (message(lines).content[1]!['id'] = ''), /"id" is empty/u],
  ['a call without an input', (lines) => (message(lines).content[1]!['input'] = null), /input of a call is not an/u],
  ['two calls of one id', (lines) => (message(lines).content[1]!['id'] = 'c2'), /two calls have the same id/u],
  ['a result without its call', (lines) => message(lines).content.pop(), /results do not belong to the calls before/u],
  ['a result that is not there', (lines) => lines.splice(lines.indexOf(resultLine(lines)), 1), /a result that is not/u],
  [
    'an outcome of its own',
    (lines) => ((resultLine(lines)['plugboard'] as Record<string, unknown>)['outcome'] = 'yes'),
    /"outcome"/u,
  ],
  [
    'an error of its own',
    (lines) =>
      ((resultLine(lines)['plugboard'] as Record<string, unknown>)['error'] = { code: '__proto__', message: '' }),
    /the code of an error/u,
  ],
  ['a result without our part', (lines) => delete resultLine(lines)['plugboard'], /a result has no "plugboard"/u],
  [
    'a rewrite of what is not there',
    (lines) => lines.push({ type: 'rewrite', reason: 'compact', count: 1, uuids: [randomUUID()] }),
    /a message that is not there/u,
  ],
  [
    'a rewrite with a message twice',
    (lines) =>
      lines.push({ type: 'rewrite', reason: 'compact', count: 1, uuids: [lines[3]!['uuid'], lines[3]!['uuid']] }),
    /or one twice/u,
  ],
  [
    'a call in the middle without a result',
    (lines) =>
      lines.splice(
        lines.findIndex(({ type }) => type === 'results'),
        1,
      ),
    /has no (?:result|call)/u,
  ],
  ['a count of its own', (lines) => (lines[3]!['count'] = 'many'), /"count" is wrong/u],
  [
    'what the flow guard remembers as a text',
    (lines) => lines.splice(1, 0, { type: 'flow', flow: 'x' }),
    /line 2: "flow" is not an object/u,
  ],
  ['what was told as a text', (lines) => (lines[1]!['told'] = 'x'), /line 2: "told" is not an object/u],
])('a file with %s is refused by name, with file and line', (_, change, reason) => {
  const journal = store.create(ID);
  journal.told({});
  journal.add(userItem('go'));
  journal.add(assistantItem(wordsPart('I look'), callPart('c1'), callPart('c2')));
  const results = [callResult('c1'), callResult('c2')];
  for (const one of results) journal.result(one);
  journal.add(resultsItem(...results));
  journal.add(assistantItem(wordsPart('Done.'), callPart('c9')));
  journal[Symbol.dispose]();
  const lines = readFileSync(journal.path!, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  change(lines);
  writeFileSync(journal.path!, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  for (const act of [() => store.read(ID), () => store.resume(ID)]) {
    expect(act).toThrow(reason);
    expect(act).toThrow(journal.path!);
    expect(act).toThrow(
      expect.objectContaining({
        code: 'session-broken',
        hint: expect.stringMatching(/^Start a new session/u) as string,
      }),
    );
  }
  // A refused file is neither locked nor changed.
  expect(readdirSync(dirname(journal.path!))).toEqual([basename(journal.path!)]);
});

const text = (bytes: string): Buffer => Buffer.from(bytes, 'latin1');

test.each<[string, Buffer, RegExp]>([
  ['no JSON in the middle', text('{"type":\n{}\n'), /line \d: it is not a JSON object/u],
  ['an empty line', text('\n'), /it is not a JSON object/u],
  ['a list', text('[]\n'), /it is not a JSON object/u],
  ['bytes that are no UTF-8', text('{"type":"title","title":"\xff"}\n'), /it is not UTF-8/u],
  ['NUL bytes', text('\0\0\n'), /it is not a JSON object/u],
  [
    '100,000 nested lists',
    text(`{"told":${'['.repeat(100_000)}${']'.repeat(100_000)},"type":"told"}\n`),
    /nested more than 640 levels/u,
  ],
  [
    'six million values',
    text(`{"told":{"a":[${'0,'.repeat(6_000_000)}0]},"type":"told"}\n`),
    /more than 5000000 values/u,
  ],
  [
    'a line of 70 MB',
    Buffer.concat([text('{"type":"title","title":"'), Buffer.alloc(70_000_000, 'x'), text('"}\n')]),
    /the limit of a line is/u,
  ],
])('a file with %s is refused by name, before it takes much memory', (_, bytes, reason) => {
  const journal = store.create(ID);
  journal.add(userItem('go'));
  journal[Symbol.dispose]();
  writeFileSync(journal.path!, Buffer.concat([readFileSync(journal.path!), bytes]));
  expect(() => store.read(ID)).toThrow(reason);
});

test('keys of a prototype in a file change no object', () => {
  const journal = store.create(ID);
  const input = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as Record<
    string,
    unknown
  >;
  journal.add(assistantItem({ ...callPart('c1'), input }));
  journal.result(callResult('c1', { structuredContent: input, content: [{ ...input, type: 'image' } as never] }));
  journal[Symbol.dispose]();
  expect(JSON.stringify(store.read(ID).items)).toContain('"input":{"__proto__":{"polluted":true}');
  expect({}).not.toHaveProperty('polluted');
});

test('a file that is not the user’s own is not read', (context) => {
  const journal = store.create(ID);
  journal.add(userItem('go'));
  journal[Symbol.dispose]();
  const path = journal.path!;
  for (const mode of [0o620, 0o602, 0o666]) {
    chmodSync(path, mode);
    expect(() => store.read(ID)).toThrow(/other users may write to it/u);
  }
  chmodSync(path, 0o600);
  cpSync(path, `${path}.real`);
  rmSync(path);
  symlinkSync(`${path}.real`, path);
  expect(() => store.read(ID)).toThrow(/it is a symbolic link/u);
  rmSync(path);
  mkdirSync(path);
  expect(() => store.read(ID)).toThrow(/it is not a regular file/u);
  rmSync(path, { recursive: true });
  if (process.platform === 'win32') context.skip('there is no FIFO');
  execFileSync('mkfifo', [path]);
  expect(() => store.resume(ID)).toThrow(/it is not a regular file/u);
  expect(store.list()).toEqual([]);
});

test('one process at a time writes a session; the second learns which, and can read it for a copy', () => {
  const journal = store.create(ID);
  journal.add(userItem('go'));
  expect(() => store.resume(ID)).toThrow(
    expect.objectContaining({
      code: 'session-in-use',
      message: `Session ID ${ID} is already in use. Process ${process.pid} writes it.`,
      hint: expect.stringContaining(`--resume ${ID} --fork-session`) as string,
    }),
  );
  const copy = store.create(undefined, store.read(ID));
  expect(copy.id).not.toBe(ID);
  copy[Symbol.dispose]();
  journal[Symbol.dispose]();
  store.resume(ID).journal[Symbol.dispose]();
});

test('what cannot be written ends the keeping, is told once, and leaves a session that can be read', () => {
  const journal = store.create(ID);
  journal.add(userItem('go'));
  journal.add(userItem('x'.repeat(70_000_000)));
  journal.add(userItem('lost'));
  journal.told({});
  expect(failures).toEqual([expect.stringContaining('the limit of a line is')]);
  expect(store.read(ID).items).toHaveLength(1);
});

test('old sessions are deleted, then the oldest beyond the size; one that is written stays, and so do other files', async () => {
  const folders = [store, new SessionStore({ state, cwd: '/other', now: () => NOW, onFailure() {} })];
  await folders[1]!.prepare();
  const made = [40, 31, 29, 3, 2, 1].map((days, index) => {
    const journal = folders[index % 2]!.create();
    journal.add(userItem('x'.repeat(400_000)));
    if (days !== 40) journal[Symbol.dispose]();
    utimesSync(journal.path!, new Date(NOW.getTime() - days * 86_400_000), new Date(NOW.getTime() - days * 86_400_000));
    return { days, path: journal.path!, journal };
  });
  const foreign = join(dirname(made[0]!.path), 'notes.txt');
  writeFileSync(foreign, '');
  const left = (): readonly number[] => made.filter(({ path }) => existsSync(path)).map(({ days }) => days);
  expect(await store.prune({ days: 30, mb: 500 })).toBe(1);
  expect(left()).toEqual([40, 29, 3, 2, 1]);
  expect(await store.prune({ days: 30, mb: 1 })).toBe(2);
  expect(left()).toEqual([40, 2, 1]);
  made[0]!.journal[Symbol.dispose]();
  expect(await store.prune({ days: 30, mb: 1 })).toBe(1);
  expect(left()).toEqual([2, 1]);
  expect(await store.prune({ days: 1, mb: 1 })).toBe(1);
  expect(existsSync(foreign)).toBe(true);
  expect(readdirSync(dirname(made[0]!.path))).toEqual(['notes.txt']);
});

test('a list is newest first, shows titles that cannot reach the terminal, and reads little of a large file', () => {
  const titles = ['plain', '\u001b[31mred\u202e', 'a'.repeat(5_000)];
  for (const [index, title] of titles.entries()) {
    const journal = store.create();
    journal.add(userItem('told first', 'host'));
    journal.add(userItem(title));
    journal.add(assistantItem(wordsPart('x'.repeat(index === 0 ? 3_000_000 : 10))));
    journal[Symbol.dispose]();
    utimesSync(journal.path!, NOW, new Date(NOW.getTime() + index * 1_000));
  }
  store.create()[Symbol.dispose]();
  const listed = store.list();
  expect(listed.map(({ title }) => title)).toEqual([`${'a'.repeat(200)}…`, 'red', 'plain']);
  expect(listed.map(({ messages }) => messages)).toEqual([2, 2, undefined]);
});
