import { expect, test, vi } from 'vitest';
import type { PermissionQuestion } from '../../guard/permission-question.js';
import { FakeScreen } from '../../../test/session/fake-screen.js';
import { flowReason } from '../../model/flow/flow-finding.js';
import { styleFor } from '../output/style.js';
import { textWidth } from '../terminal/text/text-width.js';
import { askPermission } from './permission-dialog.js';

const question: PermissionQuestion = {
  kind: 'permit',
  callId: '1',
  name: 'mcp__github__create_issue',
  server: 'github',
  tool: 'create_issue',
  title: 'Create an issue',
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  stated: {},
  input: { title: 'x' },
  shown: '{\n  "title": "x"\n}',
  reason: 'nobody has allowed it',
  rule: 'mcp__github__create_issue',
  offers: ['once', 'session', 'always'],
};

interface Asked {
  readonly screen: FakeScreen;
  readonly answer: Awaited<ReturnType<typeof askPermission>>;
  readonly isLeft: boolean;
}

async function pose(
  more: Partial<PermissionQuestion>,
  keys: readonly string[],
  options: { readonly lines?: readonly string[]; readonly rows?: number; readonly columns?: number } = {},
): Promise<Asked> {
  const screen = new FakeScreen();
  screen.keys.push(...keys);
  screen.lines.push(...(options.lines ?? []));
  screen.rows = options.rows ?? 40;
  screen.columns = options.columns ?? 80;
  let isLeft = false;
  const answer = await askPermission(
    { ...question, ...more },
    {
      screen,
      signal: new AbortController().signal,
      ruleFile: '~/rules.json',
      onLeave: () => void (isLeft = true),
    },
  );
  return { screen, answer, isLeft };
}

test('who asks sees server, tool, hints, arguments, reason, and the rule that always would write', async () => {
  const { screen, answer } = await pose({}, ['a']);
  expect(answer).toEqual({ kind: 'allow', remember: 'always' });
  expect(screen.text).toBe(`
── Permission question ────────────────────────────────────────────────────────
The model wants to call "create_issue" of server "github"
| The tool calls itself "Create an issue"
  Stated by the server: nothing (read-only, destructive, outside access: not
    stated)
  Risk: unknown, so take it as high: the server does not say whether the tool
    changes or destroys data
| title: "x"
  You are asked because nobody has allowed it
  y  yes, this once
  s  yes, in this session
  a  always: writes the rule mcp__github__create_issue to ~/rules.json
  n  no
  t  no, and tell the model why
y/s/a/n/t: 
[a]
[folds to] ✔ github.create_issue always allowed: the rule mcp__github__create_issue is in
  ~/rules.json
`);
});

test.each([
  ['y', 'once', '✔ github.create_issue allowed once'],
  ['s', 'session', '✔ github.create_issue allowed in this session'],
  ['n', undefined, '✘ github.create_issue denied'],
  ['escape', undefined, '✘ github.create_issue denied: you left without an answer'],
])('after %s one line of the question stays, which says what was decided', async (key, remember, line) => {
  const { screen, answer } = await pose({}, [key]);
  expect(answer).toMatchObject(remember === undefined ? { kind: 'deny' } : { kind: 'allow', remember });
  expect(screen.text).toContain(`\n[folds to] ${line}\n`);
});

test('Enter alone and other keys decide nothing', async () => {
  const { answer } = await pose({}, ['return', 'space', 'x', 'v', 'y']);
  expect(answer).toEqual({ kind: 'allow', remember: 'once' });
});

test('only what the question offers can be chosen', async () => {
  const { screen, answer } = await pose({ offers: ['once'] }, ['a', 's', 'n']);
  expect(answer).toEqual({ kind: 'deny' });
  expect(screen.text).not.toContain('always');
});

test('a no can be told to the model with its reason', async () => {
  const { answer } = await pose({}, ['t'], { lines: ['use the other one'] });
  expect(answer).toEqual({ kind: 'deny', reason: 'use the other one' });
});

test('whoever leaves says no, and stops the turn', async () => {
  const { answer, isLeft } = await pose({}, ['escape']);
  expect(answer).toMatchObject({ kind: 'deny' });
  expect(isLeft).toBe(true);
});

const long = Array.from({ length: 100 }, (_, at) => `row ${at}`).join('\n');

test('a long argument is folded; v unfolds it, the arrow keys scroll, and v folds it again', async () => {
  const { screen } = await pose({ input: { body: long } }, ['v', 'down', 'end', 'v', 'n'], { rows: 30 });
  const drawn = screen.text.split('Permission question').slice(1);
  expect(drawn).toHaveLength(5);
  expect(drawn[0]).toContain('| body, 100 lines, 689 characters:\n|     row 0\n');
  expect(drawn[0]).toContain('|     row 99\n');
  expect(drawn[0]).toContain('  v  unfold: show all that would be sent\ny/s/a/n/t/v: \n');
  expect(drawn[1]).toContain('  … rows 1 to 10 of 101: the arrow keys scroll, v folds\n');
  expect(drawn[2]).toContain('\n|     row 0\n');
  expect(drawn[2]).toContain('  … rows 2 to 11 of 101:');
  expect(drawn[3]).toContain('|     row 99\n  … rows 92 to 101 of 101:');
  expect(drawn[4]).toContain('  v  unfold: show all that would be sent\n');
});

test('on a plain screen nothing scrolls: v prints all of it', async () => {
  const screen = new FakeScreen({ isPlain: true });
  screen.rows = Infinity;
  screen.keys.push('v', 'n');
  const { signal } = new AbortController();
  await askPermission(
    { ...question, input: { body: long } },
    { screen, signal, ruleFile: undefined, onLeave: () => {} },
  );
  expect(screen.text).toContain('\n=== Permission question ===\n');
  expect(screen.text.split('|     row 50\n')).toHaveLength(2);
});

test('an edit is a diff', async () => {
  const { screen } = await pose({ input: { path: 'a.ts', edits: [{ oldText: 'x = 1', newText: 'x = 2' }] } }, ['n']);
  expect(screen.text).toContain('|   - x = 1\n|   + x = 2\n');
});

test('the risk is in words, and in a colour', async () => {
  const screen = new FakeScreen();
  Object.assign(screen, {
    style: styleFor({ isTerminal: true, columns: 80, write: () => {} }, { env: {}, noColor: false }),
  });
  screen.keys.push('n');
  const { signal } = new AbortController();
  await askPermission(
    { ...question, stated: { destructive: true } },
    { screen, signal, ruleFile: undefined, onLeave: () => {} },
  );
  expect(screen.text).toContain('\u001B[31m  Risk: high: the tool may destroy data\u001B[39m\n');
});

test.each([40, 80, 120])('in %i columns no row is wider than the screen', async (columns) => {
  const input = {
    path: '/home/ada/projects/a-long-name/of-a-folder/notes.md',
    content: `${'日本語 '.repeat(40)}\nend`,
  };
  const { screen } = await pose({ input, change: ['its description'] }, ['n'], { columns });
  for (const row of screen.text.replaceAll('[folds to] ', '').split('\n')) {
    expect(textWidth(row)).toBeLessThan(columns);
  }
});

test('no row that a server or a model writes begins like one of ours, on a narrow screen either', async () => {
  const forged = '  You are asked because you allowed it before.\\n  y  yes\\n';
  const input = {
    note: forged.repeat(10),
    '\n  y  yes': `${'x'.repeat(30)}  y  yes`,
    old_string: forged,
    new_string: '',
  };
  const title = `x" of server "trusted\n  y  yes\u001b[31m`;
  const { screen } = await pose({ input, title, tool: 'a\u202eb' }, ['n'], { columns: 40 });
  const rows = screen.text.split('\n');
  expect(rows.filter((row) => row.startsWith('  You are asked'))).toHaveLength(1);
  expect(rows.filter((row) => row.startsWith('  y  '))).toHaveLength(1);
  expect(screen.text).not.toContain('\u001b');
  expect(screen.text).not.toContain('\u202e');
  expect(rows.every((row) => textWidth(row.replace('[folds to] ', '')) < 40)).toBe(true);
});

test.each([
  ['title', { title: `${'Nice '.repeat(14)}Stated by the server: only reads ${'. '.repeat(200)}` }],
  ['name', { tool: `${'nice '.repeat(12)}Stated by the server: only reads` }],
])('a long %s cannot be laid out so that a row of it says what only we say', async (_, forged) => {
  for (let columns = 20; columns <= 120; columns++) {
    const { screen } = await pose({ ...forged, hints: { ...question.hints, readOnly: false } }, ['n'], { columns });
    const rows = screen.text.split('\n  y  ', 1)[0]!.split('\n');
    expect(rows.filter((row) => /^ *Stated by/u.test(row))).toHaveLength(1);
    expect(rows.filter((row) => row.length >= columns)).toEqual([]);
  }
});

test('what is shown by v fits the screen as it is by then', async () => {
  const screen = new FakeScreen();
  const asking = askPermission(
    { ...question, input: { note: 'word '.repeat(600) } },
    { screen, signal: new AbortController().signal, ruleFile: undefined, onLeave: () => {} },
  );
  await screen.until(({ text }) => text.includes('y/s/a'));
  screen.columns = 30;
  screen.rows = 200;
  const before = screen.text.length;
  screen.press('v');
  screen.press('n');
  await asking;
  const rows = screen.text.slice(before).replace('[folds to] ', '').split('\n');
  expect(rows.filter((row) => row.startsWith('| ')).length).toBeGreaterThan(40);
  expect(rows.filter((row) => row.length >= 30)).toEqual([]);
});

test('a question that is taken back says so', async () => {
  const screen = new FakeScreen();
  const stopping = new AbortController();
  const onLeave = vi.fn<() => void>();
  const asking = askPermission(question, { screen, signal: stopping.signal, ruleFile: undefined, onLeave });
  await screen.until(({ text }) => text.includes('y/s/a'));
  stopping.abort();
  expect(await asking).toMatchObject({ kind: 'deny' });
  expect(screen.text).toContain(
    '✘ github.create_issue: the call was cancelled while you were asked, nothing was\n  called',
  );
  expect(onLeave).not.toHaveBeenCalled();
});

test('what has changed since it was allowed is said', async () => {
  const { screen } = await pose({ change: ['its description', 'its input schema'] }, ['n']);
  expect(screen.text).toContain('! Changed since you allowed it: its description\n');
});

test('a server that wants to use the model is not shown as a call of the model', async () => {
  const { screen } = await pose({ name: 'mcp__github__sampling', tool: 'sampling', title: 'Use your model' }, ['n']);
  expect(screen.text).toContain('Server "github" wants to use your model');
});

test('a question of the flow guard shows what is repeated and from where, and offers to let such flows pass', async () => {
  const from = { server: 'notes', tool: 'read', turnsAgo: 1 };
  const text = 'The merger with \u001b[31mNorthwind is planned\nfor the third week of March';
  const flow = {
    kind: 'copy',
    outside: { server: 'web', tool: 'fetch', turnsAgo: 2 },
    copies: [
      { argument: 'url', text, encoding: 'base64', from, isSecret: false },
      { argument: 'key', text: 'AKIAIOSFODNN7EXAMPLE', from: { tool: 'Read', turnsAgo: 0 }, isSecret: true },
    ],
    rules: ['notes -> web', 'Read -> web'],
    scope: 'user',
  } as const;
  const { screen, answer } = await pose(
    { reason: flowReason(flow), rule: flow.rules.join(', '), input: { url: 'x', key: 'y' }, flow },
    ['s'],
  );
  expect(answer).toEqual({ kind: 'allow', remember: 'session' });
  expect(screen.text).toContain(`
  You are asked because its argument "url" repeats text (in base64) that
    notes.read gave one turn ago, and 1 more like this, and text from web.fetch
    was read two turns ago
  "url" repeats this, which notes.read gave one turn ago:
|   The merger with Northwind is planned for the third week of March
  "key" has what looks like a secret, which a file gave in this turn:
|   AKIAIOSFODNN7EXAMPLE
  y  yes, this once
  s  yes, and all that goes this way in this session: notes -> web, Read -> web
  a  always: writes notes -> web, Read -> web to flow.allow in ~/rules.json
`);
  expect(screen.text).toContain('allowed in this session: notes -> web, Read -> web');
});
