import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { APPROVALS_FILE, PROJECT_FILE, type Sandbox } from './sandbox.js';
import { openSignInScene, signIn, type SignInScene } from './sign-in-scene.js';

/** The user's own `srv`, and a repository whose `twin` has the same URL. */
async function openTwins(more: object = {}): Promise<SignInScene> {
  const scene = await openSignInScene();
  scene.sandbox.write(PROJECT_FILE, { mcpServers: { twin: { type: 'http', url: scene.mcp.url, ...more } } });
  return scene;
}

/** How many calls the server admitted with the user's sign-in; the exit code and hint if the call failed. */
async function calls({ run, mcp }: SignInScene, tool: string, flags: readonly string[] = []): Promise<unknown> {
  const before = mcp.journal.length;
  const { code, json } = await run(['call', tool, 'key=a', '--json', ...flags]);
  return code === 0 ? mcp.journal.length - before : [code, json?.error?.hint];
}

const SENT = (scene: SignInScene): string => `=> ! your sign-in to ${scene.mcp.url} is sent there`;
const REFUSED = [4, 'plugboard login twin, or agree to it: plugboard approve twin'];

test("a repository's entry gets the user's sign-in only after an approval that says so", async () => {
  const scene = await openTwins();
  expect((await signIn(scene, ['srv'])).code).toBe(0);
  expect(await calls(scene, 'twin.append', ['--approve-project-servers'])).toEqual(REFUSED);
  const looked = await scene.run(['approve', 'twin', '--dry-run', '--json']);
  expect(looked.json?.data?.['requests']).toMatchObject([{ server: 'twin', signIn: scene.mcp.url }]);
  const approved = await scene.run(['approve'], { answers: ['y'] });
  expect(approved.stderr).toContain(SENT(scene));
  expect([await calls(scene, 'twin.append'), await calls(scene, 'srv.append')]).toEqual([1, 1]);
});

test('an approval from before the sign-in did not say so: it is asked for, or the entry is signed in to itself', async () => {
  for (const way of ['approve', 'login'] as const) {
    const scene = await openTwins();
    expect((await scene.run(['approve', 'twin'])).stdout).not.toContain('your sign-in');
    await signIn(scene, ['srv']);
    expect(await calls(scene, 'twin.append')).toEqual(REFUSED);
    const helped = way === 'login' ? await signIn(scene, ['twin']) : await scene.run(['approve', 'twin']);
    expect([helped.code, helped.stdout.includes(SENT(scene))]).toEqual([0, way === 'approve']);
    // The user's own entries share a sign-in by URL, whichever of them was signed in.
    expect([await calls(scene, 'twin.append'), await calls(scene, 'srv.append')]).toEqual([1, 1]);
  }
});

test("a sign-in that a repository's entry brought stays its own through an edit, and is no other repository's", async () => {
  const scene = await openTwins();
  await scene.run(['approve', 'twin']);
  await signIn(scene, ['twin']);
  expect(await calls(scene, 'twin.append')).toBe(1);
  scene.sandbox.write(PROJECT_FILE, {
    mcpServers: {
      twin: { type: 'http', url: scene.mcp.url, headers: { 'X-Team': 'a' } },
      third: { type: 'http', url: scene.mcp.url },
    },
  });
  const { stdout } = await scene.run(['approve', 'twin']);
  expect(stdout).not.toContain('your sign-in');
  expect(await calls(scene, 'twin.append')).toBe(1);
  expect(await calls(scene, 'third.append', ['--approve-project-servers'])).toMatchObject([4, /approve third/u]);
});

/** Rewrites the state files as version 0.1.0 left them. */
function age(sandbox: Sandbox): void {
  const strip = (path: string, field: string): void => {
    const rest = (_key: string, value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== field))
        : value;
    sandbox.write(path, JSON.parse(sandbox.read(path), rest));
  };
  strip(APPROVALS_FILE, 'signIn');
  const records = Object.keys(sandbox.files()).filter((file) => /credentials\/[^/]+\.json$/u.test(file));
  for (const file of records) strip(relative(sandbox.root, file), 'by');
}

test('what was approved and signed in to with version 0.1.0 goes on, also after the next sign-in', async () => {
  const scene = await openTwins();
  await scene.run(['approve', 'twin']);
  await signIn(scene, ['srv']);
  age(scene.sandbox);
  expect([await calls(scene, 'twin.append'), await calls(scene, 'srv.append')]).toEqual([1, 1]);
  scene.authority.expire();
  expect([await calls(scene, 'twin.append'), await calls(scene, 'srv.append')]).toEqual([1, 1]);
  await signIn(scene, ['srv']);
  expect([await calls(scene, 'twin.append'), await calls(scene, 'srv.append')]).toEqual([1, 1]);
  expect(await calls(scene, 'twin.append', ['--approve-project-servers'])).toBe(1);
});
