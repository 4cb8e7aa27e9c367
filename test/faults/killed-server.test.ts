import { join } from 'node:path';
import { expect, test } from 'vitest';
import { turn } from '../fake-clock.js';
import { isRunning, openScene } from '../host/scene.js';
import { checkHistory, History, readJournal } from './history.js';
import { watchLeftovers } from './leftovers.js';
import { percentiles, showPercentiles } from './percentiles.js';
import { SkippingClock } from './skipping-clock.js';

// Fault F01: a server is killed in the middle of calls.

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const KILLS = FULL ? 1_000 : 8;
const SERVERS = FULL ? 36 : 4;
const AT_ONCE = 4; // more would measure how fast this machine starts processes
// Measured only on an otherwise idle machine; in `npm test` other tests run at the same time.
const REJECTS_MS = FULL ? 100 : Infinity;
const RECOVERS_MS = FULL ? 2_000 : Infinity;
const BACKOFF_MS = 1_000;
const STEADY_MS = 60_000;
const LONGEST_CALL_MS = 30;

test(`F01: whoever calls a server that is killed ${KILLS} times hears of it at once, and nothing is done twice`, async () => {
  const leftovers = watchLeftovers();
  await using scene = openScene();
  scene.configure({ notes: scene.journaling(leftovers.env) });
  const clock = new SkippingClock();
  const { host, changes } = await scene.open({ watch: false, ports: { clock } });
  await host.settled();
  const history = new History(host, 'notes');
  const rejections: number[] = [];
  const restarts: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    // After `STEADY_MS` of connection the count of reconnect attempts starts again at zero.
    clock.skip(STEADY_MS);
    const pid = scene.starts().at(-1)!;
    const calls = (['append', 'read', 'put', 'append'] as const).map((tool, index) =>
      history.call(tool, { ms: (kill * 7 + index * 11) % LONGEST_CALL_MS }),
    );
    const begun = scene.ran().length;
    // Kills the server before it has read anything, after it has begun a call, or after a response.
    if (kill % 3 > 0) while (scene.ran().length < begun + 1) await turn();
    if (kill % 3 > 1) await calls[0];
    const killed = performance.now();
    process.kill(pid, 'SIGKILL');
    // The host cannot know of the kill yet.
    calls.push(history.call('append'), history.call('read'));
    const marked = history.records.slice(-calls.length);
    while (changes.at(-1)?.after !== 'reconnecting') await turn();
    clock.skip(BACKOFF_MS);
    await Promise.all(calls);
    restarts.push(performance.now() - killed);
    for (const { ended, result } of marked) if (result?.outcome === 'unknown') rejections.push(ended - killed);
    expect(host.server('notes')).toMatchObject({ status: 'connected' });
    expect(isRunning(pid)).toBe(false);
  }
  const verdict = history.judge(readJournal(scene.journal));
  await scene[Symbol.asyncDispose]();
  const rejected = percentiles(rejections);
  const { processes, descriptors } = await leftovers.count();
  checkHistory('F01', verdict, {
    kills: KILLS,
    rejected: showPercentiles(rejected),
    'back without the backoff': showPercentiles(percentiles(restarts)),
    processes,
    descriptors,
  });
  expect(verdict.unknown).toBeGreaterThanOrEqual(KILLS / 2);
  expect(verdict.error).toBe(0);
  expect(rejected.p95).toBeLessThan(REJECTS_MS);
  expect([processes, descriptors]).toEqual([0, 0]);
});

test(`F01: ${SERVERS} servers that are killed, ${AT_ONCE} at once, are back soon by the clock on the wall`, async () => {
  const leftovers = watchLeftovers();
  await using scene = openScene();
  const names = Array.from({ length: SERVERS }, (_, index) => `notes-${index}`);
  const journals = new Map(names.map((name) => [name, join(scene.home, `${name}.txt`)]));
  scene.configure(
    Object.fromEntries(
      names.map((name) => [name, scene.journaling({ JOURNAL: journals.get(name)!, ...leftovers.env })]),
    ),
  );
  const { host, until } = await scene.open({ watch: false });
  await host.settled();
  const histories = names.map((name) => new History(host, name));
  const first = await Promise.all(histories.map((history) => history.call('append')));
  expect(first.map(({ outcome }) => outcome)).toEqual(names.map(() => 'ok'));

  const recoveries: number[] = [];
  const pids = names.map((_, index) => Number(readJournal(journals.get(names[index]!)!)[0]!.split(' ')[2]));
  for (let from = 0; from < SERVERS; from += AT_ONCE) {
    const killed = performance.now();
    for (const pid of pids.slice(from, from + AT_ONCE)) process.kill(pid, 'SIGKILL');
    await Promise.all(
      histories.slice(from, from + AT_ONCE).map(async (history, index) => {
        await until(({ name, after }) => name === names[from + index] && after === 'reconnecting');
        // A call that is made now waits until the server is back.
        await history.call('append');
        recoveries.push(performance.now() - killed);
      }),
    );
  }
  const recovered = percentiles(recoveries);
  const verdicts = histories.map((history, index) => history.judge(readJournal(journals.get(names[index]!)!)));
  await scene[Symbol.asyncDispose]();
  const { processes, descriptors } = await leftovers.count();
  for (const verdict of verdicts.slice(1)) expect(verdict).toEqual(verdicts[0]);
  checkHistory(`F01, each of ${SERVERS} servers`, verdicts[0]!, {
    recovered: showPercentiles(recovered),
    processes,
    descriptors,
  });
  expect(verdicts[0]).toMatchObject({ calls: 2, ok: 2 });
  expect(recovered.max).toBeLessThan(RECOVERS_MS);
  expect([processes, descriptors]).toEqual([0, 0]);
});

test.runIf(FULL).each(['stderr', 'stdout'])(
  'F01: whoever calls a server whose child holds on to its %s hears of its end as well, and the child goes with it',
  async (CHILD) => {
    const leftovers = watchLeftovers();
    await using scene = openScene();
    scene.configure({ notes: scene.journaling({ CHILD, ...leftovers.env }) });
    const clock = new SkippingClock();
    const { host, changes } = await scene.open({ watch: false, ports: { clock } });
    await host.settled();
    const history = new History(host, 'notes');
    const rejections: number[] = [];
    for (let kill = 0; kill < 10; kill++) {
      clock.skip(STEADY_MS);
      const call = history.call('append', { ms: 60_000 });
      while (scene.ran().length <= kill) await turn();
      const killed = performance.now();
      process.kill(scene.starts().at(-1)!, 'SIGKILL');
      await call;
      rejections.push(performance.now() - killed);
      while (changes.at(-1)?.after !== 'reconnecting') await turn();
      clock.skip(BACKOFF_MS);
      while (changes.at(-1)?.after !== 'connected') await turn();
    }
    const verdict = history.judge(readJournal(scene.journal));
    await scene[Symbol.asyncDispose]();
    const rejected = percentiles(rejections);
    const { processes, descriptors } = await leftovers.count();
    checkHistory(`F01, a child holds ${CHILD}`, verdict, {
      rejected: showPercentiles(rejected),
      processes,
      descriptors,
    });
    // The child keeps the server's pipe open, so the host waits for late output before it rejects the call.
    expect(rejected.max).toBeLessThan(1_000);
    expect([verdict.unknown, processes, descriptors]).toEqual([10, 0, 0]);
  },
);
