import type { HostConfig } from '../config/load.js';
import type { PermissionQuestion } from '../guard/permission-question.js';
import type { Host } from '../host/host.js';
import type { HostOptions, ProgramOptions } from '../host/host-options.js';
import { inside } from '../host/inside.js';
import { connectionsOf } from './running-server.js';

export type OpenHost = (options: HostOptions, environment?: ProgramOptions) => Host;

/** Returns what opens hosts over a loaded configuration. Only for starting servers: it imports the whole host. */
export async function hostOpener(loaded: HostConfig): Promise<OpenHost> {
  const { Host: opened } = await import('../host/host.js');
  return (options, environment) => opened[inside](loaded, { ...loaded.context.options, ...options }, environment);
}

/** Opens a page in a browser that an untrusted folder's PATH cannot replace; false without one. Never rejects. */
export async function openPage(loaded: HostConfig, url: string): Promise<boolean> {
  const page = await import('../host/sign-in/open-page.js');
  return page.openBrowserPage({}, loaded, url);
}

/** Resolves when every server has a catalog (cached or listed) or has settled without one. Never rejects. */
export async function untilKnown(host: Host): Promise<void> {
  await host.configured(); // the account's connectors may still be loading
  const unknown = connectionsOf(host).filter(({ catalog }) => catalog.source === 'none');
  await Promise.all(unknown.map((server) => server.settled()));
  await host.compared();
}

/** Resolves when no server is being started or stopped any more. Never rejects. */
export async function untilDecided(host: Host): Promise<void> {
  await Promise.all(connectionsOf(host).map((server) => server.decided()));
}

/** The file for a rule that the user wants remembered; undefined without a home folder. */
export async function ruleFile(
  { context }: HostConfig,
  { flow }: Pick<PermissionQuestion, 'flow'>,
): Promise<string | undefined> {
  const { fileToWrite } = await import('../config/edit/manage.js');
  try {
    return fileToWrite(context, flow?.scope ?? 'local');
  } catch {
    return undefined;
  }
}
