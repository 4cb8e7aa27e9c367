import { resolve } from 'node:path';
import type { ServerLifecycle } from '../../src/connection/server-lifecycle.js';
import type { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import { type Entries, openScene } from '../host/scene.js';

/** A host with connected servers and what they offer. */
export interface OfferScene extends AsyncDisposable {
  readonly host: Host;
  server(name: string): ServerLifecycle;
  readonly readSkillFile: Host['readSkillFile'];
  /** Resolves when a list of this kind changes on any server. */
  readonly changed: (list: string) => Promise<void>;
}

export async function openOffers(entries: Entries): Promise<OfferScene> {
  const scene = openScene();
  scene.configure(entries);
  const { host } = await scene.open({ watch: false });
  await host.settled();
  return {
    host,
    server: (name) => host[inside].server(name)!,
    readSkillFile: (request) => host.readSkillFile(request),
    changed: (list) =>
      new Promise((tell) => {
        host.on('catalog', (change) => {
          if (change.list === list) tell();
        });
      }),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

/** An entry that runs a script of this folder. */
export function script(file: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { command: process.execPath, args: [resolve(import.meta.dirname, file)], ...more };
}
