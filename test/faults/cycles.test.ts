import { expect, test } from 'vitest';
import { openScene } from '../host/scene.js';
import { bundleChildHost, openChildHost } from './child-host.js';
import type { Size } from './child-host-program.js';
import { checkHistory } from './history.js';
import { watchLeftovers } from './leftovers.js';

// Fault F05: servers on stdio that connect and close again and again leave nothing behind in the host.

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const CYCLES = FULL ? 1_000 : 6;
const WARM_UP = FULL ? 20 : 2;
const HEAP_BYTES = 5 * 1024 * 1024;

test(`F05: ${CYCLES} hosts that are opened, used and closed, and as many connections made anew, leave nothing`, async () => {
  using program = await bundleChildHost();
  const leftovers = watchLeftovers();
  await using scene = openScene();
  scene.configure({ notes: scene.journaling(leftovers.env) });
  await using host = await openChildHost(program, scene, { mark: leftovers.env, flags: ['--expose-gc'] });
  await host.ask('settled');
  const open = { name: 'mcp__notes__append' };
  const reconnect = { name: 'notes' };
  // Warm-up: what is loaded and allocated once is not a leak.
  await host.ask('cycles', { ...open, count: WARM_UP });
  await host.ask('reconnects', { ...reconnect, count: WARM_UP });
  const before = await host.ask('size');
  const outcomes = await host.ask('cycles', { ...open, count: CYCLES });
  const between = await host.ask('size');
  expect(await host.ask('reconnects', { ...reconnect, count: CYCLES })).toMatchObject({ status: 'connected' });
  const after = await host.ask('size');
  await host[Symbol.asyncDispose]();
  const { processes, descriptors } = await leftovers.count();
  const ran = scene.ran().filter((line) => line.startsWith(`append ${CYCLES}-`));
  const { ok = 0, error = 0, unknown = 0 } = outcomes;
  const verdict = {
    calls: CYCLES,
    ok,
    error,
    unknown,
    lost: CYCLES - ok - error - unknown,
    duplicated: ran.length - new Set(ran).size,
    lies: ok - new Set(ran).size,
  };
  const grown = (kind: keyof Size): string => `${between[kind] - before[kind]} and ${after[kind] - between[kind]}`;
  checkHistory('F05', verdict, {
    'bytes of heap': grown('heap'),
    'descriptors of the host': grown('descriptors'),
    listeners: grown('listeners'),
    warnings: after.warnings,
    processes,
    descriptors,
  });
  expect(verdict.ok).toBe(CYCLES);
  expect(scene.starts()).toHaveLength(1 + 2 * (WARM_UP + CYCLES));
  expect([grown('descriptors'), grown('listeners'), after.warnings]).toEqual(['0 and 0', '0 and 0', 0]);
  expect(between.heap - before.heap).toBeLessThan(HEAP_BYTES);
  expect(after.heap - between.heap).toBeLessThan(HEAP_BYTES);
  expect([processes, descriptors]).toEqual([0, 0]);
  expect(host.stderr()).toBe('');
});
