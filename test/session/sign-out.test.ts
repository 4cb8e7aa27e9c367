import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mcpCommand } from '../../src/cli/session/commands/mcp.js';
import { FullScene } from '../../src/cli/panel/panel-fixtures.js';
import { showServers } from '../../src/cli/session/show-servers.js';
import { inside } from '../../src/host/inside.js';
import { keeping } from '../auth/auth-scene.js';
import { browse } from '../auth/browser.js';
import { openProtectedServer } from '../auth/protected-server.js';
import { openStrictServer, type StrictServer } from '../auth/strict-as.js';
import type { Watched } from '../host/scene.js';
import { openSessionScene, type SessionScene } from './session-scene.js';

interface Opened {
  readonly opened: SessionScene;
  readonly authority: StrictServer;
  readonly accounts: () => unknown;
  /** Another host of the same user, which runs beside the session. */
  readonly other: Watched;
}

/** A session that is signed in to a server twice, the second time with the account `work`. */
async function open(): Promise<Opened> {
  const authority = await keeping(openStrictServer());
  const { url } = await keeping(openProtectedServer({ authority }));
  const opened = await keeping(
    openSessionScene(
      { srv: { type: 'http', url } },
      {
        host: { socket: true },
        prepare: ({ env, home }) => {
          env['PLUGBOARD_KEYCHAIN'] = 'off';
          mkdirSync(join(home, '.local/state/plugboard'), { recursive: true });
          writeFileSync(join(home, '.local/state/plugboard/accounts.json'), '{ "srv": ["work"] }');
        },
      },
    ),
  );
  const { screen, scene } = opened;
  const other = await scene.open({ cwd: scene.project });
  for (const name of ['srv', 'srv@work']) {
    await opened.host[inside].server(name)!.settled();
    const from = screen.text.length;
    const signedIn = opened.run(mcpCommand, 'login', name);
    await screen.until(({ text }) => ADDRESS.test(text.slice(from)));
    await browse(ADDRESS.exec(screen.text.slice(from))![0]);
    // Another host that waits for this sign-in reconnects.
    expect(await signedIn).toContain('1 running host reconnects, too\n');
    await other.until((change) => change.name === name && change.after === 'connected');
  }
  const accounts = (): unknown =>
    JSON.parse(readFileSync(join(scene.home, '.local/state/plugboard/accounts.json'), 'utf8'));
  return { opened, authority, accounts, other };
}

const ADDRESS = /http:\S+code_challenge\S*/u;

test('/mcp logout revokes, takes the account off the list, and tells the other hosts, as the verb does', async () => {
  const { opened, authority, accounts, other } = await open();
  expect((await opened.run(mcpCommand, 'logout', 'srv@work')).replaceAll(/\s+/gu, ' ')).toBe(
    'Signed out of "srv@work": its tokens are forgotten here, and revoked at its authorization server ' +
      'The account "work" is gone from the list of servers 1 running host is signed out, too ',
  );
  expect([accounts(), authority.tally.revocations > 0]).toEqual([{}, true]);
  await other.until(({ name, before }) => name === 'srv@work' && before === 'connected');
  expect(other.host.server('srv')?.status).toBe('connected');
  expect(await opened.run(mcpCommand, 'logout', 'srv')).toContain('1 running host is signed out, too\n');
  await other.until(({ name, before }) => name === 'srv' && before === 'connected');
});

test('signing out in the panel does the same, also of an account that nobody is signed in with', async () => {
  const { opened, accounts, other } = await open();
  const panel = new FullScene();
  Object.assign(opened.screen, { openFull: panel.openFull.bind(panel) });
  const left = showServers(opened.context);
  await panel.until('srv@work');
  panel.press('down', 'o');
  await panel.until('Signed out of "srv@work"', 'The account "work" is gone', '1 running host is signed out, too');
  expect(accounts()).toEqual({});
  await other.until(({ name, before }) => name === 'srv@work' && before === 'connected');
  // This session does not watch its files, so the account is still shown and can be removed once more.
  await panel.until('1 needs sign-in');
  panel.press('o');
  await panel.until('You were not signed in to "srv@work"', 'The account "work" is gone');
  opened.stopping.abort();
  await left;
});
