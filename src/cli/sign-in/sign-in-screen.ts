import type { BrowserSignIn, DeviceSignIn, SignInEnd } from '../../index.js';
import { parseUrl } from '../../base/parse-url.js';
import { HostError } from '../../base/errors.js';
import { showExact, showLine } from '../../model/show.js';
import { isPlain, screenColumns, styleFor } from '../output/style.js';
import { copyToClipboard, linkTo } from '../output/terminal-link.js';
import { clockText, drawTimeLeft, tellTimeLeft } from '../output/time-left.js';
import { wrapLine } from '../output/wrap.js';
import { errorLines } from '../output/error-lines.js';
import { toldErrorOf } from '../fail.js';
import { answeredRow, type Look, titleRows } from '../dialogs/frame.js';
import type { OpenDialog } from '../dialogs/open-dialog.js';
import { ownRows } from '../session/display/quoted-rows.js';
import type { PresentOptions } from '../../actions/action-context.js';
import type { ProgramRun } from '../verb.js';

export interface SignInScreenOptions extends ProgramRun, PresentOptions {
  readonly openDialog: () => OpenDialog;
}

/** Tells the user how to sign in and waits for the end. Leaving cancels the sign-in. Never rejects. */
export async function showSignIn(
  signIn: BrowserSignIn | DeviceSignIn,
  options: SignInScreenOptions,
): Promise<SignInEnd> {
  const { io } = options;
  if (!io.stdin.isTerminal || !io.stderr.isTerminal) return showUnattended(signIn, options);
  using dialog = options.openDialog();
  const shown = { ...options, io: dialog.io, look: dialog.look };
  const end = await (signIn.kind === 'browser' ? showBrowser(signIn, shown) : showDevice(signIn, shown));
  const isQuiet = options.invocation.has('quiet') && end.kind === 'signed-in';
  if (!isQuiet) dialog.fold(answeredRow(end.kind === 'signed-in', endText(end, options), dialog.look));
  return end;
}

function endText({ kind }: SignInEnd, { name }: SignInScreenOptions): string {
  if (kind === 'signed-in') return `Signed in to ${showExact(name)}`;
  return `The sign-in to ${showExact(name)} ${kind === 'cancelled' ? 'was cancelled' : 'failed'}`;
}

interface ShownOptions extends SignInScreenOptions {
  readonly look: Look;
}

async function showBrowser(signIn: BrowserSignIn, options: ShownOptions): Promise<SignInEnd> {
  const { io, openUrl, opensBrowser } = options;
  const { url, done } = signIn;
  const say = sayingTo(options);
  sayTitle(signIn, options);
  say(`Open this address in a browser${opensBrowser ? ', if it does not open by itself' : ''}:`);
  io.stderr.write(`\n${linkTo(url, io)}\n\n`);
  const ended = new AbortController();
  const end = done.finally(() => ended.abort());
  const isOpened = opensBrowser && (await Promise.race([openUrl(url), end.then(() => true)]));
  if (isOpened && !ended.signal.aborted)
    for (const line of ['Your browser should show that page now.', ...copyLines(options)]) say(line);
  if (!isOpened) for (const line of elsewhereLines(url, options)) say(line);
  if (io.stdin.askLive) await takePasted(signIn, { ...options, signal: ended.signal });
  else {
    using _ = timeLeft(signIn.expiresAt, options);
    await end;
  }
  return end;
}

/** For a browser on another machine, which cannot redirect to this one. */
function elsewhereLines(url: string, options: SignInScreenOptions): string[] {
  const { io, opensBrowser } = options;
  const port = callbackPort(url);
  const isRemote = ['SSH_CONNECTION', 'SSH_TTY'].some((name) => (io.env[name] ?? '') !== '');
  return [
    ...(opensBrowser ? ['Plugboard could not open a browser.'] : []),
    'If the browser is on another machine, its last page will not load: copy the address of that page and paste it here.',
    ...(isRemote && port !== undefined
      ? ['Or forward the port before you agree in the browser:', `  ssh -L ${port}:localhost:${port} HOST`]
      : []),
    ...copyLines(options),
  ];
}

function copyLines({ io }: SignInScreenOptions): string[] {
  return isPlain(io) ? [] : ['To copy the address above to your clipboard, type c and Enter.'];
}

function callbackPort(url: string): string | undefined {
  const target = new URL(url).searchParams.get('redirect_uri') ?? '';
  const port = parseUrl(target)?.port ?? '';
  return port === '' ? undefined : port;
}

/** Reads pasted redirect URLs until one is accepted or the sign-in has ended. */
async function takePasted(
  signIn: BrowserSignIn,
  { io, invocation, signal }: SignInScreenOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const style = styleFor(io.stderr, {
    env: io.env,
    isPlain: io.isPlain,
    noColor: invocation.has('no-color'),
  });
  const question = (): string =>
    `Waiting for the browser, ${clockText(signIn.expiresAt)} left. Or paste the redirect URL here: `;
  while (!signal.aborted) {
    const asked = isPlain(io) ? io.stdin.ask(question(), signal) : io.stdin.askLive!(question, signal);
    const line = await asked.catch((error: unknown) => {
      const isLeft = error instanceof HostError && error.code === 'cancelled';
      if (isLeft && !signal.aborted) signIn.cancel();
      return undefined;
    });
    if (line === undefined) return;
    const text = line.trim();
    if (text === '') continue;
    if (text === 'c' && !isPlain(io)) {
      copyToClipboard(signIn.url, io);
      io.stderr.write('Copied, if your terminal lets programs do that.\n');
      continue;
    }
    const wrong = await signIn.submit(text);
    if (!wrong) return;
    // An error that ended the sign-in is reported at its end.
    if (signal.aborted) return;
    const lines = errorLines(toldErrorOf(wrong), { style, columns: screenColumns(io.stderr) });
    io.stderr.write(`${lines.join('\n')}\n`);
  }
}

async function showDevice(signIn: DeviceSignIn, options: ShownOptions): Promise<SignInEnd> {
  const { io } = options;
  const { url, userCode, completeUrl } = signIn;
  const say = sayingTo(options);
  sayTitle(signIn, options);
  say('On any device, open this address:');
  io.stderr.write(`\n${linkTo(url, io)}\n\n`);
  say('and type in this code:');
  io.stderr.write(`\n${showLine(userCode)}\n\n`);
  if (completeUrl !== undefined) {
    say('Or open this address, which contains the code:');
    io.stderr.write(`\n${linkTo(completeUrl, io)}\n\n`);
  }
  using _ = timeLeft(signIn.expiresAt, options);
  return await signIn.done;
}

/** Without a user at the terminal, stdout has nothing but the address until the sign-in is done. */
async function showUnattended(signIn: BrowserSignIn | DeviceSignIn, options: SignInScreenOptions): Promise<SignInEnd> {
  const { io, invocation } = options;
  const say = sayingTo(options);
  say(headingOf(signIn, options));
  const out = invocation.has('json') ? io.stderr : io.stdout;
  const { url } = signIn;
  out.write(`${signIn.kind === 'browser' ? url : `Open ${url} and type in the code ${showLine(signIn.userCode)}`}\n`);
  using _ = timeLeft(signIn.expiresAt, options);
  return await signIn.done;
}

function sayTitle(signIn: BrowserSignIn | DeviceSignIn, options: ShownOptions): void {
  const { look, name, io, invocation } = options;
  if (invocation.has('quiet')) return;
  const rows = [
    ...titleRows(`Sign-in to ${showExact(name)}`, look),
    ...ownRows(headingOf(signIn, options), look.columns),
  ];
  io.stderr.write(`${rows.join('\n')}\n`);
}

function headingOf(signIn: BrowserSignIn | DeviceSignIn, { name }: SignInScreenOptions): string {
  const scopes = signIn.kind === 'browser' ? signIn.scopes : [];
  const more = scopes.length - SCOPES_SHOWN;
  const rights = [...scopes.slice(0, SCOPES_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
  const asks = rights === '' ? '' : `, which asks for these rights: ${rights}`;
  return showLine(`Signing in to ${showExact(name)} at ${signIn.host}${asks}`);
}

function timeLeft(until: number, { io, invocation }: SignInScreenOptions): Disposable {
  if (invocation.has('quiet')) return { [Symbol.dispose]() {} };
  if (io.stderr.isTerminal && !isPlain(io)) return drawTimeLeft(until, io);
  if (io.stderr.isTerminal) io.stderr.write(`Waiting, ${clockText(until)} left (Ctrl-C stops)\n`);
  return tellTimeLeft(until, io);
}

/** Writes lines that --quiet leaves out. */
function sayingTo({ io, invocation }: SignInScreenOptions): (line: string) => void {
  return (line) => {
    if (!invocation.has('quiet')) io.stderr.write(`${wrapLine(line, screenColumns(io.stderr), 2).join('\n')}\n`);
  };
}

const SCOPES_SHOWN = 20; // more than users read before they agree
