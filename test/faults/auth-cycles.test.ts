// F07: hosts that connect with a token and close again, over and over.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Host } from '../../src/host/host.js';
import { openStrictScene, signInOnce } from './auth-scene.js';
import { IS_FULL, possessions, tell } from './load-figures.js';

const CYCLES = IS_FULL ? 500 : 15;
const WARM_UP = IS_FULL ? 50 : 6;
/** The token expires in every third cycle. */
const EXPIRING = 3;

test(`F07: ${CYCLES} hosts that connect with a token and close leave nothing`, async () => {
  const strict = await openStrictScene();
  const { scene, authority } = strict;
  await signInOnce(strict);
  const warnings: Error[] = [];
  const warn = (warning: Error): unknown => warnings.push(warning);
  process.on('warning', warn);
  let ok = 0;
  const cycle = async (count: number): Promise<void> => {
    if (count % EXPIRING === 0) authority.expire();
    await using host = await Host.open({
      cwd: scene.project,
      env: scene.env,
      managedDirectories: [],
      permissions: { mode: 'bypass' },
      watch: false,
      only: ['srv'],
    });
    await host.settled();
    const { outcome } = await host.call({ name: 'mcp__srv__read' });
    if (outcome === 'ok') ok++;
  };
  for (let count = 0; count < WARM_UP; count++) await cycle(count);
  const before = await possessions();
  ok = 0;
  for (let count = 0; count < CYCLES; count++) await cycle(count);
  // The servers' ends of the connections are in this process too, and close a turn later.
  await expect.poll(() => readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before.descriptors);
  const after = await possessions();
  process.off('warning', warn);
  const figures = {
    lost: CYCLES - ok,
    descriptors: Math.max(after.descriptors - before.descriptors, 0),
    listeners: after.listeners - before.listeners,
    warnings: warnings.length,
  };
  tell('F07', { cycles: CYCLES, ...figures, heapMb: after.heapMb - before.heapMb });
  expect(figures).toEqual({ lost: 0, descriptors: 0, listeners: 0, warnings: 0 });
  expect(authority.tally.tokens['refresh_token']).toBe(Math.ceil(WARM_UP / EXPIRING) + Math.ceil(CYCLES / EXPIRING));
});
