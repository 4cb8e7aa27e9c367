import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHouse } from '../../../test/house.js';
import { Host } from '../../host/host.js';
import { inside } from '../../host/inside.js';
import { onlyServer, toArgs } from '../arguments.js';
import { perform } from '../perform.js';
import { disable, enable } from './toggle.js';

const args = toArgs(disable.args, onlyServer('db'));
const context = { now: () => new Date(0) };

test('a server is switched off by the same lines, from files and on a host', async () => {
  using house = openHouse();
  const file = join(house.project, '.mcp.json');
  house.write(file, { mcpServers: { db: { command: 'x' } } });
  const loaded = await house.load();
  const files = { kind: 'files', config: loaded.context, load: () => house.load() } as const;
  const off = await perform(disable, files, args, context);
  expect(off.told).toMatchObject({ tone: 'done', parts: [{ text: 'Disabled MCP server db' }, { kind: 'edits' }] });
  await using host = Host[inside](await house.load(), { ...loaded.context.options, watch: false });
  const again = await perform(disable, { kind: 'host', host, isTransient: false }, args, context);
  expect(again.json).toEqual({ file: null, server: 'db', scope: 'project', changed: false });
  expect(again.told.parts).toEqual([{ kind: 'sentence', text: 'MCP server db is disabled already' }]);
  const dry = await perform(enable, files, { ...args, dryRun: true }, context);
  expect(dry.json).toMatchObject({ changed: true, dryRun: true, diff: expect.stringContaining('-') as string });
});

test('a name that nobody has is refused before anything is done', async () => {
  using house = openHouse();
  const loaded = await house.load();
  await using host = Host[inside](loaded, { ...loaded.context.options, watch: false });
  const on = { kind: 'host', host, isTransient: false } as const;
  await expect(perform(disable, on, args, context)).rejects.toMatchObject({ code: 'unknown-server' });
});
