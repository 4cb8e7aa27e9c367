import { expect, test } from 'vitest';
import { makeSandbox, USER_FILE } from './sandbox.js';
import { openSignInScene, signIn, SIGN_IN_ENV as env } from './sign-in-scene.js';

const HINT = 'plugboard login srv';

function flag(url: string, more: object = {}): string[] {
  return ['--mcp-server', `x=${JSON.stringify({ url, ...more })}`];
}

test.each<[readonly string[]]>([
  [['tools', 'srv']],
  [['call', 'srv.read']],
  [['call', 'mcp__srv__read']],
  [['resources', 'srv']],
  [['read', 'srv', 'file:///x']],
  [['prompts', 'srv']],
  [['prompt', 'srv.x']],
  [['reconnect', 'srv']],
])('%j of a server that wants a sign-in exits 4, and says which command helps', async (args) => {
  const { run } = await openSignInScene();
  const said = await run(args);
  expect([said.code, `${said.stdout}${said.stderr}`]).toEqual([
    4,
    expect.stringMatching(new RegExp(`^  .*${HINT}$`, 'mu')),
  ]);
  const { json, code } = await run([...args, '--json']);
  expect([code, json?.error ?? json?.data?.['error']]).toEqual([
    4,
    expect.objectContaining({ code: 'unauthorized', hint: HINT }),
  ]);
});

test('a server that came with the run is signed in to by its address, or with the same flags', async () => {
  const { run, mcp } = await openSignInScene();
  const { origin } = new URL(mcp.url);
  expect((await run(['tools', mcp.url])).stderr).toContain(`\n  → plugboard login ${mcp.url}\n`);
  expect((await run(['call', 'read', mcp.url])).stderr).toContain(`\n  → plugboard login ${mcp.url}\n`);
  expect((await run(['tools', 'x', ...flag(mcp.url)])).stderr).toContain(`\n  → plugboard login ${mcp.url}\n`);
  expect((await run(['list', ...flag(mcp.url)])).stdout).toContain(`\n  → plugboard login ${mcp.url}\n`);
  const same = ['--mcp-server', `srv=${JSON.stringify({ url: `${origin}/mcp?x=1` })}`];
  expect((await run(['list', ...same])).stdout).toContain(`\n  → plugboard login '${origin}/mcp?x=1'\n`);
  for (const args of [flag(mcp.url, { oauth: { clientId: 'a' } }), flag(`${origin}/mcp?key=sk-1234567890abcdef`)]) {
    const { stderr } = await run(['tools', 'x', ...args]);
    expect(stderr).toContain('\n  → with the same flags: plugboard login x\n');
    expect(stderr).not.toContain('sk-1234567890abcdef');
  }
});

test('list, get and doctor show that a sign-in is needed, and the next step', async () => {
  const { run } = await openSignInScene();
  const list = await run(['list', '--exit-code']);
  expect([list.code, list.stdout]).toEqual([
    3,
    expect.stringMatching(
      /^! srv +needs sign-in .* plugboard login srv\n\nnote: "srv" needs you to sign in\n {2}→ plugboard login srv$/mu,
    ),
  ]);
  // The second run uses the cache and does not ask the server.
  const again = await run(['list', '--json']);
  expect(again.json?.data?.['servers']).toMatchObject([{ status: 'needs-auth', error: { hint: HINT } }]);
  expect((await run(['get', 'srv'])).stdout).toMatch(/Status: ! needs sign-in: .*\n {4}→ plugboard login srv\n/u);
  const doctor = await run(['doctor', '--json']);
  expect([doctor.code, doctor.json?.data?.['findings']]).toEqual([
    3,
    expect.arrayContaining([expect.objectContaining({ server: 'srv', code: 'needs-auth', hint: HINT })]),
  ]);
});

test('a command that fails to give headers is told without naming the server twice', async () => {
  const { run } = await openSignInScene({ headersHelper: 'echo oops >&2; exit 3' });
  expect((await run(['list'])).stdout).toContain('error: Server "srv": its headersHelper exited with code 3: oops\n');
});

test('doctor of a server whose authorization server is away corrects nothing in its entry', async () => {
  const scene = await openSignInScene();
  await signIn(scene, ['srv']);
  scene.authority.expire();
  await scene.authority[Symbol.asyncDispose]();
  const { json } = await scene.run(['doctor', '--json']);
  const hint = 'Nothing is lost; try again in a moment: plugboard doctor srv';
  expect(json?.data?.['findings']).toEqual(
    expect.arrayContaining([expect.objectContaining({ server: 'srv', code: 'sign-in-failed', hint })]),
  );
});

test('doctor of a server whose entry lacks what its grant needs says that, and not to sign in', async () => {
  const { run } = await openSignInScene({ oauth: { grant: 'client_credentials' } });
  const { json } = await run(['doctor', '--json']);
  const findings = json?.data?.['findings'] as { readonly server?: string; readonly hint: string }[];
  const hints = findings.flatMap(({ server, hint }) => (server === 'srv' ? [hint] : []));
  expect([hints.length, hints.includes(HINT), hints.join()]).toEqual([
    1,
    false,
    expect.stringContaining('--client-id'),
  ]);
});

test.each<[string, object, string]>([
  [
    'a variable in its header',
    { headers: { 'X-Trace': '1', Authorization: 'Bearer ${SRV_TOKEN}' } },
    'The server rejects the credentials that it gets: check the variable SRV_TOKEN (headers.Authorization); then: plugboard doctor srv',
  ],
  [
    'a header as it is',
    { headers: { authorization: 'Bearer abc-def' } },
    'The server rejects the credentials that it gets: check headers.authorization in its entry; then: plugboard doctor srv',
  ],
  [
    'another header',
    { headers: { 'X-Api-Key': '${SRV_TOKEN}' } },
    `${HINT}; or check the variable SRV_TOKEN (headers.X-Api-Key), if that holds your credentials`,
  ],
])('doctor of a server that refuses %s says what to look at', async (_, entry, hint) => {
  const { run } = await openSignInScene(entry);
  const { json } = await run(['doctor', '--json'], { env: { SRV_TOKEN: 'abc-def' } });
  expect(json?.data?.['findings']).toEqual(
    expect.arrayContaining([expect.objectContaining({ server: 'srv', code: 'needs-auth', hint })]),
  );
});

test('a header that is refused is a failure, not an offer to sign in', async () => {
  const { run } = await openSignInScene({ headers: { Authorization: 'Bearer wrong' } });
  const { json, code } = await run(['tools', 'srv', '--json']);
  expect([code, json?.error?.code]).toEqual([4, 'unauthorized']);
  expect(json?.error?.hint).not.toContain('login');
});

test('completion offers login and logout, and the names of servers behind them', async () => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { srv: { url: 'http://127.0.0.1:64999/' } } } });
  const complete = async (...words: string[]): Promise<unknown> =>
    (await sandbox.run(['__complete', '--json', '--', ...words], { env })).json?.data?.['candidates'];
  expect(await complete('logi')).toEqual(['login']);
  expect(await complete('login', 's')).toEqual(['srv']);
  expect(await complete('logout', '')).toEqual(['srv']);
  expect(await complete('login', 'srv', '--no-b')).toEqual(['--no-browser']);
});
