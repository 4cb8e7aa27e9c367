import { HostError } from '../../base/errors.js';
import { systemError } from '../../base/system-code.js';
import type { HostConfig } from '../../config/load.js';
import { dialProxy } from '../../edge/network/dial.js';
import { findProxy, type ProxyServer } from '../../edge/network/proxy-choice.js';
import { directRoute } from '../../edge/network/route.js';
import type { Finding } from './finding.js';

/** Connects to the proxies that the environment names. A server may fail because of one that is not there. */
export async function probeProxies({ context: { env } }: HostConfig): Promise<readonly Finding[]> {
  const proxies = new Map<string, ProxyServer>();
  for (const url of ['https://example.com/', 'http://example.com/']) {
    const proxy = proxyFor(new URL(url), env);
    if (proxy) proxies.set(`${proxy.host}:${proxy.port}`, proxy);
  }
  const found = await Promise.all([...proxies.values()].map((proxy) => probeProxy(proxy)));
  return found.flat();
}

function proxyFor(url: URL, env: HostConfig['context']['env']): ProxyServer | undefined {
  try {
    return findProxy(url, { label: LABEL, env });
  } catch {
    return undefined; // a variable that is no proxy is found without a connection
  }
}

async function probeProxy(proxy: ProxyServer): Promise<readonly Finding[]> {
  try {
    const socket = await dialProxy(proxy, { label: LABEL, route: directRoute(LABEL), timeoutMs: CONNECT_MS });
    socket.destroy();
    return [];
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const { message } = error;
    const cause = systemError(error)?.message;
    const hint = `Start the proxy, or do without it: unset ${proxy.variable}; for single hosts: export NO_PROXY=example.com,.internal`;
    return [{ severity: 'warning', code: 'proxy', message, ...(cause && { cause }), hint }];
  }
}

const LABEL = 'Remote servers';
const CONNECT_MS = 3000; // a proxy is near
