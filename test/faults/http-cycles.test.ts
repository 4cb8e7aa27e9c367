// F06: hosts that connect to an HTTP server and close again, over and over.
import { expect, test } from 'vitest';
import { Host } from '../../src/host/host.js';
import { openScene } from '../host/scene.js';
import { openCrowd } from './crowd.js';
import { IS_FULL, possessions, tell } from './load-figures.js';

const CYCLES = IS_FULL ? 1_000 : 40;
/** Until everything that is loaded and compiled once is in memory. */
const WARM_UP = IS_FULL ? 100 : 10;
const HEAP_MB = 5;

test(`${CYCLES} hosts that connect over HTTP and close leave nothing, neither here nor at the server`, async () => {
  await using crowd = await openCrowd();
  await using scene = openScene();
  scene.configure({ remote: crowd.entry('mcp') });
  const warnings: Error[] = [];
  const warn = (warning: Error): unknown => warnings.push(warning);
  process.on('warning', warn);
  let ok = 0;
  const cycle = async (): Promise<void> => {
    // Without the scene, which keeps every host that it has opened.
    await using host = await Host.open({
      cwd: scene.project,
      env: scene.env,
      managedDirectories: [],
      permissions: { mode: 'bypass' },
      watch: false,
    });
    await host.settled();
    const { outcome } = await host.call({ name: 'mcp__remote__read', input: { key: 1 } });
    if (outcome === 'ok') ok++;
  };
  for (let count = 0; count < WARM_UP; count++) await cycle();
  const before = await possessions();
  ok = 0;
  const began = performance.now();
  for (let count = 0; count < CYCLES; count++) await cycle();
  const cycleMs = (performance.now() - began) / CYCLES;
  const after = await possessions();
  process.off('warning', warn);
  const { sessions, streams, sockets, handshakes, deleted } = await crowd.figures();
  const left = {
    lost: CYCLES - ok,
    duplicated: 0,
    descriptors: after.descriptors - before.descriptors,
    listeners: after.listeners - before.listeners,
    sessions,
    streams,
    sockets,
    warnings: warnings.length,
  };
  tell('F06', { cycles: CYCLES, ...left, heapMb: after.heapMb - before.heapMb, cycleMs });
  expect(left).toEqual(Object.fromEntries(Object.keys(left).map((name) => [name, 0])));
  expect([handshakes, deleted]).toEqual([CYCLES + WARM_UP, CYCLES + WARM_UP]);
  expect(after.heapMb - before.heapMb).toBeLessThan(HEAP_MB);
});
