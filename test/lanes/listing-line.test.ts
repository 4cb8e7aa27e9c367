import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Entries } from '../host/scene.js';
import { ask, openGatewayScene, type GatewayScene } from '../gateway/gateway-scene.js';
import { listing, namesOf } from '../gateway/list-servers.js';
import { FakeClock } from '../fake-clock.js';

const QUIET = { capabilities: { tools: {} } };
const TOOLS = { tools: ['echo', 'late'] };

async function openListed(entries: Entries, clock: FakeClock): Promise<GatewayScene> {
  return openGatewayScene(entries, { host: { ports: { clock } }, gateway: { clock } });
}

test('the line that lists were read over closes, unless its server tells when they change', async () => {
  const clock = new FakeClock();
  const entries = { ...listing('quiet', TOOLS, QUIET), ...listing('telling', TOOLS) };
  await using opened = await openListed(entries, clock);
  const statuses = (): unknown[] => ['quiet', 'telling'].map((name) => opened.host.server(name)?.status);
  expect(statuses()).toEqual(['connected', 'connected']);
  await clock.pass(1_000);
  expect(statuses()).toEqual(['idle', 'connected']);
  const called = await ask(opened.endpoint(), 'tools/call', { name: 'quiet__echo', arguments: { a: 1 } });
  expect(called).toMatchObject({ content: [{ text: expect.stringContaining('"a":1') }] });
  expect(namesOf(await ask(opened.endpoint(), 'tools/list'), 'tools')).toContain('quiet__late');
  expect(statuses()).toEqual(['idle', 'connected']);
});

test('a line that the host itself calls over stays, because its server may keep something for it', async () => {
  const clock = new FakeClock();
  await using opened = await openListed(listing('quiet', TOOLS, QUIET), clock);
  await opened.host.call({ name: 'mcp__quiet__echo', input: {} });
  await clock.pass(5_000);
  expect(opened.host.server('quiet')?.status).toBe('connected');
});

test('a line that has closed is opened again by the first call of the host, and stays then', async () => {
  const clock = new FakeClock();
  await using opened = await openListed(listing('quiet', TOOLS, QUIET), clock);
  await clock.pass(1_000);
  expect(opened.host.server('quiet')?.status).toBe('idle');
  const { outcome } = await opened.host.call({ name: 'mcp__quiet__echo', input: {} });
  await opened.host.settled();
  await clock.pass(5_000);
  expect([outcome, opened.host.server('quiet')?.status]).toEqual(['ok', 'connected']);
});

test('a host of which no others are served keeps its lines', async () => {
  const clock = new FakeClock();
  await using opened = await openGatewayScene(listing('quiet', TOOLS, QUIET), {
    host: { ports: { clock }, serves: false },
  });
  await clock.pass(5_000);
  expect(opened.host.server('quiet')?.status).toBe('connected');
});

test('lists that the cache folder has lost are read again over a new line', async () => {
  const clock = new FakeClock();
  const many = Array.from({ length: 60 }, (_, at) => ({ name: `t${at}`, description: 'x'.repeat(1_000) }));
  await using opened = await openListed(listing('quiet', { tools: many }, QUIET), clock);
  await clock.pass(60_000);
  expect(opened.host.server('quiet')?.status).toBe('idle');
  const catalogs = join(opened.scene.home, '.cache/plugboard/catalogs');
  const kept = (): unknown => existsSync(catalogs) && readdirSync(catalogs);
  await expect.poll(kept).toEqual([expect.stringMatching(/\.catalog$/u)]);
  rmSync(catalogs, { recursive: true });
  await expect.poll(async () => namesOf(await ask(opened.endpoint(), 'tools/list'), 'tools').length).toBe(60);
});
