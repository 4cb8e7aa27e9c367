import type { ConfigContext } from '../../config/context.js';
import { hostOpener } from '../open-host.js';

/** A name for completion, and a description of it. */
export type KnownName = readonly [name: string, meaning: string];

/** Every configured server, with its scope. */
export async function knownServers(config: ConfigContext): Promise<readonly KnownName[]> {
  const { loadHostConfig } = await import('../../config/load.js');
  const { servers } = await loadHostConfig(config);
  return [...new Map(servers.map(({ name, scope }) => [name, scope]))];
}

/** Tools from the catalog cache: completion must not wait for a server. */
export async function knownTools(config: ConfigContext): Promise<readonly KnownName[]> {
  const { loadHostConfig } = await import('../../config/load.js');
  const open = await hostOpener(await loadHostConfig(config));
  await using host = open({ watch: false, start: 'lazy' });
  return host.tools().map(({ server, tool, title }) => [`${server}.${tool}`, title ?? '']);
}

/** The hosts whose servers can be imported. */
export async function knownHosts(): Promise<readonly KnownName[]> {
  const { importers } = await import('../../config/importers/all.js');
  return importers.map(({ host, title }) => [host, title]);
}
