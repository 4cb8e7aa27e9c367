import { entryPlace } from '../../config/approval/approved-place.js';
import { expect, test } from 'vitest';
import type { ApprovalRequest } from '../../config/approval/approve.js';
import { NARROWEST } from '../session/display/quoted-rows.js';
import { contentOf, panelKeyOf, paint, play, panelServerOf } from './panel-fixtures.js';
import { press } from './panel-keys.js';
import { firstState, settle } from './panel-state.js';

const HERE = entryPlace({ written: {}, folder: '/p', variables: {} });

const three = contentOf(['alpha', 'beta', 'gamma'].map((name) => panelServerOf(name)));
const selected = (text: string): string | undefined => /^> (\S+)/mu.exec(text)?.[1];

function check(words: readonly string[], expected: string | undefined, content = three): void {
  const { state } = play(firstState, words, { content });
  expect(selected(paint(state, content))).toBe(expected);
}

test.each<[words: string, expected: string]>([
  ['', 'alpha'],
  ['j', 'beta'],
  ['down j', 'gamma'],
  ['j j j j k', 'beta'],
  ['end', 'gamma'],
  ['G home', 'alpha'],
  ['space', 'gamma'],
  ['pagedown pageup', 'alpha'],
])('keys %j select a server', (words, expected) => check(words.split(' ').filter(Boolean), expected));

test('a filter is typed, kept, and taken back by Escape', () => {
  const { state: typing } = play(firstState, ['/', 'a', 'm', 'm', 'backspace'], { content: three });
  expect(paint(typing, three)).toMatch(/^\/am▏ {2}1 of 3$/mu);
  const { state: kept } = play(typing, ['return', 'j'], { content: three });
  expect(selected(paint(kept, three))).toBe('gamma');
  const { state: all, effects } = play(kept, ['escape'], { content: three });
  expect(paint(all, three)).toContain('beta');
  expect(effects).toEqual([]);
  expect(play(all, ['escape'], { content: three }).effects).toEqual([{ kind: 'leave' }]);
});

test('only servers with a problem are shown on request', () => {
  const failed = panelServerOf('bad', {
    state: { status: 'failed', error: { code: 'x', message: 'broke', hint: 'mend it' } },
  });
  const content = contentOf([...three.data.servers, failed]);
  const { state } = play(firstState, ['f'], { content });
  const text = paint(state, content);
  expect(text).toContain('with a problem: 1 of 4');
  expect(text).not.toContain('alpha');
  expect(text).toContain('    broke → mend it');
});

test('the server that was selected stays selected when others come before it', () => {
  const { state } = play(firstState, ['j'], { content: three });
  const content = contentOf([panelServerOf('new'), ...three.data.servers]);
  expect(selected(paint(settle(state, content.data), content))).toBe('beta');
});

test('when the selected server is gone the next one is selected', () => {
  const { state } = play(firstState, ['j'], { content: three });
  const content = contentOf(three.data.servers.filter(({ state: { name } }) => name !== 'beta'));
  expect(selected(paint(settle(state, content.data), content))).toBe('gamma');
});

test.each<[key: string, sentence: string]>([['a', '"alpha" comes from your user config and needs no approval']])(
  '%s says why it does nothing',
  (key, sentence) => {
    const { state, effects } = play(firstState, [key], { content: three });
    expect(effects).toEqual([]);
    expect(paint(state, three)).toContain(sentence);
  },
);

test('a definition that another one shadows cannot be switched in its place', () => {
  const shadowed = panelServerOf('alpha', {
    state: { status: 'duplicate' },
    standing: { kind: 'suppressed', how: 'shadowed', by: { name: 'alpha', scope: 'local' } },
  });
  const content = contentOf([shadowed]);
  for (const key of ['d', 'e', 'o']) {
    const { state, effects } = play(firstState, [key], { content });
    expect(effects).toEqual([]);
    expect(paint(state, content)).toContain('"alpha" of /home/u/config.json is shadowed by local config');
  }
});

test('what does not run is not connected anew, and says which key helps', () => {
  const content = contentOf([
    panelServerOf('off', { state: { status: 'disabled' }, standing: { kind: 'disabled', by: 'user' } }),
  ]);
  const { state, effects } = play(firstState, ['r'], { content });
  expect(effects).toEqual([]);
  expect(paint(state, content)).toContain('"off" is disabled: press e to enable');
});

test.each(['r', 'd'])('%s asks for what it says', (key) => {
  const { effects } = play(firstState, ['j', key], { content: three });
  expect(effects).toEqual([
    { kind: 'do', action: key === 'r' ? 'reconnect' : 'disable', key: three.data.servers[1]!.key },
  ]);
});

const waiting = panelServerOf('shared', {
  state: { status: 'unapproved', scope: 'project' },
  standing: { kind: 'unapproved', rejected: false },
  definition: { scope: 'project', approval: { hash: 'one', place: HERE } },
});

function requestOf(lines: number): ApprovalRequest {
  const args = Array.from({ length: lines }, (_, at) => `argument ${at}`);
  return {
    server: 'shared',
    file: '/p/.mcp.json',
    hash: 'one',
    entry: { command: 'x', args },
    files: [],
    variables: [],
    risks: [],
    shadows: [],
    namesakes: [],
    allowedBy: [],
  };
}

test('a yes counts only after everything was on the screen', () => {
  const content = contentOf([waiting], { request: requestOf(60) });
  const open = play(firstState, ['a'], { content });
  const early = play(open.state, ['y'], { content });
  expect(early.effects).toEqual([]);
  expect(paint(early.state, content)).toContain('Read the whole entry first');
  // After a jump to the end the rows between have not been seen.
  expect(play(open.state, ['end', 'y'], { content }).effects).toEqual([]);
  const read = play(open.state, ['space', 'space', 'space', 'space', 'y'], { content });
  expect(read.effects).toEqual([
    { kind: 'do', action: 'approve', key: waiting.key, decided: { definition: 'one', reject: false } },
  ]);
});

test('a no counts at once, and Escape decides nothing', () => {
  const content = contentOf([waiting], { request: requestOf(40) });
  expect(play(firstState, ['a', 'n'], { content }).effects).toMatchObject([{ decided: { reject: true } }]);
  expect(play(firstState, ['a', 'escape', 'y'], { content }).effects).toEqual([]);
});

test('an entry that is edited while it is looked at is not approved by a key that was meant for the one before', () => {
  const content = contentOf([waiting], { request: requestOf(3) });
  const open = play(firstState, ['a'], { content });
  const edited = { ...waiting, definition: { ...waiting.definition, approval: { hash: 'two', place: HERE } } };
  const after = contentOf([edited], { request: requestOf(4) });
  const state = settle(open.state, after.data);
  expect(paint(state, after)).toContain('The entry of "shared" was changed meanwhile: press a to see the new entry');
  // Drawing the new request on the screen is not enough: it must be opened again.
  expect(play(state, ['y', 'y'], { content: after }).effects).toEqual([]);
  expect(play(state, ['a', 'y'], { content: after }).effects).toMatchObject([
    { decided: { definition: 'two', reject: false } },
  ]);
});

test('in a screen that shows no row of it, or none of them whole, nothing is approved', () => {
  const content = contentOf([waiting], { request: requestOf(3) });
  const pages = Array.from({ length: 12 }, () => 'space');
  expect(play(firstState, ['a', ...pages, 'y'], { content, rows: 1 }).effects).toEqual([]);
  const many = Array.from({ length: 60 }, () => 'j');
  const narrow = play(firstState, ['a', ...many, 'y'], { content, columns: NARROWEST - 1 });
  expect(narrow.effects).toEqual([]);
  expect(narrow.state.message?.lines).toEqual(['Rows are cut here: make the screen wider to read the whole entry']);
  expect(play(narrow.state, ['home', ...many, 'y'], { content, columns: NARROWEST }).effects).toHaveLength(1);
});

test('whoever makes the screen wider in the middle of it is told to begin again', () => {
  const content = contentOf([waiting], { request: requestOf(60) });
  const { state: end } = play(firstState, ['a', 'space', 'space', 'space', 'space'], { content, columns: 60 });
  const { state, effects } = play(end, ['y'], { content });
  expect(effects).toEqual([]);
  expect(paint(state, content)).toMatch(/Read the whole entry first: \d+ more rows further up \(home\)/u);
  const again = play(state, ['home', 'space', 'space', 'space', 'space', 'y'], { content });
  expect(again.effects).toHaveLength(1);
});

test('what was pasted does not answer, and does not move', () => {
  const content = contentOf([waiting], { request: requestOf(3) });
  const { state } = play(play(firstState, ['a'], { content }).state, ['up'], { content });
  const stage = {
    data: content.data,
    height: 20,
    columns: 80,
    lines: [],
    item: undefined,
    call: undefined,
    rowCount: 5,
  };
  expect(press(state, panelKeyOf('y'), stage).effect).toMatchObject({ decided: { reject: false } });
  for (const text of ['y', 'n', 'q']) {
    expect(press(state, { ...panelKeyOf('paste'), text }, stage)).toEqual({ state });
  }
});

test('thousands of servers scroll, and a screen of five rows still shows one of them', () => {
  const many = contentOf(Array.from({ length: 5_000 }, (_, at) => panelServerOf(`server-${at}`)));
  const { state } = play(firstState, ['end', 'k', 'pageup'], { content: many, rows: 24 });
  const text = paint(state, many, { rows: 24 });
  expect(selected(text)).toBe('server-4979');
  expect(text.split('\n')).toHaveLength(24);
  expect(selected(paint(state, many, { rows: 5, columns: 40 }))).toBe('server-4979');
});

const sized = contentOf([
  panelServerOf('mid', { state: { tools: 5, ms: 30 }, tokens: { loaded: 10, deferred: 900, instructions: 0 } }),
  panelServerOf('big', { state: { tools: 90, ms: 20 }, tokens: { loaded: 500, deferred: 0, instructions: 0 } }),
  panelServerOf('ail', {
    state: { status: 'failed', tools: null, ms: null, error: { code: 'x', message: 'no', hint: '' } },
    tokens: undefined,
  }),
]);

test.each<[words: string, order: string]>([
  ['', 'mid big ail'],
  ['S', 'ail big mid'],
  ['s', 'ail big mid'],
  ['s S', 'mid big ail'],
  ['s s', 'mid big ail'],
  ['s s s', 'big mid ail'],
  ['s s s s', 'mid big ail'],
  ['s s s s s', 'mid big ail'],
  ['s s s s s S', 'ail big mid'],
  ['s s s s s s', 'mid big ail'],
])('after %j the servers stand in the order %s, and the selected one stays selected', (words, order) => {
  const { state } = play(firstState, ['down', ...words.split(' ').filter(Boolean)], { content: sized });
  const text = paint(state, sized);
  expect([...text.matchAll(/^[> ] (mid|big|ail) /gmu)].map(([, name]) => name).join(' ')).toBe(order);
  expect(selected(text)).toBe('big');
});
