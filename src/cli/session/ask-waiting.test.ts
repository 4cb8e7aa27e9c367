import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHouse } from '../../../test/house.js';
import { FakeScreen } from '../../../test/session/fake-screen.js';
import { approvalsFile } from '../../config/approval/approvals.js';
import { choose } from '../../config/approval/approve.js';
import { askWaitingServers } from './ask-waiting.js';
import { DialogQueue } from './asking.js';

/** A user who is asked about a project's servers; `edit` replaces the entry of `first` or `second`. */
async function openScene() {
  const house = openHouse();
  const entries: Record<string, object> = { first: { command: 'one' }, second: { command: 'two' } };
  const write = (): string => house.write(join(house.project, '.mcp.json'), { mcpServers: entries });
  write();
  const loaded = await house.load();
  const screen = new FakeScreen();
  const config = loaded.context;
  const asking = new DialogQueue({ onChange: () => {} });
  return {
    screen,
    config,
    loaded,
    file: approvalsFile(config)!,
    asking: askWaitingServers(loaded, { screen, asking, now: () => new Date(0) }),
    edit(name: string, command: string) {
      entries[name] = { command };
      write();
    },
    untilAsked: (name: string) =>
      screen.until(({ text }) => text.includes(`Server "${name}"`) && text.endsWith(': \n')),
    [Symbol.dispose]: () => house[Symbol.dispose](),
  };
}

test('an entry that was edited while somebody looked at it is not said to run', async () => {
  using scene = await openScene();
  const { screen, file } = scene;
  await scene.untilAsked('first');
  scene.edit('first', 'evil');
  screen.press('y');
  await scene.untilAsked('second');
  expect(screen.text).toContain('The entry of "first" changed meanwhile: nothing was remembered');
  expect(screen.text).not.toContain('may run');
  expect(existsSync(file)).toBe(false);
  screen.press('escape');
  await scene.asking;
});

test('the next one is shown as it is by then, and not at all when somebody has answered for it elsewhere', async () => {
  using scene = await openScene();
  const { screen, config, loaded } = scene;
  await scene.untilAsked('first');
  scene.edit('second', 'by-now');
  screen.press('n');
  await scene.untilAsked('second');
  expect(screen.text).toContain('"by-now"');
  screen.press('escape');
  await scene.asking;

  const reversed = { ...loaded, servers: loaded.servers.toReversed() };
  const asking = new DialogQueue({ onChange: () => {} });
  const again = askWaitingServers(reversed, { screen, asking, now: () => new Date(0) });
  await scene.untilAsked('second');
  await choose(config, loaded.servers[0]!, { decision: 'approved', now: new Date(0) });
  const before = screen.text.length;
  screen.press('s');
  await again;
  expect(screen.text.slice(before)).not.toContain('Server "first"');
});
