// F10, F11 (O3+) and F12: refresh tokens for one use, with many calls, many processes, and a process that is killed.
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { keeping, signInByTool, textOf, toolsOf } from '../auth/auth-scene.js';
import { openSignedIn, openStrictScene, signInOnce } from './auth-scene.js';
import { bundleChildHost, openChildHost } from './child-host.js';
import { IS_FULL, tell } from './load-figures.js';

const CALLS = 100;
/** Starting processes takes the time, so the everyday run starts fewer. */
const PROCESSES = IS_FULL ? 5 : 3;

test(`F10: a token that expires under ${CALLS} parallel calls is refreshed once, and all of them are answered`, async () => {
  const strict = await openStrictScene();
  const { host } = await openSignedIn(strict);
  strict.authority.expire();
  const results = await Promise.all(
    Array.from({ length: CALLS }, (_, key) => host.call({ name: 'mcp__srv__append', input: { key: `${key}` } })),
  );
  expect(results.filter(({ outcome }) => outcome === 'ok')).toHaveLength(CALLS);
  expect(strict.authority.tally.tokens).toEqual({ authorization_code: 1, refresh_token: 1 });
  expect(new Set(strict.mcp.journal).size).toBe(CALLS);
  expect(strict.mcp.journal).toHaveLength(CALLS);
  tell('F10', { calls: CALLS, refreshes: 1, refused: strict.mcp.refused[401] ?? 0 });
});

test(`F11: ${PROCESSES} processes with ${CALLS} calls each refresh one expired token once, and lose nothing`, async () => {
  const strict = await openStrictScene();
  const { scene, authority, mcp } = strict;
  await signInOnce(strict);
  using bundled = await bundleChildHost();
  const began = performance.now();
  const hosts = await Promise.all(
    Array.from({ length: PROCESSES }, () => keeping(openChildHost(bundled, scene, { options: { only: ['srv'] } }))),
  );
  await Promise.all(hosts.map((host) => host.ask('settled')));
  expect(authority.tally.tokens).toEqual({ authorization_code: 1 });
  authority.expire();
  const calls = hosts.flatMap((host, at) =>
    Array.from({ length: CALLS }, (_, key) =>
      host.ask('call', { name: 'mcp__srv__append', input: { key: `${at}-${key}` } }),
    ),
  );
  const results = await Promise.all(calls);
  expect(results.filter(({ outcome }) => outcome !== 'ok').map(textOf)).toEqual([]);
  expect(authority.tally.tokens).toEqual({ authorization_code: 1, refresh_token: 1 });
  expect(authority.reuses).toBe(0);
  expect([mcp.journal.length, new Set(mcp.journal).size]).toEqual([CALLS * PROCESSES, CALLS * PROCESSES]);
  tell('F11', { answers: results.length, refreshes: 1, seconds: (performance.now() - began) / 1_000 });
  await Promise.all(hosts.map((host) => host.ask('close')));
  const { host } = await scene.open({ watch: false });
  await host.settled();
  expect(host.server('srv')).toMatchObject({ status: 'connected' });
});

test.each([
  ['with a period of grace nobody has to sign in', 60_000],
  ['without one somebody has to, and other servers are fine', 0],
])('F12: a host that is killed between a refresh and saving it: %s', async (_title, graceMs) => {
  const strict = await openStrictScene({ graceMs });
  const { scene, authority } = strict;
  await signInOnce(strict);
  using bundled = await bundleChildHost();
  const child = await keeping(openChildHost(bundled, scene, { options: { only: ['srv'] } }));
  await child.ask('settled');
  authority.expire();
  authority.fault = { kind: 'late', until: new Promise(() => {}) };
  void child.ask('call', { name: 'mcp__srv__read' });
  await authority.untilRefreshed(1);
  child.child.kill('SIGKILL');
  await once(child.child, 'exit');
  authority.fault = undefined;

  const watched = await scene.open({ watch: false });
  const { host } = watched;
  await host.settled();
  expect(await host.call({ name: 'mcp__other__read' })).toMatchObject({ outcome: 'ok' });
  expect(host.server('srv')).toMatchObject({ status: graceMs > 0 ? 'connected' : 'needs-auth' });
  expect(toolsOf(host)).toEqual(graceMs > 0 ? ['admin', 'append', 'read'] : ['authenticate']);
  expect([authority.reuses, authority.tally.tokens['authorization_code']]).toEqual([graceMs > 0 ? 0 : 1, 1]);
  if (graceMs === 0) await signInByTool(watched);
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
});
