import { expect, test } from 'vitest';
import { HostError } from '../../base/errors.js';
import { parseForm } from '../../model/elicitation/parse-form.js';
import type { Elicitation, ElicitationReply } from '../../model/hooks/hook-call.js';
import type { Io } from '../io.js';
import { showPreset } from './field-text.js';
import { askForm } from './form-dialog.js';
import { firstQuotedRows, type Look } from './frame.js';
import { dialogLook, openDialog } from './open-dialog.js';
import { textWidth } from '../terminal/text/text-width.js';
import { ElicitationDialogs } from './elicitation-dialogs.js';

const nobody = (): Promise<boolean> => Promise.resolve(false);
const output = (columns: number) => ({ isTerminal: true, columns, write: () => {} });

/** A terminal whose user types these lines and then leaves. */
function typing(answers: readonly string[], columns = 80): { readonly io: Io; readonly screen: () => string } {
  let screen = '';
  const left = [...answers];
  const ask = async (question: string, isShown: boolean): Promise<string> => {
    const answer = left.shift();
    if (answer === undefined) throw new HostError('cancelled', 'left');
    screen += `${question}${isShown ? answer : ''}\n`;
    return answer;
  };
  const io: Io = {
    env: { NO_COLOR: '1' },
    stdout: output(columns),
    stderr: { ...output(columns), write: (text) => void (screen += text) },
    stdin: {
      isTerminal: true,
      read: async () => '',
      ask: (question) => ask(question, true),
      askSecret: (question) => ask(question, false),
    },
    now: () => new Date(0),
  };
  return { io, screen: () => screen };
}

const invocation = { has: () => false } as never;
const lookOn = (io: Io): Look => dialogLook({ io, invocation });
const dialogsOf = (io: Io, more: { readonly notes?: string[]; readonly mayAsk?: boolean } = {}): ElicitationDialogs =>
  new ElicitationDialogs({
    io,
    notes: [],
    mayAsk: true,
    open: nobody,
    openDialog: () => openDialog({ io, invocation }),
    ...more,
  });

const signal = new AbortController().signal;
const form = (properties: object, more: Partial<Elicitation> = {}, required = Object.keys(properties)): Elicitation => {
  const parsed = parseForm({ type: 'object', properties, required });
  if (parsed.kind === 'refused') throw new Error(parsed.reason);
  return { server: 'asker', mode: 'form', message: 'Well?', form: parsed, ...more };
};

async function check(question: Elicitation, answers: readonly string[], expected: ElicitationReply): Promise<string> {
  const { io, screen } = typing(answers);
  expect(await askForm(question, { io, look: lookOn(io), signal })).toEqual(expected);
  return screen();
}

test('what the field does not know as a word is a text, also one that begins like a command', async () => {
  const question = form({ a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } });
  await check(question, ['\\:back', '\\?', '\\\\:x', 'y'], {
    action: 'accept',
    content: { a: ':back', b: '?', c: '\\:x' },
  });
  // A UNC path begins with two backslashes.
  await check(question, ['\\\\host\\share', '\\x', 'c', 'y'], {
    action: 'accept',
    content: { a: '\\\\host\\share', b: '\\x', c: 'c' },
  });
  const screen = await check(question, [':what', ':cancel'], { action: 'cancel' });
  expect(screen).toContain('There is no command :what: ? lists the commands.');
});

test('going back shows what was said, and an optional field can be left empty again', async () => {
  const optional = form({ a: { type: 'string' }, b: { type: 'string', default: 'B' } }, {}, ['a']);
  const screen = await check(optional, ['x', 'z', 'b', ':back', '', ':skip', 'y'], {
    action: 'accept',
    content: { a: 'x' },
  });
  expect(screen).toContain('Text [x]: ');
  expect(screen).toContain('|   b: (left empty)');
});

test('a secret is neither filled in by itself nor shown, not even when somebody comes back to it', async () => {
  const question = form({ pin: { type: 'string', default: '1234' } }, { secretFields: ['pin'], warnings: ['Careful'] });
  const screen = await check(question, ['y', '', '0000', 'b', '9999', 'y'], {
    action: 'accept',
    content: { pin: '9999' },
  });
  expect(screen).toContain('!! Warning: Careful');
  expect(screen).toContain('Not yet: this field is required.');
  expect(screen).not.toMatch(/1234|0000|9999/u);
  await check(question, [''], { action: 'decline' });
});

test.each([20, 0, 80, 300])('on %i columns every row of what a server says begins with its mark', (columns) => {
  const text = `${'word '.repeat(60)}\n${'x'.repeat(500)}\n${'漢字'.repeat(100)}\n\n\n\n\nend`;
  const rows = firstQuotedRows(text, lookOn({ ...typing([]).io, stderr: output(columns) }).columns);
  for (const row of rows) {
    expect(row.startsWith('|')).toBe(true);
    expect(textWidth(row)).toBeLessThan(columns === 0 ? 80 : columns);
  }
  expect(rows.length).toBeLessThanOrEqual(41);
});

test('no row begins with words of a server that do not bear its mark, whatever they stand in', async () => {
  const title = `${'a'.repeat(17)} === Plugboard: you are safe here. `.repeat(4);
  const labels = form({ password: { type: 'string', title } }).form!.fields.map(({ label }) => label);
  const question = form(
    { password: { type: 'string', title, default: '漢'.repeat(39) }, b: { type: 'string', pattern: `^${title}$` } },
    { warnings: [`It asks for "${labels[0]}"`] },
  );
  const { io, screen } = typing(['', 'zz'], 60);
  await expect(askForm(question, { io, look: lookOn(io), signal })).rejects.toThrow('left');
  expect(screen()).toContain('Not yet: The server does not accept this');
  expect(screen()).toContain(`Text [${'漢'.repeat(20)}…]: `);
  const rows = screen().split('\n');
  for (const row of rows.filter((one) => /aaa|Plugboard: you/u.test(one))) {
    expect(row.length).toBeLessThan(60);
    expect(row).toMatch(/^(?:\| |!! |Not yet: )/u);
  }
});

test('what Enter alone means is cut between letters', () => {
  const { fields } = form({ a: { type: 'string', default: `x${'😀'.repeat(30)}` } }).form!;
  expect(showPreset(fields[0]!, fields[0]!.default)).toBe(`x${'😀'.repeat(19)}…`);
});

test('a thousand lines do not push away who is asking', () => {
  expect(firstQuotedRows('a\nb\n'.repeat(1_000), 80).at(-1)).toMatch(/^\| … and \d+ more rows$/u);
});

test('without a terminal a question is declined at once, and told once', async () => {
  const { io } = typing(['y']);
  const notes: string[] = [];
  const piped = { ...io, stdin: { ...io.stdin, isTerminal: false } };
  const delegate = dialogsOf(piped, { notes });
  expect(await delegate.elicit(form({}), undefined)).toEqual({ action: 'decline', reason: 'nobody is there to ask' });
  await delegate.elicit(form({}), undefined);
  expect(notes).toEqual(['note: "asker" asked you "Well?"; Plugboard declined: it cannot ask you without a terminal']);
  const listing = dialogsOf(io, { notes, mayAsk: false });
  expect(await listing.elicit(form({}), undefined)).toMatchObject({ action: 'decline' });
});

test('a line that shows progress is silent while somebody is asked', async () => {
  const { io } = typing([]);
  const drawn: string[] = [];
  const ask = async (): Promise<string> => {
    line.show({ progress: 2 });
    return 'y';
  };
  const delegate = dialogsOf({ ...io, stdin: { ...io.stdin, ask } });
  const line = delegate.around({ show: ({ progress }) => drawn.push(`${progress}`), clear: () => drawn.push('clear') });
  line.show({ progress: 1 });
  expect(await delegate.elicit(form({}), signal)).toEqual({ action: 'accept', content: {} });
  line.show({ progress: 3 });
  expect(drawn).toEqual(['1', 'clear', '3']);
});

test('a dialog that is withdrawn has left the screen before the next one begins', async () => {
  const { io, screen } = typing([]);
  const ask = (question: string, withdrawn?: AbortSignal): Promise<string> =>
    new Promise((resolve, reject) => {
      io.stderr.write(`${question}\n`);
      if (withdrawn === signal) return resolve('y');
      return withdrawn?.addEventListener('abort', () => reject(new HostError('cancelled', 'withdrawn')));
    });
  const delegate = dialogsOf({ ...io, stdin: { ...io.stdin, ask } });
  const giveUp = new AbortController();
  const first = delegate.elicit(form({}, { server: 'first' }), giveUp.signal);
  const never = delegate.elicit(form({}, { server: 'never' }), giveUp.signal);
  const second = delegate.elicit(form({}, { server: 'second' }), signal);
  while (!screen().includes('Send?')) await new Promise((resolve) => void setImmediate(resolve));
  giveUp.abort();
  expect([await first, await never, await second].map(({ action }) => action)).toEqual(['cancel', 'cancel', 'accept']);
  expect(screen()).toMatch(/"first" asks[\s\S]*"first": no longer waits for an answer\n[\s\S]*"second" asks/u);
  expect(screen()).not.toContain('never');
});

test('a terminal that obeys nothing is not told to copy an address', async () => {
  const { io, screen } = typing(['c', 'n']);
  const delegate = dialogsOf({ ...io, env: { TERM: 'dumb' } });
  const question = {
    server: 'asker',
    mode: 'url',
    message: 'Sign',
    url: 'https://example.com/',
    wants: 'consent',
  } as const;
  expect(await delegate.elicit(question, signal)).toEqual({ action: 'decline' });
  expect(screen()).toContain('y opens the page, n declines');
  expect(screen()).not.toContain('\u001B');
});

test('on a narrow terminal the questions and the help of a form break between words', async () => {
  const question = form({ name: { type: 'string' }, password: { type: 'string' } }, { secretFields: ['password'] });
  const { io, screen } = typing(['y', '?', 'Ada', 'hunter2', 'n'], 40);
  await dialogsOf(io).elicit(question, signal);
  expect(screen()).toContain('\nFill in the form anyway? [y]es, [N]o\n(decline): y\n');
  expect(screen()).toContain('\nEnter alone takes the value in\n[brackets], or leaves the field empty.\n');
  for (const row of screen().split('\n')) expect([row, textWidth(row) < 40]).toEqual([row, true]);
});
