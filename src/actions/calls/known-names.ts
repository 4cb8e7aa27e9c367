import type { ConfigContext } from '../../config/context.js';
import type { Host } from '../../host/host.js';
import { hostOpener } from '../open-host.js';
import { runningServer } from '../running-server.js';

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
  await using host = await openCached(config);
  return host.tools().map(({ server, tool, title }) => [`${server}.${tool}`, title ?? '']);
}

/**
 * The arguments of a tool that are not given yet, as `name=`; after `name=`, the values that its schema lists. From the
 * cache: no server is started.
 */
export async function knownArguments(
  config: ConfigContext,
  { tool: word, given, last }: { readonly tool: string; readonly given: readonly string[]; readonly last: string },
): Promise<readonly KnownName[]> {
  await using host = await openCached(config);
  const found = host
    .tools()
    .find(({ name, server, tool }) => word === name || word === `${server}.${tool}` || word === tool);
  const [definition] = (found && runningServer(host, found.server)?.catalog.toolDefinitions([found.tool])) ?? [];
  if (!definition) return [];
  const { toolSlots } = await import('../../model/source/argument-slots.js');
  const slots = toolSlots(definition.inputSchema);
  const [, name] = /^([^=:]+):?=/u.exec(last) ?? [];
  if (name !== undefined) {
    const { values = [] } = slots.find((slot) => slot.name === name) ?? {};
    return values.map((value) => [`${name}=${value}`, '']);
  }
  const filled = new Set(given.map((one) => one.split(/:?=/u, 1)[0]));
  return slots.filter((slot) => !filled.has(slot.name)).map((slot) => [`${slot.name}=`, slot.about]);
}

/** The resources of a server, from the cache. */
export async function knownResources(config: ConfigContext, server: string): Promise<readonly KnownName[]> {
  await using host = await openCached(config);
  const resources = runningServer(host, server)?.catalog.resources ?? [];
  return resources.map(({ uri, name }) => [uri, name]);
}

/** A host that starts nothing: it has what earlier runs knew. */
async function openCached(config: ConfigContext): Promise<Host> {
  const { loadHostConfig } = await import('../../config/load.js');
  const open = await hostOpener(await loadHostConfig(config));
  return open({ watch: false, start: 'lazy' });
}

/** The hosts whose servers can be imported. */
export async function knownHosts(): Promise<readonly KnownName[]> {
  const { importers } = await import('../../config/importers/all.js');
  return importers.map(({ host, title }) => [host, title]);
}
