import { expect, test } from 'vitest';
import { ruleNotes } from '../../src/cli/serve/rule-notes.js';
import { inside } from '../../src/host/inside.js';
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

test('a flag that names no tool which a server has listed is told with the tool that was meant', async () => {
  await using scene = openScene();
  scene.configure(listing('zoo', { tools: ['feed'] }));
  const allow = ['mcp__zoo__fede', 'mcp__zoo__feed', 'feed'];
  const { host } = await scene.open({ serves: true, permissions: { allow, deny: ['mcp__zoo__feed'] } });
  await host.settled();
  expect(ruleNotes({ host, loaded: host[inside].loaded })).toEqual([
    'warning: permissions.allow mcp__zoo__fede matches no known tool: did you mean mcp__zoo__feed?',
    'warning: permissions.allow feed matches no tool of a server: did you mean mcp__zoo__feed?',
  ]);
});
