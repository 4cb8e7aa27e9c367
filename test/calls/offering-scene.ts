import { resolve } from 'node:path';
import type { HostOptions } from '../../src/host/host-options.js';
import type { Host } from '../../src/host/host.js';
import type { CompletionRequest } from '../../src/host/requests/complete-argument.js';
import { openWalk, type WalkScene } from './walk-scene.js';

/** A server with prompts, completions, skills and resources, which writes what it is asked to the scene's journal. */
export function offering(scene: WalkScene, more: object = {}, tools: readonly string[] = []): Record<string, unknown> {
  const args = [resolve(import.meta.dirname, 'offering-server.mjs')];
  return { command: process.execPath, args, env: { JOURNAL: scene.journal, TOOLS: JSON.stringify(tools) }, ...more };
}

/** A host with that server, called `docs`. */
export async function openOffering(options: HostOptions = {}): Promise<WalkScene & { host: Host }> {
  const scene = openWalk();
  scene.configure({ docs: offering(scene) });
  return { ...scene, host: await scene.settle(options) };
}

/** Completes the argument `what` of the prompt `say`, or of a template. */
export function complete(
  host: Host,
  type: 'ref/prompt' | 'ref/resource' = 'ref/prompt',
  value = 'a',
  options: Pick<CompletionRequest, 'signal'> = {},
): ReturnType<Host['complete']> {
  const ref = type === 'ref/prompt' ? { type, name: 'say' } : { type, uri: 'note://q/{words}' };
  return host.complete({ server: 'docs', ref, argument: { name: 'what', value }, ...options });
}
