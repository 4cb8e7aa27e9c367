import { expect, test } from 'vitest';
import { turn } from '../fake-clock.js';
import { openScene } from '../host/scene.js';
import { checkHistory, History, readJournal } from './history.js';
import { watchLeftovers } from './leftovers.js';
import { percentiles, showPercentiles } from './percentiles.js';
import { SkippingClock } from './skipping-clock.js';
import { inside } from '../../src/host/inside.js';

// Fault F41: a server process is stopped (SIGSTOP) for a while and then continues.

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const STOPPED_MS = FULL ? 30_000 : 0;
const CALLS = FULL ? 300 : 60;
const TIMEOUT_MS = FULL ? 5_000 : 300_000;
const TOOLS = ['read', 'put', 'append'] as const;

test('F41: what a server answers after it stood still reaches nobody whose time was up', async () => {
  const leftovers = watchLeftovers();
  await using scene = openScene();
  const healthy = { ...leftovers.env, JOURNAL: '', STARTS: '' };
  scene.configure({ notes: scene.journaling(leftovers.env), healthy: scene.journaling(healthy) });
  const clock = new SkippingClock();
  const { host, changes } = await scene.open({
    watch: false,
    env: { ...scene.env, MCP_TOOL_TIMEOUT: `${TIMEOUT_MS}` },
    ports: { clock },
  });
  await host.settled();
  const [pid] = scene.starts();
  const history = new History(host, 'notes');
  const call = (index: number): Promise<unknown> => history.call(TOOLS[index % TOOLS.length]!);
  await Promise.all(Array.from({ length: CALLS }, (_, index) => call(index)));

  const stopped = performance.now();
  process.kill(pid!, 'SIGSTOP');
  const late = Array.from({ length: CALLS }, (_, index) => call(index));
  const lateRecords = history.records.slice(-CALLS);
  await turn();
  if (!FULL) clock.skip(TIMEOUT_MS);
  await Promise.all(late);
  const over = percentiles(lateRecords.map(({ began, ended }) => ended - began));
  // The neighbour still works, and a server that is only slow is not taken for a dead one.
  expect(await host.call({ name: 'mcp__healthy__read' })).toMatchObject({ outcome: 'ok' });
  expect(host.server('notes')?.status).toBe('connected');
  const rest = STOPPED_MS - (performance.now() - stopped);
  if (rest > 0) await new Promise((resolve) => void setTimeout(resolve, rest));

  // These calls are made before the server continues, so their responses come right behind the late ones.
  const waiting = Array.from({ length: CALLS }, (_, index) => call(index));
  await turn();
  const resumed = performance.now();
  process.kill(pid!, 'SIGCONT');
  await Promise.all(waiting);
  const recovered = percentiles(history.records.slice(-CALLS).map(({ ended }) => ended - resumed));
  const { peer } = host[inside].server('notes')!.connection!;
  const dropped = peer.stats.dropped;
  const verdict = history.judge(readJournal(scene.journal));
  await scene[Symbol.asyncDispose]();
  const { processes, descriptors } = await leftovers.count();
  checkHistory('F41', verdict, {
    dropped,
    swapped: history.records.filter(isSwapped).length,
    'time up after': showPercentiles(over),
    recovered: showPercentiles(recovered),
    processes,
    descriptors,
  });
  expect(verdict).toMatchObject({ ok: 2 * CALLS, unknown: CALLS });
  expect(lateRecords.map(({ result }) => result?.error?.code)).toEqual(lateRecords.map(() => 'call-timeout'));
  expect(dropped).toBe(CALLS);
  expect(peer.requests.size).toBe(0);
  expect(history.records.filter(isSwapped)).toEqual([]);
  expect(changes.filter(({ name }) => name === 'notes').map(({ after }) => after)).toEqual(['pending', 'connected']);
  expect([processes, descriptors]).toEqual([0, 0]);
});

/** Whether a call got the response of another call. */
function isSwapped({ tool, key, result }: History['records'][number]): boolean {
  return result?.outcome === 'ok' && result.content[0]?.['text'] !== `${tool} ${key}`;
}
