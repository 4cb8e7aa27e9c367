import type { LookupFunction } from 'node:net';
import { pinAddresses } from './address-pins.js';
import { findProxy, type ProxyServer } from './proxy-choice.js';
import type { TlsMaterial } from './tls-material.js';

/** How connections to one server are made: through what, trusting whom, shown which certificate. */
export interface Route {
  readonly proxy: ProxyServer | undefined;
  readonly tls: TlsMaterial | undefined;
  /** Resolves names, and remembers what sort of address a name first had. */
  readonly lookup: LookupFunction;
}

export interface RouteOptions {
  /** Begins the sentence of every error: `Server "db"`. */
  readonly label: string;
  readonly env: { readonly [name: string]: string | undefined };
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
  /** Where the relative path of a file starts from. */
  readonly cwd: string;
  /** Asks for the addresses of a host; the system's own way by default. */
  readonly lookup?: LookupFunction | undefined;
}

/** The way to a server, from the variables of the environment and its entry. Rejects with a HostError that names the culprit. */
export async function findRoute(url: URL, options: RouteOptions): Promise<Route> {
  const { label, env, tls, cwd, lookup } = options;
  const proxy = findProxy(url, { label, env });
  const material =
    tls === undefined ? undefined : (await import('./tls-material.js')).loadTlsMaterial(tls, { label, cwd });
  return { proxy, tls: material, lookup: pinAddresses(lookup, { label }) };
}

/** Straight there, with nothing of anybody's. */
export function directRoute(label: string): Route {
  return { proxy: undefined, tls: undefined, lookup: pinAddresses(undefined, { label }) };
}
