import { expect, onTestFinished } from 'vitest';
import type { SignIn } from '../../src/auth/sign-in.js';
import type { CallResult, HostOptions } from '../../src/host/host-options.js';
import type { Host } from '../../src/host/host.js';
import { openScene, type Scene, type Watched } from '../host/scene.js';
import type { Arrival } from './browser.js';
import { browse } from './browser.js';

/** A scene without a keychain. `onTestFinished` disposes of it after the servers that a test opens later. */
export function openAuthScene(): Scene {
  const scene = openScene();
  scene.env['PLUGBOARD_KEYCHAIN'] = 'off';
  onTestFinished(() => scene[Symbol.asyncDispose]());
  return scene;
}

/** Waits for a resource and disposes of it when the test has finished. */
export async function keeping<Thing extends AsyncDisposable>(opened: Promise<Thing>): Promise<Thing> {
  const thing = await opened;
  onTestFinished(() => thing[Symbol.asyncDispose]());
  return thing;
}

/** Opens a host and waits until its server `srv` needs a sign-in. */
export async function openUnknown(scene: Scene, options: HostOptions = {}): Promise<Watched> {
  const watched = await scene.open({ watch: false, ...options });
  await watched.until(({ name, after }) => name === 'srv' && after === 'needs-auth');
  return watched;
}

/** Signs in by the `authenticate` tool that a model sees, and waits for the server's own tools. */
export async function signInByTool({ host, until }: Watched): Promise<Arrival> {
  const { outcome, content } = await host.call({ name: AUTHENTICATE });
  expect(outcome).toBe('ok');
  const arrival = await browse(urlIn(textOf({ content })));
  expect(arrival).toMatchObject({ status: 200 });
  await until(({ name, after }) => name === 'srv' && after === 'connected');
  await host.settled();
  return arrival;
}

/** The sign-in, narrowed to this kind; fails the test when it is of another kind. */
export function begun<Kind extends SignIn['kind']>(signIn: SignIn, kind: Kind): Extract<SignIn, { kind: Kind }> {
  if (signIn.kind === kind) return signIn as Extract<SignIn, { kind: Kind }>;
  return expect.fail(`a sign-in of another kind: ${signIn.kind === 'failed' ? String(signIn.error) : signIn.kind}`);
}

export const AUTHENTICATE = 'mcp__srv__authenticate';

export function urlIn(text: string): string {
  return /https?:\/\/\S+/u.exec(text)?.[0] ?? expect.fail(`there is no address in: ${text}`);
}

export function textOf({ content }: Pick<CallResult, 'content'>): string {
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
}

/** The names of a server's tools without their prefix, sorted. */
export function toolsOf(host: Host, server = 'srv'): string[] {
  return host
    .tools()
    .filter((tool) => tool.name.startsWith(`mcp__${server}__`))
    .map(({ name }) => name.slice(`mcp__${server}__`.length))
    .toSorted();
}
