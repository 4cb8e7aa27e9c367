import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from 'vitest';
import { keeping } from '../auth/auth-scene.js';
import type { Authority } from '../auth/authority.js';
import { browse } from '../auth/browser.js';
import { openProtectedServer, type ProtectedServer } from '../auth/protected-server.js';
import { openStrictServer } from '../auth/strict-as.js';
import { untilFound } from '../hang-guard.js';
import { openDeviceAuthority } from './device-authority.js';
import { copyProgram } from './sandbox.js';

let root: string;
let program: string;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-login-')));
  program = await copyProgram(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Terminal {
  readonly mcp: ProtectedServer;
  readonly type: (...keys: string[]) => void;
  /** Resolves with the screen when it contains the text, or matches the function. */
  readonly until: (text: string | ((screen: string) => boolean)) => Promise<string>;
  /** Resolves with what the browser was told to open. */
  readonly opened: () => Promise<string>;
}

interface TerminalOptions {
  readonly authority: Authority;
  readonly context: TestContext;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
}

/** A tmux terminal whose user has a server `srv` that needs a sign-in; the browser only records its arguments. */
async function openTerminal(script: string, options: TerminalOptions): Promise<Terminal> {
  const { authority, context, env: more, columns = 100 } = options;
  if (spawnSync('tmux', ['-V']).status !== 0) context.skip('tmux is not installed');
  const mcp = await keeping(openProtectedServer({ authority }));
  const home = mkdtempSync(join(root, 'home-'));
  const config = join(home, '.config/plugboard');
  const notes = join(home, 'opened');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.json'), JSON.stringify({ mcpServers: { srv: { type: 'http', url: mcp.url } } }));
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, 'bin/xdg-open'), `#!/bin/sh\nprintf '%s:%s\\n' "$#" "$1" > '${notes}'\n`, { mode: 0o755 });
  const env = {
    HOME: home,
    PATH: `${join(home, 'bin')}${delimiter}${process.env['PATH']}`,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    DISPLAY: ':9',
    PLUGBOARD_KEYCHAIN: 'off',
    PLUGBOARD: `${process.execPath} ${program}`,
    ...more,
  };
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(home, 'tmux'), ...args], { env, encoding: 'utf8' });
  // Ctrl-C must not end the shell, which prints the program's exit code.
  const shown = `trap : INT; ${script}; echo "[ended $?]"; exec sleep 600`;
  tmux('new-session', '-d', '-x', String(columns), '-y', '40', '-c', home, 'sh', '-c', shown);
  onTestFinished(() => void tmux('kill-server'));
  const until = <Found>(look: () => Found | undefined): Promise<Found> =>
    untilFound(look, { show: () => tmux('capture-pane', '-p', '-J'), everyMs: 100 });
  return {
    mcp,
    type: (...keys) => void tmux('send-keys', ...keys),
    until: (text) =>
      until(() => {
        const screen = tmux('capture-pane', '-p', '-J');
        return (typeof text === 'string' ? screen.includes(text) : text(screen)) ? screen : undefined;
      }),
    opened: () =>
      until(() => {
        const told = spawnSync('cat', [notes], { encoding: 'utf8' }).stdout;
        return told.endsWith('\n') ? told.trim() : undefined;
      }),
  };
}

/** The URL as a user would copy it from the screen. */
function addressOn(screen: string): string {
  const [url] = /^http:\S+/mu.exec(screen) ?? [];
  if (url === undefined) throw new Error(`there is no address on:\n${screen}`);
  return url;
}

const QUESTION = 'Or paste the redirect URL here:';

test('login opens the browser, shows what it is about, and ends when the browser has come back', async (context) => {
  const authority = await keeping(openStrictServer());
  const { opened, until } = await openTerminal('$PLUGBOARD login srv', { authority, context });
  const screen = await until(QUESTION);
  const url = addressOn(screen);
  const { host } = new URL(authority.issuer);
  expect(screen).toContain(`Signing in to "srv" at ${host}, which asks for these rights: read\n`);
  expect(screen).toContain('Your browser should show that page now.');
  expect(screen).toMatch(/^Waiting for the browser, \d:\d\d left\. Or paste the redirect URL here:/mu);
  // Exactly one argument: the whole URL.
  expect(await opened()).toBe(`1:${url}`);
  expect(await browse(url)).toMatchObject({ status: 200, page: expect.stringContaining('You are signed in') });
  const end = await until('[ended 0]');
  expect(end).not.toContain(QUESTION);
  expect(end).toMatch(/srv: http:.* - ✔ connected \(3 tools, /u);
  expect(end).toMatch(/Signed in\. The tokens are in\s/u);
});

/** The time left, where the question is broken between words. */
function timeOnNarrow(screen: string): string | undefined {
  return /^Waiting for the browser, (\d:\d\d) left\. Or\npaste the redirect URL here:/mu.exec(screen)?.[1];
}

test('on a narrow terminal the countdown breaks between words and leaves no row behind', async (context) => {
  const authority = await keeping(openStrictServer());
  const { until } = await openTerminal('$PLUGBOARD login srv', { authority, context, columns: 40 });
  const screen = await until((shown) => timeOnNarrow(shown) !== undefined);
  const later = await until((shown) => ![undefined, timeOnNarrow(screen)].includes(timeOnNarrow(shown)));
  expect(later.split('Waiting for').length).toBe(2);
  await browse(addressOn(screen));
  expect(await until('[ended 0]')).not.toMatch(/Waiting for|^paste the/mu);
});

test('over SSH the address that a browser elsewhere ended at is pasted; one that is wrong says why and may be pasted again', async (context) => {
  const authority = await keeping(openStrictServer());
  const env = { SSH_CONNECTION: '10.0.0.1 50000 10.0.0.2 22' };
  const { type, until } = await openTerminal('$PLUGBOARD login srv', { authority, context, env, columns: 70 });
  const screen = await until(QUESTION);
  const { url } = await browse(addressOn(screen), { visits: false });
  const { port } = new URL(url);
  expect(screen).toContain('Plugboard could not open a browser.');
  expect(screen).toContain(`ssh -L ${port}:localhost:${port} HOST`);
  type('https://example.com/', 'Enter');
  expect(await until('Copy the whole address')).toContain('That is not the address that the sign-in to "srv" ended at');
  const other = url.replace(/state=\w+/u, 'state=other');
  type(other, 'Enter');
  expect(await until('That address belongs to another sign-in')).toContain(`${QUESTION} ${other}\n`);
  // The URL is longer than the screen is wide: the countdown goes on, and the typed text stays whole.
  type(url);
  const timeOn = (shown: string): string | undefined => {
    const line = shown.split('\n').find((one) => one.endsWith(`${QUESTION} ${url}`));
    return /\d:\d\d(?= left)/u.exec(line ?? '')?.[0];
  };
  const first = timeOn(await until(`${QUESTION} ${url}`));
  await until((shown) => timeOn(shown) !== first);
  type('Enter');
  const end = await until('[ended 0]');
  expect(end).toMatch(/srv: http:.* - ✔ connected/u);
});

test.for([
  { title: 'Ctrl-C at the question', keys: ['C-c'], flags: '' },
  ...(process.env['PLUGBOARD_FULL'] === undefined
    ? []
    : [
        { title: 'Ctrl-D at the question', keys: ['C-d'], flags: '' },
        { title: 'Ctrl-C while a code is waited for', keys: ['C-c'], flags: '--device' },
      ]),
])('$title leaves, and nobody is signed in', async ({ keys, flags }, context) => {
  const opening: Promise<Authority & AsyncDisposable> = flags === '' ? openStrictServer() : openDeviceAuthority();
  const authority = await keeping(opening);
  const script = `$PLUGBOARD login srv ${flags}; echo "[left $?]"; $PLUGBOARD tools srv`;
  const { type, until } = await openTerminal(script, { authority, context });
  await until(flags === '' ? QUESTION : 'Waiting, ');
  type(...keys);
  const end = await until('[ended 4]');
  expect(end).toContain('[left 130]');
  const again = `plugboard login srv ${flags}`.trim();
  expect(end).toContain(`error: Not signed in to "srv": stopped before it was done\n  → ${again}\n`);
});

test.runIf(process.env['PLUGBOARD_FULL'])('--timeout ends the wait at a terminal, too', async (context) => {
  const authority = await keeping(openStrictServer());
  const script = '$PLUGBOARD login srv --no-browser --timeout 3000';
  const { until } = await openTerminal(script, { authority, context });
  await until(QUESTION);
  const end = await until('[ended 124]');
  expect(end).toContain('login took longer than --timeout 3000 ms');
  expect(end).not.toContain(QUESTION);
});

test('with a code for another device', async (context) => {
  const authority = await keeping(openDeviceAuthority());
  const { until } = await openTerminal('$PLUGBOARD login srv --device', { authority, context });
  const screen = await until('left (Ctrl-C stops)');
  expect(screen).toMatch(/^Waiting, 1\d:\d\d left/mu);
  expect(screen).toContain(`open this address:\n\n${authority.issuer}/go\n`);
  expect(screen).toContain('and type in this code:\n\nWDJB-MJHT\n');
  authority.approve();
  const end = await until('[ended 0]');
  expect(end).not.toContain('Waiting');
  expect(end).toMatch(/srv: http:.* - ✔ connected/u);
});
