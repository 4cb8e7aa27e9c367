import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { browse } from '../auth/browser.js';
import { steady } from './live-servers.js';
import { makeSandbox, USER_FILE } from './sandbox.js';
import { openSignInScene, signIn, SIGN_IN_ENV as env } from './sign-in-scene.js';

test('login without a terminal gives the address on stdout, waits, and shows the server as a list does', async () => {
  const scene = await openSignInScene();
  const { mcp, authority } = scene;
  const run = await signIn(scene, ['srv']);
  const [url, ...rest] = steady(run).split('\n');
  expect(url).toMatch(new RegExp(`^${authority.issuer}/authorize\\?`, 'u'));
  expect([run.code, rest]).toEqual([0, [`srv: ${mcp.url} (HTTP) - ✔ connected (3 tools, 2026-07-28, N ms)`, '']]);
  expect(run.stderr).toBe(`Signing in to "srv" at ${new URL(authority.issuer).host}, which asks for these rights: read
Signed in. The tokens are in HOME/.local/state/plugboard/credentials, readable by you alone
`);
  const tools = await scene.run(['tools', 'srv']);
  expect([tools.code, tools.stdout]).toEqual([0, expect.stringContaining('append')]);
});

test('login --json gives one envelope at the end; what is to be opened is on stderr', async () => {
  const scene = await openSignInScene();
  const run = await signIn(scene, ['srv', '--json']);
  expect(run.json).toMatchObject({
    ok: true,
    data: { server: 'srv', status: 'connected', scopes: ['read'], tools: 3, isNew: true },
  });
  expect(run.stderr).toContain(`${scene.authority.issuer}/authorize?`);
});

test('what works already is signed in to again only where somebody insists, or asks for more', async () => {
  const scene = await openSignInScene();
  await signIn(scene, ['srv']);
  const again = await scene.run(['login', 'srv']);
  expect([again.code, steady(again), again.stderr]).toEqual([
    0,
    `srv: ${scene.mcp.url} (HTTP) - ✔ connected (3 tools, 2026-07-28, N ms)\n`,
    'No sign-in is needed now. To sign in again: plugboard login srv --force\n',
  ]);
  expect(scene.authority.tally.granted).toEqual({ authorization_code: 1 });
  expect((await signIn(scene, ['srv', '--force', '--quiet'])).stderr).toBe('');
  const more = await signIn(scene, ['srv', '--scope', 'admin other', '--json']);
  expect(more.json?.data?.['scopes']).toEqual(expect.arrayContaining(['read', 'admin', 'other']));
  expect(scene.authority.tally.granted).toEqual({ authorization_code: 3 });
  expect((await scene.run(['call', 'srv.admin'])).code).toBe(0);
});

test('a first sign-in asks for the rights that the server wants, also with --force or further ones', async () => {
  for (const [more, scopes] of [
    [['--force'], ['read']],
    [
      ['--scope', 'admin'],
      ['admin', 'read'],
    ],
  ] as const) {
    const scene = await openSignInScene();
    const { json } = await signIn(scene, ['srv', ...more, '--json']);
    expect(json?.data).toMatchObject({ status: 'connected', scopes: expect.arrayContaining([...scopes]) as unknown });
    expect(json?.data?.['scopes']).toHaveLength(scopes.length);
  }
});

test('a call that wants more rights says by which command one gets them', async () => {
  const scene = await openSignInScene();
  await signIn(scene, ['srv']);
  const refused = await scene.run(['call', 'srv.admin']);
  expect([refused.code, refused.stdout]).toEqual([4, '']);
  const [, command = ''] = /plugboard (login srv --scope "[^"]+")/u.exec(refused.stderr) ?? [];
  expect(command).toBe('login srv --scope "read admin"');
  expect((await signIn(scene, ['srv', '--scope', 'read admin'])).code).toBe(0);
  expect((await scene.run(['call', 'srv.admin'])).code).toBe(0);
});

const JOURNAL = 'a command that must not be started';

test.each<[string, object, number, string]>([
  [
    'srv',
    { command: JOURNAL },
    1,
    `error: "srv" doesn't support OAuth login — it's only available for HTTP and SSE servers.\n  → plugboard get srv\n`,
  ],
  [
    'srv',
    { type: 'ws', url: 'ws://127.0.0.1:64999/' },
    1,
    `error: "srv" doesn't support OAuth login — it's only available for HTTP and SSE servers.\n  → plugboard get srv\n`,
  ],
  [
    'srv',
    { url: 'http://127.0.0.1:64999/', headers: { authorization: 'Bearer x' } },
    1,
    'error: "srv" has an Authorization header in its entry, which signs you in\n  → Remove it from the entry to sign in instead; see the entry: plugboard get srv\n',
  ],
  [
    'srv',
    { url: 'http://127.0.0.1:64999/', headersHelper: JOURNAL },
    1,
    'error: "srv" has a headersHelper in its entry, which signs you in\n  → Remove it from the entry to sign in instead; see the entry: plugboard get srv\n',
  ],
  [
    'srv',
    { url: 'http://127.0.0.1:64999/', disabled: true },
    1,
    'error: Server "srv" is disabled\n  → plugboard enable srv\n',
  ],
  ['sry', { command: 'x' }, 1, 'error: No MCP server named "sry". Configured servers: srv\n  → Did you mean "srv"?\n'],
  [
    'sry@work',
    { command: 'x' },
    1,
    'error: No MCP server named "sry@work". Configured servers: srv\n  → plugboard list\n',
  ],
  [
    'srv@a b',
    { command: 'x' },
    2,
    'error: "a b" cannot be the name of an account of "srv"\n  → Use letters, digits, dots, hyphens and underscores, 64 at most\n',
  ],
])('login %s of %j explains why it cannot', async (name, entry, code, stderr) => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { srv: entry } } });
  const before = sandbox.files();
  const run = await sandbox.run(['login', name], { env });
  expect([run.code, run.stdout, run.stderr]).toEqual([code, '', stderr]);
  expect(sandbox.files()).toEqual(before);
});

test('a server that cannot be reached says so, and not that nobody can sign in', async () => {
  const gone = createServer();
  await new Promise<void>((done) => gone.listen(0, '127.0.0.1', done));
  const { port } = gone.address() as AddressInfo;
  await new Promise((done) => gone.close(done));
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { srv: { url: `http://127.0.0.1:${port}/mcp` } } } });
  const run = await sandbox.run(['login', 'srv'], { env });
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('refused')]);
});

test('an address that is configured nowhere can be signed in to, and is known afterwards', async () => {
  const scene = await openSignInScene();
  expect((await scene.run(['tools', scene.mcp.url])).code).toBe(4);
  expect((await signIn(scene, [scene.mcp.url])).code).toBe(0);
  expect((await scene.run(['tools', scene.mcp.url])).code).toBe(0);
  expect((await scene.run(['login', scene.mcp.url])).stderr).toBe(
    `No sign-in is needed now. To sign in again: plugboard login ${scene.mcp.url} --force\n`,
  );
  expect((await scene.run(['logout', scene.mcp.url])).stdout).toContain('Signed out of');
  expect((await scene.run(['tools', scene.mcp.url])).code).toBe(4);
});

test('an address that cannot be one is told as what was typed, not as a server to look up', async () => {
  const run = await makeSandbox().run(['login', 'http://127.0.0.1:1/mcp'], { env });
  expect([run.code, run.stderr]).toEqual([
    1,
    expect.stringMatching(/\n {2}→ Correct the entry on the command line\n$/u),
  ]);
});

test('a terminal of 40 columns that obeys nothing reads whole words and no codes', async () => {
  const scene = await openSignInScene();
  const visits: Promise<unknown>[] = [];
  const onStderr = (text: string): void => {
    const [url] = /^http:\S+/mu.exec(text) ?? [];
    if (url !== undefined) visits.push(browse(url));
  };
  const terminal = { answers: [], isTerminal: true, columns: 40, onStderr, env: { TERM: 'dumb' } };
  const { code, stderr } = await scene.run(['login', 'srv', '--no-browser'], terminal);
  await Promise.all(visits);
  const prose = stderr.split('\n').filter((line) => !/http:|plugboard/u.test(line));
  expect([code, prose.filter((line) => line.length > 40)]).toEqual([0, []]);
  expect(stderr).toMatch(/its last page will not load: copy the\n {2}address of that page/u);
  expect(stderr).toMatch(/^Waiting, [45]:\d\d left \(Ctrl-C stops\)$/mu);
  expect(stderr).not.toContain('type c');
  expect(stderr).not.toContain('\u001B');
});

test('whoever says no in the browser reads that, and is not signed in', async () => {
  const scene = await openSignInScene();
  const decline = (text: string): boolean => {
    if (!text.startsWith('http')) return true;
    const { searchParams } = new URL(text.trim());
    const back = new URL(searchParams.get('redirect_uri')!);
    back.search = new URLSearchParams({
      error: 'access_denied',
      state: searchParams.get('state')!,
      iss: scene.authority.issuer,
    }).toString();
    void fetch(back);
    return true;
  };
  const run = await scene.run(['login', 'srv'], { env, onStdout: decline });
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('access_denied')]);
  expect((await scene.run(['tools', 'srv'])).code).toBe(4);
});

test('Ctrl-C and --timeout end it, and leave nothing behind', async () => {
  const scene = await openSignInScene();
  const leaving = new AbortController();
  const leave = (): boolean => (leaving.abort(), true);
  const left = await scene.run(['login', 'srv@work'], { env, interrupted: leaving.signal, onStdout: leave });
  expect([left.code, left.stderr]).toEqual([130, expect.stringContaining('Not signed in to "srv@work": stopped')]);
  await signIn(scene, ['srv']);
  const again = new AbortController();
  const more = await scene.run(['login', 'srv', '--no-browser', '--scope', 'a b'], {
    interrupted: again.signal,
    onStdout: () => (again.abort(), true),
  });
  expect([more.code, more.stderr]).toEqual([
    130,
    expect.stringContaining(
      `error: Not signed in to "srv" again: stopped before it was done; the earlier sign-in is kept\n  → plugboard login srv --no-browser --scope 'a b'\n`,
    ),
  ]);
  expect((await scene.run(['logout', 'srv'])).stdout).toContain('Signed out of');
  const late = await scene.run(['login', 'srv', '--timeout', '700', '--json']);
  expect([late.code, late.json?.error?.code]).toEqual([124, 'call-timeout']);
  const { json } = await scene.run(['list', '--json']);
  expect(json?.data?.['servers']).toMatchObject([{ name: 'srv', status: 'needs-auth' }]);
});

test('several accounts of one server are servers of their own, with tokens of their own', async () => {
  const scene = await openSignInScene();
  const { mcp, run } = scene;
  await signIn(scene, ['srv']);
  const work = await signIn(scene, ['srv@work']);
  expect([work.code, steady(work)]).toEqual([0, expect.stringMatching(/^srv@work: .*connected \(3 tools/mu)]);
  const both = (await run(['list', '--json'])).json?.data?.['servers'];
  expect(both).toMatchObject([
    { name: 'srv', status: 'connected' },
    { name: 'srv@work', status: 'connected' },
  ]);
  expect(mcp.admitted.size).toBe(2);
  expect((await run(['get', 'srv@work', '--no-connect'])).stdout).toMatch(
    /\nAn account of "srv"\. To forget it, run: plugboard logout srv@work\n$/u,
  );
  const removed = await run(['remove', 'srv@work']);
  expect([removed.code, removed.stderr]).toEqual([
    2,
    'error: "srv@work" is an account of "srv" and has no entry of its own\n  → plugboard logout srv@work\n',
  ]);
  const out = await run(['logout', 'srv@work']);
  expect([out.code, out.stdout]).toEqual([0, expect.stringContaining('The account "work" is gone')]);
  const left = (await run(['list', '--json'])).json?.data?.['servers'];
  expect(left).toMatchObject([{ name: 'srv', status: 'connected' }]);
  expect((await run(['login', 'srv@work', '--timeout', '600'])).code).toBe(124);
  expect((await run(['list', '--json'])).json?.data?.['servers']).toEqual([expect.objectContaining({ name: 'srv' })]);
});

test('a client that is given with the sign-in is written into the entry, once it has gone well', async () => {
  const scene = await openSignInScene();
  const { sandbox, authority, run } = scene;
  const failed = await run(['login', 'srv', '--client-id', 'known', '--timeout', '600']);
  expect(failed.code).toBe(124);
  expect(sandbox.read(USER_FILE)).not.toContain('oauth');
  const given = ['srv', '--client-id', 'known', '--client-secret', '--callback-port', '64998'];
  const before = await run(['login', ...given]);
  expect([before.code, before.stderr]).toEqual([
    5,
    'error: Cannot ask you for the client secret: no terminal\n  → Set MCP_CLIENT_SECRET\n',
  ]);
  const withSecret = {
    run: (args: readonly string[], options = {}) => run(args, { ...options, env: { MCP_CLIENT_SECRET: 'hush-hush' } }),
  };
  const done = await signIn(withSecret, given);
  expect([done.code, done.stderr]).toEqual([
    0,
    expect.stringContaining('File modified: HOME/.config/plugboard/config.json\n'),
  ]);
  expect(done.stdout).toContain('client_id=known');
  expect(done.stdout).toContain(encodeURIComponent('http://localhost:64998/callback'));
  expect(`${done.stdout}${done.stderr}`).not.toContain('hush-hush');
  expect(authority.tally.registrations).toBe(0);
  expect(JSON.parse(sandbox.read(USER_FILE))).toMatchObject({
    mcpServers: { srv: { oauth: { clientId: 'known', clientSecret: 'hush-hush', callbackPort: 64_998 } } },
  });
  expect((await run(['tools', 'srv'])).code).toBe(0);
});

test.each<[readonly string[], string]>([
  [['--client-secret'], 'error: --client-secret needs the client id that it belongs to'],
  [['--callback-port', '0'], 'error: --callback-port must be an integer in [1, 65535]'],
])('login srv %j is a mistake, and nothing happens', async (flags, message) => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { srv: { url: 'http://127.0.0.1:64999/' } } } });
  const run = await sandbox.run(['login', 'srv', ...flags], { env: { MCP_CLIENT_SECRET: 'x' } });
  expect([run.code, run.stderr.split('\n')[0]]).toEqual([2, message]);
});

test('the client of an entry that others share is not changed by a sign-in', async () => {
  const sandbox = makeSandbox();
  const given = ['--mcp-server', 'srv={"url":"http://127.0.0.1:64999/"}'];
  const run = await sandbox.run(['login', 'srv', '--client-id', 'a', ...given]);
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('must be in its entry, in --mcp-server')]);
});
