import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostOptions } from '../../src/host/host-options.js';
import type { Scene, Watched } from '../host/scene.js';
import { keeping, openAuthScene, openUnknown, signInByTool } from '../auth/auth-scene.js';
import { openProtectedServer, type ProtectedServer } from '../auth/protected-server.js';
import { openStrictServer, type StrictOptions, type StrictServer } from '../auth/strict-as.js';

/** A user signed in to `srv`, whose refresh tokens are good for one use; the server `other` needs no sign-in. */
export interface StrictScene {
  readonly scene: Scene;
  readonly authority: StrictServer;
  readonly mcp: ProtectedServer;
  /** The files that contain this token. */
  readonly keptIn: (token: string) => string[];
}

export async function openStrictScene(options: StrictOptions = {}): Promise<StrictScene> {
  const authority = await keeping(openStrictServer(options));
  const mcp = await keeping(openProtectedServer({ authority }));
  const scene = openAuthScene();
  scene.configure({ srv: { type: 'http', url: mcp.url }, other: scene.journaling() });
  const keptIn = (token: string): string[] =>
    readdirSync(scene.home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => textOf(file).includes(token));
  return { scene, authority, mcp, keptIn };
}

/** A temporary file may be renamed between the listing of its folder and this; under its new name it is listed too. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT' && file.includes('/catalogs/')) return '';
    throw cause;
  }
}

/** Opens a host of the scene and signs in to `srv`. */
export async function openSignedIn({ scene }: StrictScene, options: HostOptions = {}): Promise<Watched> {
  const watched = await openUnknown(scene, options);
  await signInByTool(watched);
  return watched;
}

/** Signs in and closes the host, so that only the stored sign-in remains. */
export async function signInOnce(strict: StrictScene): Promise<void> {
  const { host } = await openSignedIn(strict);
  await host[Symbol.asyncDispose]();
}
