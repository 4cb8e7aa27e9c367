import type { HostConfig } from '../config/load.js';
import type { Host } from '../host/host.js';
import type { HostOptions, ProgramOptions } from '../host/host-options.js';
import { inside } from '../host/inside.js';
import { connectionsOf } from './running-server.js';

export type OpenHost = (options: HostOptions, environment?: ProgramOptions) => Host;

/** What opens hosts over a configuration that is loaded already. Asked for where servers are to be started: it loads all that a host needs. */
export async function hostOpener(loaded: HostConfig): Promise<OpenHost> {
  const { Host: opened } = await import('../host/host.js');
  return (options, environment) => opened[inside](loaded, { ...loaded.context.options, ...options }, environment);
}

/** Shows a page to the person at this machine, outside of what a folder that nobody trusts can reach; false when there is no browser. Never rejects. */
export async function openPage(loaded: HostConfig, url: string): Promise<boolean> {
  const page = await import('../host/sign-in/open-page.js');
  return page.openBrowserPage({}, loaded, url);
}

/** Resolves when it is known of every server what it has, be it from the last run. Never rejects. */
export async function untilKnown(host: Host): Promise<void> {
  await host.configured(); // the account's connectors may not be known yet
  const unknown = connectionsOf(host).filter(({ catalog }) => catalog.source === 'none');
  await Promise.all(unknown.map((server) => server.settled()));
  await host.compared();
}

/** Resolves when servers that are being ended, or started, are what they are going to be. Never rejects. */
export async function untilDecided(host: Host): Promise<void> {
  await Promise.all(connectionsOf(host).map((server) => server.decided()));
}

/** The file that a lasting answer about a tool is written to; undefined: without a home nothing is written. */
export async function ruleFile({ context }: HostConfig): Promise<string | undefined> {
  const { fileToWrite } = await import('../config/edit/manage.js');
  try {
    return fileToWrite(context, 'local');
  } catch {
    return undefined;
  }
}
