// F08: many calls over twenty servers, half of them on stdio and half over HTTP, long enough to show a memory leak.
import { expect, test } from 'vitest';
import { openScene } from '../host/scene.js';
import { openCrowd, tallyOf, tallyOnStdio } from './crowd.js';
import { IS_FULL, possessions, quantile, slope, tell } from './load-figures.js';

const CALLS = IS_FULL ? 1_000_000 : 5_000;
const SERVERS = IS_FULL ? 20 : 6;
/** Each caller waits for a response before its next call. */
const CALLERS = IS_FULL ? 8 : 4;
const STAGES = IS_FULL ? 20 : 4;
/** Growth during these stages is not counted: code is compiled and caches fill. */
const SETTLED_STAGES = STAGES / 4;
const SLOPE_MB = 1;

test(`${CALLS} calls over ${SERVERS} servers are each run once, and cost neither memory nor time in the end`, async () => {
  await using crowd = await openCrowd();
  await using scene = openScene();
  const names = Array.from({ length: SERVERS }, (_, index) => `s${index}`);
  scene.configure(
    Object.fromEntries(names.map((name, index) => [name, index % 2 === 0 ? tallyOnStdio() : crowd.entry(name)])),
  );
  const { host, changes } = await scene.open({ watch: false });
  await host.settled();
  let ok = 0;
  let next = 0;
  const took = new Float64Array(CALLS).fill(0); // filled at once, so that it does not count as growth of the host
  const callUntil = async (name: string, end: number): Promise<void> => {
    while (next < end) {
      const key = next++;
      const began = performance.now();
      const { outcome, content } = await host.call({ name: `mcp__${name}__append`, input: { key } });
      took[key] = performance.now() - began;
      // The response must belong to this call.
      if (outcome === 'ok' && content[0]!['text'] === String(key)) ok++;
    }
  };
  const stages: { readonly calls: number; readonly rssMb: number; readonly heapMb: number; readonly p99: number }[] =
    [];
  const began = performance.now();
  for (let stage = 1; stage <= STAGES; stage++) {
    const from = next;
    const end = Math.round((CALLS * stage) / STAGES);
    await Promise.all(names.flatMap((name) => Array.from({ length: CALLERS }, () => callUntil(name, end))));
    const { rssMb, heapMb } = await possessions();
    stages.push({ calls: next, rssMb, heapMb, p99: quantile([...took.subarray(from, end)], 0.99) });
  }
  const seconds = (performance.now() - began) / 1e3;
  let [lost, duplicated] = [CALLS, 0];
  for (const name of names) {
    const { ran, twice } = await tallyOf(host, name);
    lost -= ran;
    duplicated += twice;
  }
  const settled = stages.slice(SETTLED_STAGES);
  const half = Math.floor(settled.length / 2);
  const middle = (some: typeof settled): number =>
    quantile(
      some.map(({ p99 }) => p99),
      0.5,
    );
  const [early, late] = [middle(settled.slice(0, half)), middle(settled.slice(-half))];
  const rssSlopeMb = slope(settled.map(({ calls, rssMb }) => [calls / 1e5, rssMb]));
  const heapSlopeMb = slope(settled.map(({ calls, heapMb }) => [calls / 1e5, heapMb]));
  tell('F08', {
    calls: CALLS,
    servers: SERVERS,
    ok,
    lost,
    duplicated,
    reconnects: changes.length - 2 * SERVERS,
    p99EarlyMs: early,
    p99LateMs: late,
    ...(IS_FULL && { rssSlopeMb, heapSlopeMb }),
    rssMb: stages.at(-1)!.rssMb,
    callsPerSecond: CALLS / seconds,
  });
  expect({ ok, lost, duplicated }).toEqual({ ok: CALLS, lost: 0, duplicated: 0 });
  expect(changes).toHaveLength(2 * SERVERS);
  if (!IS_FULL) return;
  expect(rssSlopeMb).toBeLessThan(SLOPE_MB);
  expect(late).toBeLessThan(early * 1.5);
});
