import { once } from 'node:events';
import { createServer } from 'node:net';
import { nameWord } from '../../base/shell-word.js';
import { systemCode } from '../../base/system-code.js';
import type { ConfiguredServer } from '../../config/entries/server.js';
import type { Finding } from './finding.js';

/** Finds fixed callback ports that another program uses: a sign-in could not come back from the browser. */
export async function probePorts(
  servers: readonly ConfiguredServer[],
  platform: NodeJS.Platform,
): Promise<readonly Finding[]> {
  const wanted = servers.flatMap((server) => {
    const port = callbackPortOf(server);
    return port === undefined ? [] : [{ name: server.name, port }];
  });
  // Each port once: two probes of one port would find each other.
  const ports = [...new Set(wanted.map(({ port }) => port))];
  const used = await Promise.all(ports.map(async (port) => ((await isTaken(port)) ? [port] : [])));
  const taken = wanted.filter(({ port }) => used.flat().includes(port));
  return taken.map(({ name, port }) => ({
    server: name,
    severity: 'warning',
    code: 'callback-port',
    message: `"${name}" cannot be signed in to: another program uses port ${port} (oauth.callbackPort)`,
    cause: `listening on port ${port} of localhost fails with EADDRINUSE`,
    hint: `See which program it is: ${lookCommand(port, platform)}; end that program, or change "callbackPort" and then: plugboard login ${nameWord(name)}`,
  }));
}

function callbackPortOf({ config }: ConfiguredServer): number | undefined {
  return config && 'oauth' in config ? config.oauth?.callbackPort : undefined;
}

/** True only when the port is in use: a port that may not be opened for another reason is reported by the sign-in. */
async function isTaken(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer();
    try {
      server.listen({ port, host, exclusive: true, ipv6Only: host === '::1' });
      await once(server, 'listening');
    } catch (error) {
      if (error instanceof Error && systemCode(error) === 'EADDRINUSE') return true;
    } finally {
      server.close();
    }
  }
  return false;
}

function lookCommand(port: number, platform: NodeJS.Platform): string {
  if (platform === 'win32') return `netstat -ano | findstr :${port}`;
  return platform === 'darwin' ? `lsof -nP -iTCP:${port} -sTCP:LISTEN` : `ss -ltnp 'sport = :${port}'`;
}
