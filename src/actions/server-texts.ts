import type { Host } from '../host/host.js';
import { inside } from '../host/inside.js';
import type { ServerTexts } from '../host/servers/server-texts.js';

export type { ServerTexts };

/** The texts about servers, imported when the first server is described. */
export async function loadServerTexts(): Promise<ServerTexts> {
  const { serverTexts } = await import('../host/servers/server-texts.js');
  return serverTexts;
}

/** The texts about servers from a host that is already loaded. */
export function textsOf(host: Host): ServerTexts {
  return host[inside].texts;
}
