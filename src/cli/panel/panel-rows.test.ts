import { HostError } from '../../base/errors.js';
import { entryPlace } from '../../config/approval/approved-place.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { textWidth } from '../terminal/text/text-width.js';
import { windowTop } from './list-window.js';
import { contentOf, paint, play, panelServerOf } from './panel-fixtures.js';
import { firstState } from './panel-state.js';

const HERE = entryPlace({ written: {}, folder: '/p', variables: {} });

const NOTHING = { protocol: null, tools: null, resources: null, prompts: null, ms: null } as const;

function failing(message: string, hint: string): { readonly error: { code: string; message: string; hint: string } } {
  return { error: { code: 'connect-failed', message, hint } };
}

const servers = [
  panelServerOf('github', {
    state: { transport: 'http', tools: 27, ms: 812 },
    tokens: { loaded: 1_200, deferred: 30_400, instructions: 90 },
  }),
  panelServerOf('files', { state: { tools: 12, resources: 0, prompts: 0, ms: 95 } }),
  panelServerOf('dead', {
    state: {
      status: 'failed',
      ...NOTHING,
      ...failing('Server "dead" exited with code 3 before it answered initialize', 'plugboard doctor dead'),
    },
    tokens: undefined,
  }),
  panelServerOf('linear', {
    state: {
      status: 'needs-auth',
      transport: 'http',
      ...NOTHING,
      ...failing('Server "linear" answered HTTP 401', 'plugboard login linear'),
    },
    canSignIn: true,
    tokens: undefined,
  }),
  panelServerOf('lost', {
    state: {
      status: 'reconnecting',
      protocol: null,
      attempt: 2,
      ...failing('Server "lost" closed the connection', 'plugboard logs lost'),
    },
    retryInMs: 3_600,
  }),
  panelServerOf('shared', {
    state: { scope: 'project', status: 'unapproved', ...NOTHING },
    standing: { kind: 'unapproved', rejected: false },
    definition: { scope: 'project', approval: { hash: 'abcdef', place: HERE } },
    tokens: undefined,
  }),
  panelServerOf('a-server-with-a-very-long-name-indeed-日本語', {
    state: { status: 'disabled', ...NOTHING },
    standing: { kind: 'disabled', by: 'user' },
    tokens: undefined,
  }),
];

const at = (columns: number): string => `\n${paint(firstState, contentOf(servers), { columns, rows: 16 })}\n`;

test('40 columns have names, states and next steps', () => {
  expect(at(40)).toMatchInlineSnapshot(`
    "
    7 MCP servers: 2 ✔ 1 ↻ 1 ! 1 ✘ 1 ⏸ 1 ○
    Context █▒▒▒░░░░░░░░░░░░░░ 2.2 % + 15 %
      NAME                   STATE
    > github                 ✔ connected
      files                  ✔ connected
      dead                   ✘ failed
        exited with… → plugboard doctor dead
      linear                 ! needs sign-in
        answered HTTP 4… → /mcp login linear
      lost                   ↻ reconnecting
        attempt 2 of 5 in … → /mcp logs lost
      shared                 ⏸ to approve
        press a to review it and let it run
      a-server-wi…eed-日本語 ○ disabled

    enter open  r reconnect  ? help  q back
    "
  `);
});

test('80 columns have what matters most besides', () => {
  expect(at(80)).toMatchInlineSnapshot(`
    "
    7 MCP servers: 2 ✔ 1 ↻ 1 ! 1 ✘ 1 ⏸ 1 ○
    Context █▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 2.2 % + 15 % deferred of 200k
      NAME                            STATE           SCOPE   TOOLS    TOKENS     MS
    > github                          ✔ connected     user       27  1.2k+30k    812
      files                           ✔ connected     user       12       850     95
      dead                            ✘ failed        user        –         –      –
        exited with code 3 before it answered initialize → plugboard doctor dead
      linear                          ! needs sign-in user        –         –      –
        answered HTTP 401 → /mcp login linear
      lost                            ↻ reconnecting  user        5       850    120
        attempt 2 of 5 in 4 s: closed the connection → /mcp logs lost
      shared                          ⏸ to approve    project     –         –      –
        defined in a file of this project → press a to review it and let it run
      a-server-with-a…e-indeed-日本語 ○ disabled      user        –         –      –

    enter open  r reconnect  d disable  g logs  / filter  s sort  ? help  q back
    "
  `);
});

test('120 columns have everything', () => {
  expect(at(120)).toMatchInlineSnapshot(`
    "
    7 MCP servers: 2 connected, 1 reconnecting, 1 needs sign-in, 1 failed, 1 to approve, 1 disabled
    Context █▒▒▒▒▒▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 2.2 % + 15 % deferred of 200k
      NAME                             STATE           SCOPE   TRANSPORT PROTOCOL   TOOLS RESOURCES PROMPTS    TOKENS     MS
    > github                           ✔ connected     user    http      2025-11-25    27         2       1  1.2k+30k    812
      files                            ✔ connected     user    stdio     2025-11-25    12         0       0       850     95
      dead                             ✘ failed        user    stdio     –              –         –       –         –      –
        exited with code 3 before it answered initialize → plugboard doctor dead
      linear                           ! needs sign-in user    http      –              –         –       –         –      –
        answered HTTP 401 → /mcp login linear
      lost                             ↻ reconnecting  user    stdio     –              5         2       1       850    120
        attempt 2 of 5 in 4 s: closed the connection → /mcp logs lost
      shared                           ⏸ to approve    project stdio     –              –         –       –         –      –
        defined in a file of this project → press a to review it and let it run
      a-server-with-a-…e-indeed-日本語 ○ disabled      user    stdio     –              –         –       –         –      –

    enter open  r reconnect  d disable  g logs  / filter  s sort  t tokens  f problems  ? help  q back
    "
  `);
});

test('the help names every key', () => {
  const { state } = play(firstState, ['?'], { content: contentOf(servers) });
  expect(`\n${paint(state, contentOf(servers), { columns: 80, rows: 24 })}\n`).toMatchInlineSnapshot(`
    "
    Help: the server panel                                                1-22 of 25
    Keys
      up down j k      move
      pgup pgdn space  move by a screen
      home end         go to the first, to the last
      enter            open a server
      a                Approve this project's servers, accept a changed tool, or
                       pin what servers offer in mcp.lock
      l                Sign in to a server, in a browser or with a device code
      r                Clear the cache of one server, connect once, and have
                       running hosts reconnect
      e                Switch a server on again
      d                Switch a server off, but keep its entry
      g L              Show what a server has said on stderr, or which calls were
                       made
      o                Sign out of a server: forget its tokens, and revoke them
                       where possible
      /                only servers with these words in name, scope or state
      f                only servers with a problem
      s S              sort by name, state, tools, tokens, ms, or as listed; S
                       reverses
      t                tokens of the context by server
      q escape ctrl-c  back
    up/down  q back
    "
  `);
});

test('what a server calls itself, or says, cannot draw on the screen', () => {
  const evil = '\u001B[2J\u001B]0;x\u0007\nok\u202E';
  const server = panelServerOf(evil, { state: { status: 'failed', ...NOTHING, ...failing(evil, evil) } });
  const content = contentOf([server]);
  for (const words of [[], ['return'], ['g'], ['/', 'x'], ['a']]) {
    const { state } = play(firstState, words, { content });
    expect(paint(state, content).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]/u);
  }
});

test('no row is wider than the screen, and none is missing', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 20, max: 200 }),
      fc.integer({ min: 5, max: 60 }),
      fc.array(fc.constantFrom('j', 'k', 'space', 'end', 'home', 'return', 'tab', 'escape', '?', 'g', 'f', '/'), {
        maxLength: 12,
      }),
      (columns, rows, words) => {
        const content = contentOf(servers, { log: { lines: ['a line', '漢字'.repeat(60)], about: '/var/log/x' } });
        const { state } = play(firstState, words, { content, columns, rows });
        const drawn = paint(state, content, { columns, rows }).split('\n');
        expect(drawn).toHaveLength(rows);
        for (const row of drawn) expect(textWidth(row)).toBeLessThanOrEqual(columns);
      },
    ),
    { numRuns: 100 },
  );
});

test('what is selected is always whole on the screen, and nothing is left empty while there is more', () => {
  const heights = fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(heights, fc.nat(60), fc.nat(60), fc.integer({ min: 2, max: 12 }), (rows, before, wanted, height) => {
      const selected = wanted % rows.length;
      const top = windowTop({ count: rows.length, height, top: before, at: selected, rowsOf: (index) => rows[index]! });
      const sum = (from: number, to: number): number => rows.slice(from, to).reduce((all, one) => all + one, 0);
      expect(top).toBeGreaterThanOrEqual(0);
      expect(top).toBeLessThanOrEqual(selected);
      expect(sum(top, selected + 1)).toBeLessThanOrEqual(height);
      expect(top === 0 || sum(top - 1, rows.length) > height).toBe(true);
    }),
  );
});

const LONG = 'a-company-internal-service-with-a-name-of-sixty-characters-';
const long = [
  ...['01', '02'].map((end) => panelServerOf(`${LONG}${end}`)),
  panelServerOf('日本語のサーバー名前がとても長い場合の表示を確認するため'),
];

test.each([40, 60, 80, 120, 200])('names that begin alike can be told apart in %i columns', (columns) => {
  const drawn = paint(firstState, contentOf(long), { columns, rows: 10 }).split('\n');
  const [first = '', second = '', third = ''] = drawn.slice(2).filter((row) => row.includes('✔'));
  expect([first, second, third].map((row) => textWidth(row.slice(0, row.indexOf('✔'))))).toEqual(
    Array.from({ length: 3 }, () => drawn.find((row) => row.includes('STATE'))!.indexOf('STATE')),
  );
  expect(first).toMatch(/^> a-comp.*-01 +✔ connected/u);
  expect(second).toMatch(/^ {2}a-comp.*-02 +✔ connected/u);
  expect(third).toMatch(/^ {2}日本語.*するため +✔ connected/u);
});

test('a name is whole where there is room for it, and a wider screen does not cut it to fewer than 28 columns', () => {
  expect(paint(firstState, contentOf(long), { columns: 200, rows: 10 })).toContain(` ${LONG}01 `);
  for (let columns = 60; columns <= 200; columns++) {
    const heading = paint(firstState, contentOf(long), { columns, rows: 10 })
      .split('\n')
      .find((row) => row.includes('STATE'))!;
    expect([columns, heading.indexOf('STATE') >= 31]).toEqual([columns, true]);
  }
});

function firstRow(columns: number, rows = 16): string {
  return paint(firstState, contentOf(servers), { columns, rows }).split('\n')[0]!;
}

test('every state is counted in the first row, by its sign where the words do not fit', () => {
  expect(firstRow(40)).toBe('7 MCP servers: 2 ✔ 1 ↻ 1 ! 1 ✘ 1 ⏸ 1 ○');
  expect(firstRow(80)).toBe('7 MCP servers: 2 ✔ 1 ↻ 1 ! 1 ✘ 1 ⏸ 1 ○');
  expect(firstRow(120)).toMatch(/^7 MCP servers: 2 connected, .*, 1 disabled$/u);
  expect(firstRow(37)).toBe('7 servers: 2 ✔ 1 ↻ 1 ! 1 ✘ 1 ⏸ 1 ○');
  expect(firstRow(80, 9)).toMatch(/^7 MCP servers: 2 ✔.* 1-\d of 7$/u);
});

test('what to do is whole on a narrow screen, and the cause is cut', () => {
  const drawn = paint(firstState, contentOf(servers), { columns: 40, rows: 16 });
  expect(drawn).toContain('    exited with… → plugboard doctor dead\n');
  expect(drawn).toContain('    answered HTTP 4… → /mcp login linear\n');
  expect(drawn).toContain('    press a to review it and let it run\n');
});

test('a long hint is left to the page of the server, so that the row has room for the cause', () => {
  const [dead] = servers.filter(({ state }) => state.name === 'dead');
  const failure = new HostError('start-failed', 'x', {
    hint: 'Run the server by hand to see what it says: node dead.mjs',
  });
  const rows = (columns: number): string => paint(firstState, contentOf([{ ...dead!, failure }]), { columns, rows: 9 });
  expect(rows(40)).toMatch(/^ {4}exited with [^→]*… → enter$/mu);
  expect(rows(80)).toMatch(/^ {4}exited with [^→]* → enter says what to do$/mu);
  expect(rows(200)).toMatch(/^ {4}exited with [^→]* → Run the server by hand to see what it says: node dead\.mjs$/mu);
});

test('the title of a server with a long name ends with its state', () => {
  for (const columns of [40, 80]) {
    const content = contentOf(long);
    const { state } = play(firstState, ['return'], { content, columns });
    const [title = ''] = paint(state, content, { columns, rows: 10 }).split('\n');
    expect(title).toMatch(/^Server "a-comp.*-01" {2}✔ connected$/u);
    expect(textWidth(title)).toBeLessThanOrEqual(columns);
  }
});

test('an empty panel says in every width how to add a server', () => {
  const drawn = paint(firstState, contentOf([]), { columns: 40, rows: 12 });
  expect(drawn.replaceAll(/\s+/gu, ' ')).toContain('plugboard add adds one, plugboard import copies some.');
});
