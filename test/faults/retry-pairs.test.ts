import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/edge/clock.js';
import type { Host } from '../../src/host/host.js';
import type { Clock } from '../../src/model/clock.js';
import { MAX_ATTEMPTS, RETRIES } from '../../src/model/retries.js';
import { turn } from '../fake-clock.js';
import { openScene } from '../host/scene.js';
import { SessionServer } from '../host/session-server.js';
import { checkHistory, History } from './history.js';
import { watchLeftovers } from './leftovers.js';
import { ModernServer } from './modern-server.js';
import { type Cause, CAUSES, FailureServer } from './retry-server.js';
import { SkippingClock } from './skipping-clock.js';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
/** `put` is idempotent, so it is retried like `read`; the short run leaves it out. */
const TOOLS = FULL ? (['read', 'put', 'append'] as const) : (['read', 'append'] as const);
const BACKOFF_MS = 30_000;

interface Scenario {
  readonly name: string;
  readonly tool: 'read' | 'put' | 'append';
  readonly script: readonly Cause[];
  readonly server: FailureServer;
  readonly cancel: AbortController;
}

/** All pairs of causes; for a modern server only those with `header-mismatch`: the legacy server covers the rest. */
function pairsOf(era: 'legacy' | 'modern'): readonly (readonly Cause[])[] {
  const all = CAUSES[era].flatMap((first) => CAUSES[era].map((second): readonly Cause[] => [first, second]));
  const telling = all.filter((pair) => era === 'legacy' || pair.includes('header-mismatch'));
  // After a cause that is never retried the second cause has no effect.
  return FULL ? telling : telling.filter(([first, second]) => first === second || ruleOf(first!).repeats !== 'none');
}

/** The outcome that the table `RETRIES` prescribes, computed in the simplest way. */
function expected({ tool, script }: Scenario): { outcome: string; met: readonly Cause[] } {
  const isSafe = tool !== 'append';
  const met: Cause[] = [];
  for (const cause of script) {
    met.push(cause);
    const { repeats, times } = ruleOf(cause);
    const isRisky = met.some((one) => ruleOf(one).mayHaveRun);
    const isRepeated = repeats === 'all' ? isSafe || !isRisky : repeats === 'safe' && isSafe;
    const isAgain = isRepeated && met.filter((one) => one === cause).length <= times && met.length < MAX_ATTEMPTS;
    if (!isAgain) return { outcome: isRisky && cause !== 'answered' ? 'unknown' : 'error', met };
  }
  return { outcome: 'ok', met };
}

function ruleOf(cause: Cause): (typeof RETRIES)[number] {
  return RETRIES.find(({ failure }) => failure === cause)!;
}

/** What the server must have seen: the requests and the calls that ran. */
function wantedOf(scenario: Scenario): Seen {
  const { name } = scenario;
  const { outcome, met } = expected(scenario);
  const isOk = outcome === 'ok' ? 1 : 0;
  const asked = met.filter((cause) => cause !== 'unsent').length + isOk;
  const ran = met.filter((cause) => ['cut', 'unavailable', 'broken', 'cancelled'].includes(cause)).length + isOk;
  return { name, outcome, asked, ran };
}

interface Seen {
  readonly name: string;
  readonly outcome: string;
  readonly asked: number;
  readonly ran: number;
}

test.each(['legacy', 'modern'] as const)(
  'whatever two setbacks follow one another, a call to a %s server ends once, as the table says, and nothing with effects runs twice',
  async (era) => {
    const leftovers = watchLeftovers();
    await using scene = openScene();
    const scenarios = pairsOf(era).flatMap((script) =>
      TOOLS.map((tool): Scenario => {
        const cancel = new AbortController();
        const fateful = era === 'modern' ? new ModernServer() : new SessionServer();
        const server = new FailureServer(fateful, script, () => cancel.abort());
        return { name: `${tool}-${script.join('-')}`, tool, script, server, cancel };
      }),
    );
    const close = (): Promise<unknown> => Promise.all(scenarios.map(({ server }) => server[Symbol.asyncDispose]()));
    onTestFinished(async () => void (await close()));
    await Promise.all(scenarios.map(({ server }) => server.server.listen()));
    const entries = scenarios.map(({ name, server }) => [name, { type: 'http', url: server.server.url }]);
    scene.configure(Object.fromEntries(entries));
    const clock = new SkippingClock();
    // Each reconnect skips the clock of all servers, which must not time out a connect on a busy machine.
    const env = { ...scene.env, MCP_TIMEOUT: '100000000' };
    const { host } = await scene.open({ watch: false, ports: { clock }, env });
    await host.settled();
    expect(host.servers().filter(({ status }) => status !== 'connected')).toEqual([]);
    host.on('server', ({ name, after }) => {
      if (after !== 'reconnecting') return;
      // Restarts the server and skips the backoff.
      const { server } = scenarios.find((one) => one.name === name)!;
      void server.comeBack().then(() => clock.skip(BACKOFF_MS));
    });

    await Promise.all(scenarios.map(({ server }) => server.begin()));
    for (let turns = 0; turns < 10; turns++) await turn(); // the host notices the connections that have ended
    const histories = scenarios.map(
      ({ name, cancel: { signal } }) =>
        new History({ call: (request) => host.call({ ...request, signal }) } as Host, name),
    );
    const began = performance.now();
    const results = await Promise.all(histories.map((history, index) => history.call(scenarios[index]!.tool)));
    const ms = Math.round(performance.now() - began);

    const seen = scenarios.map(({ name, server }, index): Seen => {
      const { outcome } = results[index]!;
      return { name, outcome, asked: server.asked, ran: server.server.ran.length };
    });
    const verdicts = histories.map((history, index) => history.judge(scenarios[index]!.server.server.ran));
    const sum = (kind: keyof (typeof verdicts)[number]): number => verdicts.reduce((all, one) => all + one[kind], 0);
    await scene[Symbol.asyncDispose]();
    await close();
    const { processes, descriptors } = await leftovers.count();
    checkHistory(
      `retries in pairs, ${era}`,
      {
        calls: sum('calls'),
        ok: sum('ok'),
        error: sum('error'),
        unknown: sum('unknown'),
        lost: sum('lost'),
        duplicated: sum('duplicated'),
        lies: sum('lies'),
      },
      { 'all within': `${ms} ms`, processes, descriptors },
    );
    expect(seen).toEqual(scenarios.map(wantedOf));
    expect(Math.max(...scenarios.map(({ server }) => server.asked))).toBeLessThanOrEqual(MAX_ATTEMPTS);
    expect(Math.max(...results.map(({ attempts }) => attempts))).toBeLessThanOrEqual(MAX_ATTEMPTS);
    expect([processes, descriptors]).toEqual([0, 0]);
  },
);

test('a call that was cancelled before it was made has done nothing, and says so', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  scene.configure({ remote: { type: 'http', url: server.url } });
  const cancel = new AbortController();
  const after: Clock['after'] = (ms, run) => {
    if (ms === 4_000) queueMicrotask(() => cancel.abort());
    return systemClock.after(ms, run);
  };
  const { host } = await scene.open({ watch: false, ports: { clock: { ...systemClock, after } } });
  await host.settled();
  server.refuse = (method) => (method === 'tools/call' ? { status: 429, headers: { 'retry-after': '4' } } : undefined);
  // The server refused the call without running it, and the caller cancels during the wait before the retry.
  const paused = await host.call({ name: 'mcp__remote__append', signal: cancel.signal });
  expect(paused).toMatchObject({ outcome: 'error', attempts: 1, error: { code: 'cancelled' } });
  const late = await host.call({ name: 'mcp__remote__append', signal: cancel.signal });
  expect(late).toMatchObject({ outcome: 'error', attempts: 0, error: { code: 'cancelled' } });
  expect(server.ran).toEqual([]);
});

test('a call that may have been done and is not asked for again says that nobody knows', async () => {
  await using scene = openScene();
  await using server = await new SessionServer().listen();
  scene.configure({ remote: { type: 'http', url: server.url } });
  const { host } = await scene.open({ watch: false });
  await host.settled();
  server.refuse = (method) =>
    method === 'tools/call' ? { status: 503, headers: { 'retry-after': '3600' } } : undefined;
  const result = await host.call({ name: 'mcp__remote__read' });
  expect(result).toMatchObject({ outcome: 'unknown', attempts: 1, error: { code: 'http-failed' } });
  expect(result.error?.message).toMatch(/whether it was done is unknown$/u);
});
