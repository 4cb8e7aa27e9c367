import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHouse } from '../../../test/house.js';
import { Host } from '../../host/host.js';
import { inside } from '../../host/inside.js';
import { approvalsFile } from '../../config/approval/approvals.js';
import { ActionRunner } from './action-runner.js';
import { panelServerOf } from './panel-fixtures.js';
import type { PanelMessage } from './panel-state.js';

test('what is decided is about the definition that was looked at, and about no other', async () => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), { mcpServers: { shared: { command: 'now' } } });
  const loaded = await house.load();
  await using host = Host[inside](loaded, { ...loaded.context.options, watch: false });
  const told: PanelMessage[] = [];
  const runner = new ActionRunner({
    host,
    now: () => new Date(0),
    signIn: async () => {},
    onMessage: (message) => told.push(message),
    onChange: () => {},
  });
  const [definition] = loaded.servers;
  const server = panelServerOf('shared', { definition: definition!, standing: definition!.standing });
  const decide = (hash: string) =>
    ({ kind: 'do', action: 'approve', key: server.key, decided: { definition: hash, reject: false } }) as const;
  await runner.start(decide('of the one before'), server);
  expect(told.map(({ kind }) => kind)).toEqual(['failed']);
  expect(told[0]!.lines[0]).toContain('"shared" does not have the hash of the one before');
  const file = approvalsFile(loaded.context)!;
  expect(existsSync(file)).toBe(false);
  await runner.start(decide(definition!.approval!.hash), server);
  expect([told[1]!.kind, existsSync(file)]).toEqual(['done', true]);
});
