import { expect, test } from 'vitest';
import { FullScene } from '../../src/cli/panel/panel-fixtures.js';
import { showServers } from '../../src/cli/session/show-servers.js';
import { keeping } from '../auth/auth-scene.js';
import { browse } from '../auth/browser.js';
import { openProtectedServer } from '../auth/protected-server.js';
import { openStrictServer } from '../auth/strict-as.js';
import { turn } from '../fake-clock.js';
import { openSessionScene } from './session-scene.js';

test('whoever signs in from the panel has the screen for it, comes back to the panel, and can sign out there', async () => {
  const authority = await keeping(openStrictServer());
  const { url } = await keeping(openProtectedServer({ authority }));
  await using opened = await openSessionScene({ srv: { type: 'http', url } });
  const { context, screen, stopping } = opened;
  const panel = new FullScene();
  Object.assign(screen, { openFull: panel.openFull.bind(panel) });
  const left = showServers(context);
  await panel.until('1 needs sign-in');
  panel.press('l');
  await screen.until(({ text }) => ADDRESS.test(text));
  expect(panel.isOpen).toBe(false);
  expect(await browse(ADDRESS.exec(screen.text)![0])).toMatchObject({ status: 200 });
  await panel.until('✔ connected', '"srv" is connected: 3 tools');
  panel.press('o');
  await panel.until('Signed out of "srv"', '1 needs sign-in');
  panel.press('l');
  await screen.until(({ text }) => text.split('Signing in to').length === 3);
  stopping.abort();
  await left;
  // A cancelled sign-in ends after the panel is closed, and does not open it again.
  await screen.until(({ zones }) => zones.size === 0);
  for (let turns = 0; turns < 20; turns++) await turn();
  expect(panel.isOpen).toBe(false);
});

const ADDRESS = /http:\S+code_challenge\S*/u;
