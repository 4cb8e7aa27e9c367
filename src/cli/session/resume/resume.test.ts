import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AnthropicTurn, anthropicDialect } from '../../../../test/fixtures/anthropic-dialect.js';
import { openScriptedApi, type ScriptedApi } from '../../../../test/fixtures/scripted-api.js';
import { openScene, type Scene } from '../../../../test/host/scene.js';
import { FakeScreen } from '../../../../test/session/fake-screen.js';
import { fakeIo, NO_FLAGS } from '../../../../test/session/session-scene.js';
import { loadHostConfig } from '../../../config/load.js';
import type { StoredSession } from '../../../session/index.js';
import type { Invocation } from '../../input/arguments.js';
import { styleFor } from '../../output/style.js';
import { textWidth } from '../../terminal/text/text-width.js';
import { converse } from '../run-session.js';
import { ageText } from './age-text.js';
import { openChosenSession } from './kept-in-terminal.js';
import { type PressedInSessions, pressInSessions } from './pick-session.js';
import { sessionRows } from './session-rows.js';

let scene: Scene;
let screen: FakeScreen;
let api: ScriptedApi;
beforeEach(async () => {
  scene = openScene();
  screen = new FakeScreen({ isPlain: true });
  api = await openScriptedApi(anthropicDialect, (turn): AnthropicTurn => [{ type: 'text', text: `answer ${turn}` }]);
});
afterEach(async () => {
  await api[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
});

const flagsOf = (flags: Readonly<Record<string, string>>): Invocation => ({
  ...NO_FLAGS,
  has: (name) => Object.hasOwn(flags, name),
  value: (name) => flags[name],
});

/** A session at a terminal, up to its end. False: the user left before it began. */
async function begin(flags: Readonly<Record<string, string>> = {}): Promise<boolean> {
  const env = { ...scene.env, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
  const loaded = await loadHostConfig({ cwd: scene.project, env, managedDirectories: [] });
  const parts = {
    invocation: flagsOf(flags),
    io: { ...fakeIo(scene, screen), env, config: { managedDirectories: [] }, now: () => new Date() },
    loaded,
    flags: { model: undefined, maxTurns: undefined, agents: [], appendSystemPrompt: undefined },
    screen,
  };
  if (Object.keys(flags).length === 0) return (await converse(parts)) !== undefined;
  const kept = await openChosenSession(parts);
  if (kept) await converse({ ...parts, kept });
  return kept !== undefined;
}

function files(): readonly string[] {
  const root = join(scene.home, '.local/state/plugboard/sessions');
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.jsonl'));
}

const asked = (): string => JSON.stringify(api.requests.at(-1)!['messages']);

test('a session without a word leaves nothing; one with words is picked by its number, with its last exchange', async () => {
  screen.entries.push('/exit');
  await begin();
  expect(files()).toEqual([]);
  screen.entries.push('first question');
  await begin();
  screen.entries.push('second question', '/exit');
  await begin();
  expect(files()).toHaveLength(2);
  screen.lines.push('7', '2');
  screen.entries.push('go on');
  expect(await begin({ resume: '' })).toBe(true);
  expect(screen.text).toMatch(
    /1 {2}second question {2}just now, 2 messages, [0-9a-f]{8}\n2 {2}first question {2}just now, 2 messages, [0-9a-f]{8}\n/u,
  );
  expect(screen.text).toContain('Write a number from 1 to 2.');
  expect(screen.text).toMatch(/Resumed: first question\n> first question\n\| answer 1\n/u);
  expect(asked()).toContain('first question');
  expect(asked()).not.toContain('second question');
  expect(files()).toHaveLength(2);
});

/** What a session with these lines prints. */
async function said(entries: readonly string[], flags: Readonly<Record<string, string>>): Promise<string> {
  const from = screen.text.length;
  screen.entries.push(...entries);
  await begin(flags);
  return screen.text.slice(from);
}

test('whoever leaves a session with messages reads how it goes on, unless it is not kept or with --quiet', async () => {
  const id = 'aaaaaaaa-1111-4111-8111-111111111111';
  expect(await said(['hello', '/exit'], { 'session-id': id })).toContain(`plugboard --resume ${id} goes on with`);
  expect(await said([], { continue: '' })).toContain(`plugboard --resume ${id} goes on with`);
  expect(await said(['/exit'], { 'session-id': id.replaceAll('1', '2') })).not.toContain('goes on with');
  expect(await said(['hello'], { 'no-session-persistence': '' })).not.toContain('goes on with');
  expect(await said(['hello'], { continue: '', quiet: '' })).not.toContain('goes on with');
});

test('whoever leaves the list is in no session, and nothing is written', async () => {
  screen.entries.push('hello');
  await begin();
  screen.lines.push('');
  expect(await begin({ resume: '' })).toBe(false);
  expect(api.requests).toHaveLength(1);
});

test('/resume ends the session and goes on with another one; /clear begins a session of its own', async () => {
  screen.entries.push('alpha', '/clear', 'beta');
  await begin();
  expect(files()).toHaveLength(2);
  screen.entries.push('gamma', '/resume', 'and on', '/exit');
  screen.lines.push('2');
  await begin();
  expect(screen.text).toContain('Resumed: alpha');
  expect(asked()).toContain('alpha');
  expect(asked()).not.toContain('gamma');
  expect(files().filter((name) => !name.endsWith('.lock'))).toHaveLength(3);
});

test('/resume of a session that another process writes is refused, and this one goes on', async () => {
  screen.entries.push('alpha');
  await begin();
  const [file] = files();
  const id = /[^/]+(?=\.jsonl)/u.exec(file!)![0];
  const lock = join(scene.home, '.local/state/plugboard/sessions', `${file}.lock`);
  mkdirSync(lock);
  writeFileSync(join(lock, 'of-somebody'), '');
  screen.entries.push('beta', `/resume ${id}`, '/resume nobody', 'still here');
  await begin();
  expect(screen.text).toMatch(new RegExp(`Session ID ${id} is already in use\\.\\s+Another process`, 'u'));
  expect(screen.text).toContain('No conversation found with session ID: nobody');
  expect(asked()).toContain('beta');
});

test('a session is called a copy in the run that copies it, and goes on as itself later', async () => {
  screen.entries.push('alpha');
  await begin();
  screen.entries.push('beta');
  await begin({ continue: '', 'fork-session': '' });
  expect(screen.text).toContain('Resumed, as a copy: alpha');
  const from = screen.text.length;
  await begin({ continue: '' });
  expect(screen.text.slice(from)).toContain('Resumed: alpha');
});

test.each([{ continue: '' }, { continue: '', 'fork-session': '' }, { resume: '', 'no-session-persistence': '' }])(
  'with %j no session is read from a folder that others may write, or that is a link',
  async (flags) => {
    screen.entries.push('alpha');
    await begin();
    const root = join(scene.home, '.local/state/plugboard/sessions');
    const folder = join(root, readdirSync(root)[0]!);
    for (const each of [root, folder]) {
      chmodSync(each, 0o777);
      screen.lines.push('1');
      await expect(begin(flags)).rejects.toThrow(`Sessions cannot be kept in ${each}: other users may write to it`);
      chmodSync(each, 0o700);
    }
    renameSync(folder, `${folder}.moved`);
    symlinkSync(`${folder}.moved`, folder);
    screen.lines.push('1');
    await expect(begin(flags)).rejects.toThrow(`Sessions cannot be kept in ${folder}: it is not a folder of its own`);
  },
);

test('/export writes Markdown or JSON for its owner alone, and replaces nothing by itself', async () => {
  const markdown = join(scene.project, 'talk.md');
  screen.entries.push(
    '/export',
    'what ```is``` it?',
    '/export talk.md',
    '/export talk.md',
    '/export talk.json',
    '/export talk.md --force',
    '/export',
  );
  await begin();
  expect(screen.text).toContain('There is no conversation to export');
  expect(screen.text).toMatch(/talk\.md\s+exists/u);
  const text = readFileSync(markdown, 'utf8');
  expect(text).toMatch(/^# what ```is``` it\?\n\n- Session: `[0-9a-f-]{36}`\n/u);
  expect(text).toContain('## User\n\nwhat ```is``` it?\n\n## Model\n\nanswer 1\n');
  expect(statSync(markdown).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(join(scene.project, 'talk.json'), 'utf8'))).toMatchObject({
    cwd: scene.project,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'what ```is``` it?' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'answer 1' }] },
    ],
  });
  expect(
    readdirSync(scene.project).filter((name) => /^plugboard-session-\d{4}-\d\d-\d\d-\d{6}\.md$/u.test(name)),
  ).toHaveLength(1);
});

test('--resume takes the first 8 characters of an id, and names the sessions that begin so', async () => {
  const ids = ['aaaaaaaa-1111-4111-8111-111111111111', 'aaaaaaaa-2222-4111-8111-111111111111'];
  for (const id of ids) {
    screen.entries.push(`question ${id}`, '/clear');
    await begin({ 'session-id': id });
  }
  expect(screen.text).toContain('/resume goes back to it.');
  await expect(begin({ resume: 'aaaaaaaa' })).rejects.toMatchObject({
    code: 'usage',
    hint: expect.stringMatching(new RegExp(`^Write more of it: (${ids.join('(?:, )?|')}(?:, )?){2}$`, 'u')) as string,
  });
  expect(await begin({ resume: 'aaaaaaaa-1' })).toBe(true);
  expect(screen.text).toContain(`Resumed: question ${ids[0]}`);
  await expect(begin({ resume: 'aaaaaaa' })).rejects.toThrow('No conversation found with session ID: aaaaaaa');
});

test('/export after /compact has what was summarised, too, under the title of the first prompt', async () => {
  screen.entries.push(
    'alpha',
    `beta ${'long '.repeat(2_000)}`,
    '/compact',
    'gamma',
    '/export talk.md',
    '/export talk.json',
  );
  await begin();
  const text = readFileSync(join(scene.project, 'talk.md'), 'utf8');
  expect(text).toMatch(
    /^# alpha\n[^]*## User\n\nalpha\n[^]*## User\n\nbeta long[^]*\n## Summary[^]*answer 3[^]*## User\n\ngamma\n\n## Model\n\nanswer 4\n$/u,
  );
  const { messages } = JSON.parse(readFileSync(join(scene.project, 'talk.json'), 'utf8')) as { messages: object[] };
  expect(messages).toHaveLength(7);
});

const listed = (count: number): readonly StoredSession[] =>
  Array.from({ length: count }, (_, at) => ({
    id: String(at),
    title: `session ${at} ${'long '.repeat(at)}`,
    changedAt: -at * 4_000_000,
    messages: at,
    bytes: 1,
  }));

test.each<[string, Partial<PressedInSessions> | object]>([
  ['return', { kind: 'picked', id: '0' }],
  ['down j tab return', { kind: 'picked', id: '3' }],
  ['end return', { kind: 'picked', id: '29' }],
  ['end down home up return', { kind: 'picked', id: '0' }],
  ['pagedown k return', { kind: 'picked', id: '9' }],
  ['down escape', { kind: 'left' }],
  ['x', { kind: 'moved' }],
])('the keys %s in the list of sessions', (keys, expected) => {
  let state = { at: 0, top: 0 };
  let last: PressedInSessions | undefined;
  for (const name of keys.split(' ')) {
    last = pressInSessions(state, { name, ctrl: false, meta: false }, listed(30));
    if (last.kind === 'moved') ({ state } = last);
  }
  expect(last).toMatchObject(expected);
  expect(pressInSessions(state, { name: 'c', ctrl: true, meta: false }, listed(3))).toEqual({ kind: 'left' });
});

test.each([
  [30, 8],
  [80, 24],
])('on %s columns and %s rows the selected session is seen, with its age', (columns, rows) => {
  const style = styleFor({ isTerminal: false, columns, write() {} }, { env: {}, noColor: true });
  let state = { at: 0, top: 0 };
  for (let at = 0; at < 30; at++) {
    const drawn = sessionRows({ ...state, at }, listed(30), { columns, rows, style, now: 0 });
    state = { at, top: drawn.top };
    expect(drawn.rows.length).toBeLessThanOrEqual(rows);
    expect(Math.max(...drawn.rows.map((row) => textWidth(row)))).toBeLessThanOrEqual(columns);
    expect(drawn.rows.filter((row) => row.startsWith('> '))).toEqual([
      expect.stringMatching(new RegExp(`^> session ${at}|^> sess`, 'u')),
    ]);
  }
});

test.each([
  [0, 'just now'],
  [59_999, 'just now'],
  [60_000, '1 min ago'],
  [3_600_000, '1 h ago'],
  [47 * 3_600_000, '1 day ago'],
  [72 * 3_600_000, '3 days ago'],
])('%i ms are %s', (ms, text) => {
  expect(ageText(ms)).toBe(text);
});
