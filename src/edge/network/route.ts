import type { LookupFunction } from 'node:net';
import { pinAddresses } from './address-pins.js';
import { findProxy, type ProxyServer } from './proxy-choice.js';
import type { TlsMaterial } from './tls-material.js';

/** How connections to one server are made: proxy, trusted issuers, client certificate. */
export interface Route {
  readonly proxy: ProxyServer | undefined;
  readonly tls: TlsMaterial | undefined;
  /** Resolves names, and pins the class of a host's first addresses. */
  readonly lookup: LookupFunction;
}

export interface RouteOptions {
  /** Subject of every error message: `Server "db"`. */
  readonly label: string;
  readonly env: { readonly [name: string]: string | undefined };
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
  /** Base of relative paths in `tls`. */
  readonly cwd: string;
  /** Resolves a host name; the system's resolver by default. */
  readonly lookup?: LookupFunction | undefined;
}

/** The route to a server, from the environment and its entry. Rejects with a `HostError` that names the cause. */
export async function findRoute(url: URL, options: RouteOptions): Promise<Route> {
  const { label, env, tls, cwd, lookup } = options;
  const proxy = findProxy(url, { label, env });
  const material =
    tls === undefined ? undefined : (await import('./tls-material.js')).loadTlsMaterial(tls, { label, cwd });
  return { proxy, tls: material, lookup: pinAddresses(lookup, { label }) };
}

/** A route without a proxy and without the entry's TLS files. */
export function directRoute(label: string): Route {
  return { proxy: undefined, tls: undefined, lookup: pinAddresses(undefined, { label }) };
}
