import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callTool } from '../../src/connection/requests/call-tool.js';
import { Catalog } from '../../src/connection/catalog/catalog.js';
import { catalogFiles } from '../../src/connection/catalog/catalog-files.js';
import { ConnectionFactory } from '../../src/connection/connection-factory.js';
import { systemClock } from '../../src/edge/clock.js';
import { turn } from '../fake-clock.js';
import { HeldClock } from '../held-clock.js';
import { watchStall } from './load-figures.js';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const BURSTS = FULL ? 20 : 2;
const NOTES = 10_000;
const STALL_MS = FULL ? 50 : 500; // longest time that the host may block the event loop
const THROTTLE_MS = 500;

test(`a storm of ${NOTES} changed lists costs two questions a second, stalls nobody, and ends with what is right`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'list-changed-'));
  await using connectionFactory = new ConnectionFactory({
    env: process.env,
    platform: process.platform,
    cwd: '/',
    state: undefined,
  });
  const changed = new EventTarget();
  const held = FULL ? undefined : new HeldClock(THROTTLE_MS);
  const clock = held ?? systemClock;
  const changes: (readonly string[])[] = [];
  const catalog = new Catalog({
    name: 'changing',
    filter: undefined,
    clock,
    catalogFile: catalogFiles(folder)('key'),
    onChange: ({ added }) => {
      changes.push(added);
      changed.dispatchEvent(new Event('change'));
    },
  });
  const args = [join(import.meta.dirname, 'list-changed-server.mjs')];
  const connection = await connectionFactory.connect(
    { name: 'changing', config: { type: 'stdio', command: process.execPath, args, env: {} } },
    { onNotification: (method) => catalog.onNotification(method) },
  );
  await catalog.attach(connection);
  const watch = watchStall();
  let waits = 0;
  for (let burst = 1; burst <= BURSTS; burst++) {
    const last = `version-${burst * NOTES}`;
    const seen = { isRight: false };
    changed.addEventListener('change', () => (seen.isRight ||= catalog.tools.at(-1)?.name === last));
    await callTool(connection, { tool: 'burst', input: { notes: NOTES } });
    while (!seen.isRight) {
      await turn();
      if (held?.held.includes(THROTTLE_MS) !== true) continue;
      await held.lapse(THROTTLE_MS);
      waits++;
    }
  }
  const { stallMs } = watch.stop();
  const { content } = await callTool(connection, { tool: 'times', input: {} });
  const askedAt = JSON.parse(String(content[0]!['text'])) as number[];
  await catalog[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });

  const mostInASecond = Math.max(
    ...askedAt.map((from) => askedAt.filter((at) => at >= from && at < from + 950).length),
  );
  console.log(
    `list_changed: ${BURSTS * NOTES} notes, ${askedAt.length} lists, ${mostInASecond} in a second, stall ${Math.round(stallMs)} ms`,
  );
  expect(askedAt.length).toBeGreaterThan(BURSTS);
  // Measured in wall-clock time, so only on an otherwise idle machine.
  expect(mostInASecond).toBeLessThanOrEqual(FULL ? 2 : Infinity);
  // One list when the catalog is attached, one at the first notification, then one for each half second.
  expect(askedAt.length).toBeLessThanOrEqual(FULL ? Infinity : 2 + waits);
  expect(stallMs).toBeLessThan(STALL_MS);
  // A list that was requested during a burst may still have the old version; only the last one must be right.
  expect(changes.at(-1)).toEqual([`version-${BURSTS * NOTES}`]);
});
