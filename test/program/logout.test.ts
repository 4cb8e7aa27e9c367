import { expect, onTestFinished, test } from 'vitest';
import { Host } from '../../src/host/host.js';
import type { ServerChange } from '../../src/host/host-events.js';
import { makeSandbox, type Sandbox, USER_FILE } from './sandbox.js';
import { openSignInScene, signIn, SIGN_IN_ENV } from './sign-in-scene.js';

test('logout forgets the tokens, has them revoked, and says so', async () => {
  const scene = await openSignInScene();
  const { run, authority, sandbox } = scene;
  await signIn(scene, ['srv']);
  const { code, stdout, stderr } = await run(['logout', 'srv']);
  expect([code, stdout, stderr]).toEqual([
    0,
    'Signed out of "srv": its tokens are forgotten here, and revoked at its authorization server\n',
    '',
  ]);
  expect(authority.tally.revocations).toBeGreaterThanOrEqual(1);
  expect((await run(['tools', 'srv'])).code).toBe(4);
  const [token] = scene.mcp.admitted.keys();
  expect(Object.values(sandbox.files()).filter((text) => text.includes(token!))).toEqual([]);
});

test('logout of a server that nobody is signed in to is no mistake', async () => {
  const { run } = await openSignInScene();
  const done = await run(['logout', 'srv']);
  expect([done.code, done.stdout]).toEqual([0, 'You were not signed in to "srv"\n']);
  expect((await run(['logout', 'srv', '--json'])).json).toMatchObject({
    ok: true,
    data: { server: 'srv', signedOut: false, revoked: false },
  });
});

test('logout works where the authorization server is gone, and says that nothing is revoked', async () => {
  const scene = await openSignInScene();
  await signIn(scene, ['srv']);
  await scene.authority[Symbol.asyncDispose]();
  const { code, stdout } = await scene.run(['logout', 'srv']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('did not revoke them')]);
  expect((await scene.run(['logout', 'srv'])).stdout).toContain('You were not signed in');
});

test.each<[string, number, string]>([
  ['stdio', 1, `error: "stdio" doesn't support OAuth login — it's only available for HTTP and SSE servers.`],
  ['other', 1, 'error: No MCP server named "other". Configured servers: stdio'],
])('logout %s explains why it cannot', async (name, code, message) => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { stdio: { command: 'x' } } } });
  const run = await sandbox.run(['logout', name], { env: SIGN_IN_ENV });
  expect([run.code, run.stderr.split('\n')[0]]).toEqual([code, message]);
});

async function openHost({ home, project, managed }: Sandbox): Promise<(after: ServerChange['after']) => Promise<void>> {
  const host = await Host.open({
    cwd: project,
    env: { HOME: home, PATH: process.env['PATH'], ...SIGN_IN_ENV },
    managedDirectories: [managed],
  });
  onTestFinished(() => host[Symbol.asyncDispose]());
  const changes: ServerChange['after'][] = [];
  const waiting = new Set<() => void>();
  host.on('server', ({ after }) => {
    changes.push(after);
    for (const look of waiting) look();
  });
  return (wanted) =>
    new Promise((done) => {
      const look = (): void => {
        if (changes.at(-1) === wanted) done();
      };
      waiting.add(look);
      look();
    });
}

test('hosts that run hear of a sign-in, and of its end', async () => {
  const scene = await openSignInScene();
  const until = await openHost(scene.sandbox);
  await until('needs-auth');
  const run = await signIn(scene, ['srv']);
  expect(run.stderr).toContain('1 running host reconnects, too\n');
  await until('connected');
  expect((await scene.run(['logout', 'srv'])).stderr).toBe('1 running host is signed out, too\n');
  await until('needs-auth');
});
