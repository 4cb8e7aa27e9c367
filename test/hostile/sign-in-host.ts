import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { HostError } from '../../src/base/errors.js';
import { unreachable } from '../../src/base/never.js';
import type { BrowserSignIn } from '../../src/auth/sign-in.js';
import { Host } from '../../src/host/host.js';
import { NEXT_TEXT, SERVER, type Step } from './figures.js';
import type { SignInFigures, SignInJob, Toll } from './sign-in-figures.js';
import { watchMemory, watchStall } from './watch.js';

/**
 * Hosts that sign in to hostile servers, in a process of their own: a line of JSON on stdin is a job, a line on stdout what became of
 * it, in whichever order they end. An empty line: the toll of all that came since the last one.
 */
const CALL_MS = 10_000;
const PAUSE_MS = 5;
const VISIT_MS = 5000;

let watches = { stall: watchStall(), memory: watchMemory() };
for await (const line of createInterface({ input: process.stdin })) {
  if (line === '') {
    const toll: Toll = {
      growthMb: watches.memory.stop(),
      ...watches.stall.stop(),
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
  const host = await Host.open({
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, PLUGBOARD_KEYCHAIN: 'off' },
    managedDirectories: [],
    mcpConfig: [JSON.stringify({ mcpServers: { [SERVER]: entry, good: { type: 'http', url: good } } })],
    strict: true,
    watch: false,
    permissions: { mode: 'bypass' },
  });
  await host.settled();
  const calls = callNeighbour(host);
  const { status = 'absent', error } = host.server(SERVER) ?? {};
  const refusal: Step = { ms: 0, text: '', ...(error && { error }) };
  const signedIn = await signIn(host, deadlineMs);
  const rest = signedIn.end === 'signed-in' ? await walk(host) : {};
  const neighbour = await calls.stop();
  const began = performance.now();
  await host[Symbol.asyncDispose]();
  return { mode, status, refusal, ...signedIn, ...rest, neighbour, closeMs: Math.round(performance.now() - began) };
}

type SignedIn = Pick<SignInFigures, 'signIn' | 'end' | 'page' | 'scopes'>;

async function signIn(host: Host, deadlineMs: number): Promise<SignedIn> {
  const began = performance.now();
  const step = (error?: HostError): Step => ({
    ms: Math.round(performance.now() - began),
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

/** As a browser would, up to where it is led: that is handed back. Undefined: the host has taken it. */
async function visit(begun: BrowserSignIn): Promise<HostError | undefined> {
  const { url } = begun;
  const { protocol } = new URL(url);
  // Nothing that is not a page is ever asked for: that it came this far is told by the verdict.
  if (protocol !== 'http:') return new HostError('internal', `${SERVER}: a page at ${protocol}`, {});
  const location = await new Promise<string | undefined>((resolve, reject) => {
    const asked = request(url, { timeout: VISIT_MS }, (reply) => {
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

async function walk(host: Host): Promise<Pick<SignInFigures, 'list' | 'call' | 'next'>> {
  const began = performance.now();
  await connectedAgain(host);
  await host.settled();
  const tools = host.tools().filter(({ server }) => server === SERVER);
  const error = host.server(SERVER)?.error;
  const list = {
    ms: Math.round(performance.now() - began),
    text: '',
    tools: tools.map(({ tool: name }) => ({ name, description: '' })),
    ...(error && { error }),
  };
  const call = await use(host, 'attack', {});
  const next = await use(host, 'echo', { text: NEXT_TEXT });
  return { list, call, next };
}

/** It is connected by itself once somebody has signed in, a moment later. */
function connectedAgain(host: Host): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (host.server(SERVER)?.status === 'needs-auth') return;
      watch[Symbol.dispose]();
      clearTimeout(timer);
      resolve();
    };
    const watch = host.on('server', look);
    const timer = setTimeout(resolve, CALL_MS);
    look();
  });
}

async function use(host: Host, tool: string, input: Record<string, unknown>, server = SERVER): Promise<Step> {
  const name = `mcp__${server}__${tool}`;
  const { ms, content, error, outcome } = await host.call({ name, input, timeoutMs: CALL_MS, shape: 'raw' });
  const [text = ''] = content.flatMap(({ text: one }) => (typeof one === 'string' ? [one] : []));
  if (outcome === 'ok') return { ms, text };
  return { ms, text: '', error: error ? toView(error) : { code: 'tool', message: text, hint: '' } };
}

function toView({ code, message, hint = '' }: HostError): NonNullable<Step['error']> {
  return { code, message, hint };
}

function callNeighbour(host: Host): { stop(): Promise<SignInFigures['neighbour']> } {
  const over = new AbortController();
  let [calls, slowestMs, failed] = [0, 0, ''];
  const run = async (): Promise<void> => {
    do {
      const { ms, text, error } = await use(host, 'echo', { text: `${calls}` }, 'good');
      if (error || text !== `${calls}`) failed = error?.message ?? `answered ${text}`;
      slowestMs = Math.max(slowestMs, ms);
      calls++;
      await new Promise((resolve) => {
        setTimeout(resolve, PAUSE_MS);
      });
    } while (!over.signal.aborted);
  };
  const running = run();
  return {
    async stop() {
      over.abort();
      await running;
      return { calls, slowestMs: Math.round(slowestMs), failed };
    },
  };
}
