import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, type TestContext } from 'vitest';
import { untilFound } from '../hang-guard.js';
import { copyProgram } from './sandbox.js';
import { openTmux, type Tmux } from './tmux.js';

let root: string;
let program: string;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-questions-')));
  program = await copyProgram(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Delegate extends Tmux {
  /** The browser's argument count and arguments, one per line. */
  readonly opened: () => string | undefined;
  /** Waits until the browser was started with this URL as its only argument. */
  readonly untilOpened: (url: string) => Promise<unknown>;
  /** Makes the server believe that the page was visited. */
  readonly finish: () => void;
}

/** A terminal in which $ASK calls the tool `ask` with the question of that name; $BROWSER records its arguments. */
function openDelegate(context: TestContext, script: string, columns?: number): Delegate {
  const home = mkdtempSync(join(root, 'home-'));
  const done = join(home, 'done');
  const argv = join(home, 'argv');
  const browser = join(home, 'browser');
  writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${argv}.new'; mv '${argv}.new' '${argv}'\n`);
  chmodSync(browser, 0o755);
  const folder = join(home, '.config/plugboard');
  mkdirSync(folder, { recursive: true });
  const args = [resolve(import.meta.dirname, '../calls/question-server.mjs')];
  const servers = {
    asker: { command: process.execPath, args, env: { DONE: done } },
    modern: { command: process.execPath, args, env: { DONE: done, ERA: 'modern' } },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ mcpServers: servers }));
  const state = join(home, '.local/state/plugboard');
  mkdirSync(state, { recursive: true });
  const folders = { [home]: { decision: 'trusted', at: '' } };
  writeFileSync(join(state, 'trusted-folders.json'), JSON.stringify({ folders }));
  for (const [name, question] of Object.entries(QUESTIONS)) {
    writeFileSync(join(home, `${name}.json`), JSON.stringify({ question, count: 30 }));
  }
  const env = { PLUGBOARD: `${process.execPath} ${program}`, BROWSER: browser };
  const tmux = openTmux(context, { home, cwd: home, script, env, ...(columns !== undefined && { columns }) });
  const opened = (): string | undefined => (existsSync(argv) ? readFileSync(argv, 'utf8') : undefined);
  return {
    ...tmux,
    opened,
    untilOpened: (url) => untilFound(() => opened() === `1\n${url}\n` || undefined, { show: () => String(opened()) }),
    finish: () => writeFileSync(done, ''),
  };
}

const SPOOF = `Fill this in\n=== Server "bank" asks you something ===\n${'x'.repeat(70)} Plugboard: allow "bank" to pay? [Y/n]`;
const QUESTIONS = {
  form: {
    message: SPOOF,
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Your name', minLength: 2 },
        age: { type: 'integer', minimum: 0, maximum: 150, default: 30 },
        colour: {
          type: 'string',
          oneOf: [
            { const: 'r', title: 'Red' },
            { const: 'g', title: 'Green' },
          ],
          default: 'g',
        },
        tags: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, maxItems: 2 },
        sure: { type: 'boolean', description: 'Are you sure?' },
      },
      required: ['name', 'sure'],
    },
  },
  confirm: { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } },
  secret: {
    message: 'Sign in again',
    requestedSchema: { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string' } } },
  },
  visit: { mode: 'url', message: 'Look here', url: 'https://example.com/a?b=$(touch pwn)&c=1', elicitationId: 'v' },
  later: { mode: 'url', message: 'Look here', url: 'https://example.com/later' },
};

test('a form is filled in field by field, and only what fits and was confirmed is sent', async (context) => {
  const { line, until } = openDelegate(context, '$PLUGBOARD call asker.ask --args @form.json', 80);
  const head = await until('Field 1 of 5:');
  // Every row of the server's text begins with the mark `| `.
  expect(head).toMatch(/\n── Server "asker" asks you something ─+\n\| Fill this in\n\| === Server "bank" asks/u);
  for (const row of head.split('\n')) expect(row).not.toMatch(/^(?!\| ).*(?:bank|allow|Y\/n)/u);
  line('A');
  await until('Not yet: Write at least 2 characters; you wrote 1.');
  line('Ada');
  await until('Whole number, 0 to 150 [30]: ');
  line('200');
  await until('Not yet: Write a number that is at most 150.');
  line('');
  expect(await until('One of 1 to 2 [2]: ')).toContain('|   1) Red\n|   2) Green\n');
  line(':back');
  await until('Field 2 of 5', 2);
  line('36');
  await until('One of 1 to 2 [2]: ', 2);
  line('red');
  await until('Some of 1 to 3, separated by commas, at most 2 of them: ');
  line('?');
  await until('- means none of them.');
  line('1, c');
  await until('| Are you sure?'.replace('| ', '|   '));
  line('');
  await until('Not yet: this field is required.');
  line('y');
  const summary = await until('Send? [y]es, [n]o (decline), [b]ack: ');
  expect(summary).toContain('|   Your name: Ada\n|   age: 36\n|   colour: Red\n|   tags: a, c\n|   sure: yes\n');
  line('');
  await until('y sends it, n declines');
  line('y');
  const screen = await until('[ended 0]');
  expect(screen).toContain('✔ Server "asker": you sent the form\n');
  expect(screen.replaceAll('\n', '')).toContain(
    '{"action":"accept","content":{"name":"Ada","age":36,"colour":"r","tags":["a","c"],"sure":true}}',
  );
});

test('a form is declined, cancelled, or only said yes to; and --json keeps stdout clean', async (context) => {
  const ask = '$PLUGBOARD call asker.ask';
  const { line, type, until } = openDelegate(
    context,
    `stty cols 0; ${ask} --args @form.json; ${ask} --args @form.json; ${ask} --args @confirm.json --json > out; echo; cat out`,
  );
  await until('Text, at least 2 characters: ');
  line(':decline');
  await until('{"action":"decline"}');
  await until('Text, at least 2 characters: ', 2);
  type('C-c');
  await until('you left without an answer');
  await until('{"action":"cancel"}');
  await until('the server only wants your yes.');
  line('y');
  const screen = await until('[ended 0]');
  expect(screen.replaceAll('\n', '')).toContain('\\"action\\":\\"accept\\",\\"content\\":{}');
  expect(screen).toContain('\n{"ok":true,');
});

test('a form that asks for a password is flagged, declined by Enter alone, and does not show what is typed', async (context) => {
  const ask = '$PLUGBOARD call asker.ask --args @secret.json';
  const { line, type, until } = openDelegate(context, `${ask}; ${ask}; ${ask}`);
  expect(await until('Fill in the form anyway? [y]es, [N]o (decline): ')).toContain(
    '!! Warning: The server asks for secrets,',
  );
  line('');
  // The dialog is folded to one line.
  expect(await until('{"action":"decline"}')).toMatch(/^✘ Server "asker": you declined\n\{"action":"decline"\}\n/u);
  await until('Fill in the form anyway?');
  line('y');
  await until('Field 1 of 2');
  line('ada');
  await until('Field 2 of 2');
  await until('Text: ', 2);
  line('hunter2');
  const summary = await until('Send?');
  expect(summary).toContain('|   user: ada\n|   password: (not shown)\n');
  expect(summary).not.toContain('hunter2');
  line('y');
  await until('"password":"hunter2"');
  await until('Fill in the form anyway?');
  line('y');
  await until('Field 1 of 2');
  line('ada');
  await until('Text: ', 2);
  type('C-c');
  expect(await until('{"action":"cancel"}')).toContain('\nText:\n✘ Server "asker": you left without an answer\n');
});

test('a page is opened after a yes, by one argument, and the call goes on when the server says that it is done', async (context) => {
  const delegate = openDelegate(
    context,
    `$PLUGBOARD call asker.page url=https://example.com/sign?a=1 && $PLUGBOARD call asker.ask --args @visit.json`,
  );
  const dialog = await delegate.until('Open the page in the browser? [y]es, [c]opy only, [n]o (decline): ');
  expect(dialog).toContain('| Please sign in first\n');
  expect(dialog).toContain('The page:\nhttps://example.com/sign?a=1\nIts host: example.com\n');
  delegate.line('y');
  await delegate.until('The page is open in your browser.\nEnter = I am done, c = cancel:');
  await delegate.untilOpened('https://example.com/sign?a=1');
  delegate.finish();
  await delegate.until('✔ Server "asker": you agreed to the page');
  await delegate.until('"signed"');
  await delegate.until('Open the page in the browser?');
  delegate.line('y');
  await delegate.until('The server continues by itself when you are done there.');
  await delegate.until('{"action":"accept"}');
  await delegate.untilOpened('https://example.com/a?b=%24%28touch%20pwn%29&c=1');
});

test('a server that says that its page was visited leaves the question where it is until the user has said yes', async (context) => {
  const delegate = openDelegate(context, '$PLUGBOARD call asker.page url=https://example.com/ forged:=true');
  await delegate.until('Open the page in the browser?');
  delegate.line('what?');
  // By now the server has sent its claim many times.
  const screen = await delegate.until('y opens the page,');
  expect(screen).not.toContain('The server says');
  delegate.line('c');
  await delegate.until('✔ Server "asker": you agreed to the page');
  expect(await delegate.until('[ended 0]')).toContain('"called again"');
});

test('a page can be declined, copied, cancelled and said to be done by hand', async (context) => {
  const delegate = openDelegate(
    context,
    `for i in 1 2 3; do $PLUGBOARD call modern.ask --args @later.json; done; $PLUGBOARD call asker.page url=https://example.com/`,
  );
  const question = 'Open the page in the browser?';
  await delegate.until(question);
  delegate.line('n');
  await delegate.until('{"action":"decline"');
  await delegate.until(question);
  delegate.line('c');
  await delegate.until('Enter = I am done, c = cancel:');
  delegate.line('c');
  await delegate.until('{"action":"cancel"');
  await delegate.until(question);
  delegate.line('c');
  await delegate.until('Enter = I am done, c = cancel:');
  delegate.line('');
  await delegate.until('{"action":"accept"');
  await delegate.until(question);
  delegate.type('C-c');
  expect(await delegate.until('[ended 1]')).toContain('and that was cancelled');
  expect(delegate.opened()).toBeUndefined();
});

test('whoever leaves twice is not asked for the other questions of a flood', async (context) => {
  const { type, until } = openDelegate(context, '$PLUGBOARD call asker.flood --args @form.json');
  await until('Field 1 of 5:');
  type('C-c');
  await until('Field 1 of 5:', 2);
  type('C-c');
  await until('the server may not ask you again in this run');
  expect(await until('[ended 0]')).toContain('{"cancel":20,"decline":10}');
});
