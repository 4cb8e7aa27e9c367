import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { HostError } from '../../src/base/errors.js';
import { unreachable } from '../../src/base/never.js';
import type { BrowserSignIn } from '../../src/auth/sign-in.js';
import { Host } from '../../src/host/host.js';
import { NEXT_TEXT, SERVER, type Step } from './figures.js';
import type { SignInFigures, SignInJob, Toll } from './sign-in-figures.js';
import { NeighbourCalls } from './neighbour.js';
import { watchMemory, watchStall } from './watch.js';
import { WatchedClock } from './watched-clock.js';

/**
 * Hosts that sign in to hostile servers, as a process. A line of JSON on stdin is a `SignInJob`, a line on stdout the
 * `SignInFigures` of one, in the order in which they end. An empty line asks for the `Toll` since the last one.
 */
const TIMEOUT_MS = 300_000; // guards against a hang: healthy servers answer much sooner

let watches = { stall: watchStall(), memory: watchMemory() };
for await (const line of createInterface({ input: process.stdin })) {
  if (line === '') {
    const toll: Toll = {
      growthMb: watches.memory.stop(),
      stallMs: watches.stall.stop(),
      isPolluted: 'polluted' in {},
    };
    process.stdout.write(`${JSON.stringify(toll)}\n`);
    globalThis.gc?.();
    watches = { stall: watchStall(), memory: watchMemory() };
  } else void suffer(JSON.parse(line) as SignInJob).then((figures) => say(figures));
}
watches.stall.stop();
watches.memory.stop();

function say(figures: SignInFigures): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

async function suffer({ mode, url, good, folder, deadlineMs, oauth }: SignInJob): Promise<SignInFigures> {
  const entry = { type: 'http', url, ...(oauth && { oauth }) };
  const calls = new NeighbourCalls(async (text) => {
    const { text: answer, error } = await use({ host, clock }, 'echo', { text }, 'good');
    return error?.message ?? answer;
  });
  const clock = new WatchedClock(() => calls.nextAnswer());
  const host = await Host.open({
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, PLUGBOARD_KEYCHAIN: 'off' },
    managedDirectories: [],
    mcpConfig: [JSON.stringify({ mcpServers: { [SERVER]: entry, good: { type: 'http', url: good } } })],
    strict: true,
    watch: false,
    permissions: { mode: 'bypass' },
    ports: { clock },
  });
  await host.settled();
  calls.start();
  const { status = 'absent', error } = host.server(SERVER) ?? {};
  const refusal: Step = { ms: 0, waitedMs: 0, text: '', ...(error && { error }) };
  const watched = { host, clock };
  const signedIn = await signIn(watched, deadlineMs);
  const rest = signedIn.end === 'signed-in' ? await walk(watched) : {};
  const neighbour = await calls.stop();
  const time = watchTime(clock);
  await host[Symbol.asyncDispose]();
  return { mode, status, refusal, ...signedIn, ...rest, neighbour, close: time() };
}

interface Watched {
  readonly host: Host;
  readonly clock: WatchedClock;
}

function watchTime(clock: WatchedClock): () => Pick<Step, 'ms' | 'waitedMs'> {
  clock.takeLongest();
  const began = performance.now();
  return () => ({ ms: Math.round(performance.now() - began), waitedMs: clock.takeLongest() });
}

type SignedIn = Pick<SignInFigures, 'signIn' | 'end' | 'page' | 'scopes'>;

async function signIn({ host, clock }: Watched, deadlineMs: number): Promise<SignedIn> {
  const time = watchTime(clock);
  const step = (error?: HostError): Step => ({
    ...time(),
    text: '',
    ...(error && { error: toView(error) }),
  });
  const begun = await host.signIn(SERVER, { signal: AbortSignal.timeout(deadlineMs) });
  switch (begun.kind) {
    case 'done':
      return { signIn: step(), end: 'signed-in' };
    case 'failed':
      return { signIn: step(begun.error), end: 'failed' };
    case 'device':
      begun.cancel();
      return { signIn: step(), end: 'cancelled' };
    case 'browser': {
      const { url: page, scopes } = begun;
      const untaken = await visit(begun);
      if (untaken) begun.cancel();
      const end = await begun.done;
      const failure = untaken ?? (end.kind === 'failed' ? end.error : undefined);
      return { signIn: step(failure), end: untaken ? 'failed' : end.kind, page, scopes: scopes.length };
    }
    default:
      return unreachable(begun);
  }
}

/** Visits the page as a browser would and submits where it redirects to. undefined: the host has accepted it. */
async function visit(begun: BrowserSignIn): Promise<HostError | undefined> {
  const { url } = begun;
  const { protocol } = new URL(url);
  // Only http: pages are requested. For another URL the verdict reports this error: the host let the URL through.
  if (protocol !== 'http:') return new HostError('internal', `${SERVER}: a page at ${protocol}`, {});
  const location = await new Promise<string | undefined>((resolve, reject) => {
    const asked = request(url, { timeout: TIMEOUT_MS }, (reply) => {
      reply.resume();
      resolve(reply.headers.location);
    });
    asked
      .once('timeout', () => asked.destroy())
      .once('error', reject)
      .end();
  });
  if (location === undefined) return new HostError('internal', `${SERVER}: the page led nowhere`, {});
  return begun.submit(location);
}

async function walk(watched: Watched): Promise<Pick<SignInFigures, 'list' | 'call' | 'next'>> {
  const { host, clock } = watched;
  const time = watchTime(clock);
  await connectedAgain(host);
  await host.settled();
  const tools = host.tools().filter(({ server }) => server === SERVER);
  const error = host.server(SERVER)?.error;
  const list = {
    ...time(),
    text: '',
    tools: tools.map(({ tool: name }) => ({ name, description: '' })),
    ...(error && { error }),
  };
  const call = await use(watched, 'attack', {});
  const next = await use(watched, 'echo', { text: NEXT_TEXT });
  return { list, call, next };
}

/** Waits for the reconnect that follows a sign-in. */
function connectedAgain(host: Host): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (host.server(SERVER)?.status === 'needs-auth') return;
      watch[Symbol.dispose]();
      clearTimeout(timer);
      resolve();
    };
    const watch = host.on('server', look);
    const timer = setTimeout(resolve, TIMEOUT_MS);
    look();
  });
}

async function use(
  { host, clock }: Watched,
  tool: string,
  input: Record<string, unknown>,
  server = SERVER,
): Promise<Step> {
  const name = `mcp__${server}__${tool}`;
  const time = watchTime(clock);
  const { content, error, outcome } = await host.call({ name, input, timeoutMs: TIMEOUT_MS, shape: 'raw' });
  const [text = ''] = content.flatMap(({ text: one }) => (typeof one === 'string' ? [one] : []));
  if (outcome === 'ok') return { ...time(), text };
  return { ...time(), text: '', error: error ? toView(error) : { code: 'tool', message: text, hint: '' } };
}

function toView({ code, message, hint = '' }: HostError): NonNullable<Step['error']> {
  return { code, message, hint };
}
