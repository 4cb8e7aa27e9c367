import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { screenImages } from '../../src/actions/calls/screen-images.js';
import { askForm } from '../../src/cli/dialogs/form-dialog.js';
import { copyToClipboard } from '../../src/cli/output/terminal-link.js';
import { dialogIo } from '../../src/cli/terminal/dialog-io.js';
import { printImages } from '../../src/cli/terminal/images/print-images.js';
import { openScreen } from '../../src/cli/terminal/open-screen.js';
import type { Completer, Key, Screen } from '../../src/cli/terminal/screen.js';
import { drawTimeLeft } from '../../src/cli/output/time-left.js';
import { parseForm } from '../../src/model/elicitation/parse-form.js';

// Runs in its own terminal and prints what the keys produced. The tests of its scenes are in terminal-screen.test.ts.
const LINES = 200;
const [scene = '', ...words] = process.argv.slice(2);

const items = ['/clear', '/call', '/cost', '/help', '/mcp', '/model', '/tools', '/one', '/two', '/three'];
const completions: Completer = (text, cursor, later) => {
  const typed = text.slice(0, cursor);
  if (/^@\w*$/u.test(typed)) {
    setTimeout(
      () => later({ from: 0, to: cursor, items: [{ text: '@late', about: 'comes later', isWhole: true }] }),
      50,
    );
    return undefined;
  }
  if (!/^\/\w*$/u.test(typed)) return undefined;
  const found = items.filter((item) => item.startsWith(typed));
  return {
    from: 0,
    to: cursor,
    items: found.map((item) => ({ text: item, about: `about ${item}`, isWhole: item === '/call' })),
  };
};

const scenes: Readonly<Record<string, (screen: Screen) => Promise<void>>> = {
  /** Prompts repeatedly and prints each entry. */
  async prompt(screen) {
    screen.show('status', [screen.style.dim('status of the session')]);
    const history = ['first entry', 'second\nof two rows', 'third entry'];
    for (;;) {
      const got = await screen.prompt({ mark: '> ', history, completions });
      if (got.kind === 'leave') return;
      screen.print(`got ${JSON.stringify(got.text.length > 200 ? got.text.length : got.text)}`);
      history.push(got.text);
    }
  },
  async ask(screen) {
    const name = await screen.ask('Your name: ').catch(nameOf);
    const secret = await screen.ask('Secret: ', { isSecret: true }).catch(nameOf);
    const began = performance.now();
    const live = await screen.ask(() => `Waited ${Math.floor((performance.now() - began) / 100)}: `).catch(nameOf);
    const keys = { y: 'yes', n: 'no', return: 'enter' } as const;
    const choice = await screen.choose(['Sure?', '[y]es, [n]o: '], { keys }).catch(nameOf);
    const given = await screen.ask('Withdrawn: ', { signal: AbortSignal.timeout(50) }).catch(nameOf);
    screen.print(`got ${JSON.stringify([name, secret, live, choice, given])}`);
  },
  /** Prints while the user types, with rows shown at the foot. */
  async busy(screen) {
    let count = 0;
    using _ = screen.animate(() => screen.show('work', [`working ${count}`]));
    screen.show('stream', ['words that are', 'still coming']);
    const printing = setInterval(() => {
      screen.print(`line ${++count} ${'x'.repeat(count % 90)}`);
      if (count === LINES) clearInterval(printing);
    }, 2);
    const got = await screen.prompt({ mark: '> ', history: [], completions });
    clearInterval(printing);
    screen.show('stream', undefined);
    screen.print(`got ${JSON.stringify(got)} after ${count}`);
  },
  /** Works without reading keys; interrupts are handled. */
  async work(screen) {
    let stopped = 0;
    const done = new AbortController();
    using _ = screen.onInterrupt(() => {
      screen.print(`stopped ${++stopped}`);
      if (stopped === Number(words[0] ?? 1)) done.abort();
    });
    screen.show('work', ['working']);
    await pause(600_000, undefined, { signal: done.signal }).catch(() => {});
    screen.show('work', undefined);
    const answer = await screen.choose(['Go on? '], { keys: { y: 'yes', n: 'no' } }).catch(nameOf);
    screen.print(`answer ${answer}`);
    const got = await screen.prompt({ mark: '> ', history: [], completions });
    screen.print(`got ${JSON.stringify(got)}`);
  },
  /** Reads no keys and handles no interrupts. */
  async deaf(screen) {
    screen.show('work', ['working']);
    await pause(600_000);
  },
  async full(screen) {
    screen.print('before');
    let keys: readonly string[] = [];
    const closed = new AbortController();
    const view = {
      draw: ({ columns, rows }: { readonly columns: number; readonly rows: number }) => [
        `panel ${columns}x${rows}`,
        ...keys,
        'x'.repeat(500),
      ],
      key: ({ name, ctrl }: Key): void => {
        keys = [...keys, `key ${ctrl ? 'ctrl-' : ''}${name}`];
        full.changed();
        if (name === 'q') closed.abort();
      },
    };
    const full = screen.openFull(view);
    screen.print('printed meanwhile');
    await pause(600_000, undefined, { signal: closed.signal }).catch(() => {});
    full[Symbol.dispose]();
    await scenes['prompt']!(screen);
  },
  /** A dialog that knows nothing of the screen, while other work goes on. */
  async dialog(screen) {
    screen.show('work', ['working']);
    const output = { isTerminal: true, columns: 80, write: () => {} };
    const stdin = { isTerminal: true, read: nobody, ask: nobody, askSecret: nobody };
    const io = dialogIo({ env: {}, stdout: output, stderr: output, stdin, now: () => new Date(0) }, screen);
    const fields = { user: { type: 'string' }, password: { type: 'string' } };
    const form = parseForm({ type: 'object', properties: fields, required: ['user', 'password'] });
    if (form.kind === 'refused') throw new Error(form.reason);
    const question = {
      server: 'asker',
      mode: 'form',
      message: 'Who are you?',
      form,
      secretFields: ['password'],
    } as const;
    const { signal } = new AbortController();
    const reply = await askForm(question, { io, look: screen, signal });
    {
      using _ = drawTimeLeft(Date.now() + 60_000, io);
      await screen.ask('Go on? ');
    }
    copyToClipboard('text', io);
    io.stderr.write('Copied\n');
    screen.show('work', undefined);
    screen.print(`got ${JSON.stringify(reply)}`);
  },
  /** Prints images from files between lines, then prompts. */
  async images(screen) {
    const blocks = words.map((file) => ({ type: 'image', data: readFileSync(file).toString('base64') }));
    screen.print('before');
    printImages(screen, screenImages(blocks));
    screen.print('after');
    await scenes['prompt']!(screen);
  },
  async crash(screen) {
    screen.openFull({ draw: () => ['panel'], key: () => {} });
    await pause(300);
    setTimeout(() => {
      throw new Error('a crash');
    });
    await pause(600_000);
  },
};

function nobody(): Promise<string> {
  return Promise.reject(new Error('the screen is asked, not this'));
}

function nameOf(error: unknown): string {
  return (error as { code?: string }).code ?? String(error);
}

// $REPLY_TIME decides when the terminal's time to reply is over: at once, or never. No test depends on real time.
const clock = {
  after(_ms: number, run: () => void): Disposable {
    if (process.env['REPLY_TIME'] === 'none') setImmediate(run);
    return { [Symbol.dispose]() {} };
  },
};
const options = { env: process.env, noColor: false, onHangup: () => {}, clock };
const screen = openScreen({ input: process.stdin, output: process.stdout }, options);
await scenes[scene]!(screen);
await screen[Symbol.asyncDispose]();
process.stdout.write('left\n');
