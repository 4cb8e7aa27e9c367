import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ruleNotes } from '../../src/cli/serve/rule-notes.js';
import { Gateway } from '../../src/gateway/gateway.js';
import { inside } from '../../src/host/inside.js';
import { Seals } from '../../src/serving/seal.js';
import { FakeClock } from '../fake-clock.js';
import { openScene } from '../host/scene.js';
import { ask } from './gateway-scene.js';
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

const ASKER = resolve(import.meta.dirname, '../calls/question-server.mjs');

test.each(['changed', 'removed'])('a call in flight goes on while the entry of its server is %s', async (how) => {
  await using scene = openScene();
  const done = join(scene.home, 'done');
  const entry = { command: process.execPath, args: [ASKER], env: { ERA: 'modern', DONE: done } };
  scene.configure({ asker: entry });
  const { host } = await scene.open({ serves: true, watch: true });
  await using gateway = new Gateway({ host, seals: new Seals([randomBytes(32)]) });
  await host.settled();
  const endpoint = gateway.endpoint('/mcp', 'local')!;
  const call = ask(endpoint, 'tools/call', { name: 'asker__wait' });
  await expect.poll(() => host[inside].offers.servers()[0]!.inFlight).toBe(1);
  const edited = new Promise((heard) => host.on('config', heard));
  scene.configure(how === 'removed' ? {} : { asker: { ...entry, args: [ASKER, '--other'] } });
  await edited;
  // What comes now goes to the new one.
  const later = ask(endpoint, 'tools/call', { name: 'asker__ping' }).catch(({ message }: Error) => message);
  expect(JSON.stringify(await later)).toContain(how === 'removed' ? 'Unknown tool' : 'pong');
  writeFileSync(done, '');
  expect(await call).toMatchObject({ content: [{ text: '"done"' }], _meta: { 'plugboard/outcome': 'ok' } });
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
