import type { ConfiguredServer } from '../../config/entries/server.js';
import type { HostConfig } from '../../config/load.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { probeClock } from './clock-probe.js';
import type { Finding } from './finding.js';
import { probeKeychain } from './keychain-probe.js';
import { diagnoseNpxCache } from './npx-cache.js';
import { probePorts } from './port-probe.js';
import { probeProxies } from './proxy-probe.js';

export interface MachineOptions {
  /** The servers that may run and are asked about. */
  readonly ready: readonly ConfiguredServer[];
  readonly loaded: HostConfig;
  readonly host: { server(name: string): ServerLifecycle | undefined } | undefined;
  readonly machine: 'inside' | 'outside';
}

/** Problems of this machine that show only when it is tried: keychain, ports, packages of npx, proxies, clock. */
export async function tryMachine({ ready, loaded, host, machine }: MachineOptions): Promise<readonly Finding[]> {
  const answering = ready.filter(({ name }) => {
    const kind = host?.server(name)?.status.kind;
    return kind === 'connected' || kind === 'needs-auth';
  });
  const outside = machine === 'outside' ? [probeProxies(loaded), probeClock(answering, loaded)] : [];
  const found = await Promise.all([
    probeKeychain(ready, loaded),
    probePorts(ready, loaded.context.platform),
    ...outside,
  ]);
  return [...diagnoseNpxCache(ready, loaded), ...found.flat()];
}
