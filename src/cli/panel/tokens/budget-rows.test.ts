import { expect, test } from 'vitest';
import { textWidth } from '../../terminal/text/text-width.js';
import { contentOf, costOf, paint, panelServerOf, play } from '../panel-fixtures.js';
import { firstState } from '../panel-state.js';
import { budgetRow, budgetRows } from './budget-rows.js';

const servers = [
  panelServerOf('files', { tokens: { loaded: 850, deferred: 0, instructions: 0 } }),
  panelServerOf('github', { tokens: { loaded: 1_200, deferred: 30_000, instructions: 90 } }),
  panelServerOf('empty', { tokens: { loaded: 0, deferred: 0, instructions: 0 } }),
];

test('the tokens of each server are compared, loaded against deferred, with their share of the context', () => {
  expect(`\n${budgetRows(costOf(servers), 80).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    Context: 200k tokens; tools and system text take 3.5k (1.8 %)
    Tools: 3.0k loaded, 30k deferred until searched for
    Bars: █ loaded, ▒ deferred; the longest is 31k

    github             1.2k   +30k    0.6 % ██▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
    (built-in tools)   1.0k           0.5 % █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
    files               850           0.4 % █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
    (system text)       500           0.3 % █░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
    empty                 0           0.0 % ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
    "
  `);
  expect(`\n${budgetRows(costOf(servers), 40).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    Context: 200k tokens; tools and system
      text take 3.5k (1.8 %)
    Tools: 3.0k loaded, 30k deferred until
      searched for
    Bars: █ loaded, ▒ deferred; the longest
      is 31k

    github             1.2k   +30k    0.6 %
    (built-in tools)   1.0k           0.5 %
    files               850           0.4 %
    (system text)       500           0.3 %
    empty                 0           0.0 %
    "
  `);
});

test('one row tells what the whole takes, as wide as the screen allows', () => {
  const rows = [20, 30, 40, 80, 120].map((columns) => budgetRow(costOf(servers), columns));
  expect(`\n${rows.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    Context 1.8 % + 15 %
    Context █▒░░░░░░ 1.8 % + 15 %
    Context █▒▒▒░░░░░░░░░░░░░░ 1.8 % + 15 %
    Context █▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 1.8 % + 15 % deferred of 200k
    Context █▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 1.8 % + 15 % deferred of 200k
    "
  `);
});

test('no row is wider than the screen, however large or odd the numbers are', () => {
  const odd = [
    panelServerOf('漢字'.repeat(40), { tokens: { loaded: 9e9, deferred: 1, instructions: 0 } }),
    panelServerOf('\u001B[2J', { tokens: { loaded: 0, deferred: 0, instructions: 0 } }),
  ];
  for (const columns of [8, 20, 40, 80, 200]) {
    const rows = [
      ...budgetRows(costOf(odd), columns),
      budgetRow(costOf(odd), columns),
      ...budgetRows(undefined, columns),
    ];
    expect(Math.max(...rows.map((row) => textWidth(row)))).toBeLessThanOrEqual(Math.max(columns, 10));
    expect(rows.join('')).not.toMatch(/\p{Cc}/u);
  }
});

test('bars end at the edge of the screen, and names that begin alike can be told apart', () => {
  const name = 'a-company-internal-service-with-a-name-of-sixty-characters-';
  const many = ['01', '02'].map((end) => panelServerOf(`${name}${end}`));
  for (let columns = 40; columns <= 200; columns++) {
    const rows = budgetRows(costOf(many), columns).filter((row) => row.startsWith('a-comp') || row.startsWith('('));
    expect([columns, rows.filter((row) => /[█░]…|[█░].*…$/u.test(row))]).toEqual([columns, []]);
    expect(rows.filter((row) => /^a-comp.*-0[12] /u.test(row))).toHaveLength(2);
    expect(rows.filter((row) => /^\((?:built-in tools|system text)\) /u.test(row))).toHaveLength(2);
  }
});

test('t shows them, and q goes back', () => {
  const content = contentOf(servers);
  const { state } = play(firstState, ['t'], { content });
  expect(paint(state, content)).toContain('Tokens of the context by server');
  expect(paint(play(state, ['q'], { content }).state, content)).toContain('NAME');
});
