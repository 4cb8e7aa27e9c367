import type { Host } from '../host/host.js';
import { inside } from '../host/inside.js';
import type { ServerTexts } from '../host/servers/server-texts.js';

export type { ServerTexts };

/** Loaded when the first server is described. */
export async function loadServerTexts(): Promise<ServerTexts> {
  const { serverTexts } = await import('../host/servers/server-texts.js');
  return serverTexts;
}

/** The same where a host is loaded anyhow. */
export function textsOf(host: Host): ServerTexts {
  return host[inside].texts;
}
