import { expect, test } from 'vitest';
import { FakeClock } from '../fake-clock.js';
import { openScene } from '../host/scene.js';
import { listing } from './list-servers.js';

test('a gateway serves what it knows from before, and starts those servers a moment later', async () => {
  await using scene = openScene();
  scene.configure(listing('zoo', { tools: ['a'] }));
  const { host: before } = await scene.open({ serves: true });
  await before.settled();
  await before.close();
  const clock = new FakeClock();
  const { host } = await scene.open({ serves: true, ports: { clock } });
  expect(host.tools().map(({ tool }) => tool)).toEqual(['a']);
  expect(host.server('zoo')?.status).toBe('idle');
  await clock.pass(1_000);
  await expect.poll(() => host.server('zoo')?.status).toBe('connected');
});
