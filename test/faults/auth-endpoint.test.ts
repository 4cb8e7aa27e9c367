// F13 and O4: a token endpoint that fails temporarily ends no sign-in; one that refuses, in whatever form, ends it.
import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { signInByTool, textOf, toolsOf } from '../auth/auth-scene.js';
import { FAILING, HTML, saying, type TokenFault } from '../auth/token-fault.js';
import { openSignedIn, openStrictScene } from './auth-scene.js';
import { SkippingClock } from './skipping-clock.js';

const PASSING: readonly (readonly [string, TokenFault])[] = [
  ['answers 500', FAILING],
  ['answers 503 with a page', { ...HTML, kind: 'answer', status: 503, body: '<h1>Back soon</h1>' }],
  ['answers with a page of a hotel', HTML],
  ['answers nothing', { kind: 'answer', status: 200, body: '' }],
  ['is too busy', saying('temporarily_unavailable', 400)],
  ['wants to be asked less often', { kind: 'answer', status: 429, body: '' }],
];

test.each(PASSING)('F13: a token endpoint that %s costs a call, and no sign-in', async (_title, fault) => {
  const strict = await openStrictScene();
  const { authority, mcp, keptIn } = strict;
  const clock = new SkippingClock();
  const { host, changes } = await openSignedIn(strict, { ports: { clock } });
  const [token] = mcp.admitted.keys();
  const kept = keptIn(token!);
  expect(kept).toHaveLength(1);
  authority.expire();
  authority.fault = fault;
  const before = changes.length;
  const failed = await host.call({ name: 'mcp__srv__read' });
  expect(failed.outcome).toBe('error');
  expect(textOf(failed)).toMatch(/sign|authoriz|token/iu);
  expect(textOf(failed)).not.toMatch(/plugboard login/u);
  expect(changes.slice(before).map(({ after }) => after)).not.toContain('needs-auth');
  expect(keptIn(token!)).toEqual(kept);
  expect(await host.call({ name: 'mcp__other__read' })).toMatchObject({ outcome: 'ok' });
  authority.fault = undefined;
  clock.skip(60_000);
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  expect(authority.tally.tokens['authorization_code']).toBe(1);
  expect(authority.reuses).toBe(0);
});

test('F13: a token endpoint that does not answer is given up in time, and is of use again when it does', async () => {
  const strict = await openStrictScene();
  const { scene, authority, mcp } = strict;
  scene.configure({ srv: { type: 'http', url: mcp.url, timeout: 30_000 } });
  const clock = new SkippingClock();
  const { host, changes } = await openSignedIn(strict, { ports: { clock } });
  authority.expire();
  const gate = new EventEmitter();
  authority.fault = { kind: 'slow', until: once(gate, 'open') };
  const before = changes.length;
  const calls = Promise.all([host.call({ name: 'mcp__srv__read' }), host.call({ name: 'mcp__srv__append' })]);
  const hurry = setInterval(() => clock.skip(5_000), 20);
  const results = await calls;
  clearInterval(hurry);
  expect(results.map(({ outcome }) => outcome)).not.toContain('ok');
  expect(mcp.journal).toEqual([]);
  expect(changes.slice(before).map(({ after }) => after)).not.toContain('needs-auth');
  authority.fault = undefined;
  gate.emit('open');
  await authority.untilRefreshed(1);
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  expect(authority.tally.tokens['authorization_code']).toBe(1);
});

test('F13: a host that starts while the token endpoint is down asks nobody to sign in, and works when it is back', async () => {
  const strict = await openStrictScene();
  const { scene, authority } = strict;
  const { host: first } = await openSignedIn(strict);
  await first[Symbol.asyncDispose]();
  authority.expire();
  authority.fault = FAILING;
  const clock = new SkippingClock();
  const { host, changes } = await scene.open({ watch: false, ports: { clock } });
  await host.settled();
  expect(changes.map(({ after }) => after)).not.toContain('needs-auth');
  expect(toolsOf(host)).not.toContain('authenticate');
  expect(host.server('srv')).toMatchObject({ status: 'failed', error: { code: 'sign-in-failed' } });
  authority.fault = undefined;
  clock.skip(60_000);
  await host.reconnect('srv');
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
  expect(authority.tally.tokens['authorization_code']).toBe(1);
});

test.each([
  saying('invalid_grant', 400),
  saying('invalid_grant', 401),
  saying('invalid_refresh_token'),
  saying('expired_refresh_token'),
  saying('token_expired'),
])('O4: a token endpoint that says no means a sign-in, which works (%o)', async (fault) => {
  const strict = await openStrictScene();
  const { authority } = strict;
  const watched = await openSignedIn(strict);
  const { host, until, changes } = watched;
  authority.expire();
  authority.fault = fault;
  const failed = await host.call({ name: 'mcp__srv__read' });
  expect(failed.outcome).toBe('error');
  expect(textOf(failed)).toMatch(/host\.signIn\("srv"\)|authenticate/u);
  await until(({ name, after }) => name === 'srv' && after === 'needs-auth');
  expect(changes.at(-1)).toMatchObject({ name: 'srv', after: 'needs-auth' });
  expect(toolsOf(host)).toEqual(['authenticate']);
  authority.fault = undefined;
  changes.length = 0;
  await signInByTool(watched);
  expect(await host.call({ name: 'mcp__srv__read' })).toMatchObject({ outcome: 'ok' });
});
