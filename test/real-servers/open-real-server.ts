import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Secret } from '../../src/base/secret.js';
import { connect, type Connection } from '../../src/connection/connect.js';
import { systemClock } from '../../src/edge/clock.js';
import { openWorkshop, type Workshop } from '../../src/edge/processes/process-fixtures.js';
import type { ServerConfig } from '../../src/transports/kinds.js';
import { packageFile, type RealServer } from './real-server.js';

/** A real server, started for this test, and the connection to it. */
export interface OpenedServer extends AsyncDisposable {
  readonly connection: Connection;
  readonly folder: string;
  /** Closes the connection and returns the pids of the server's processes that are left. */
  close(): Promise<number[]>;
}

const START_LIMIT = 300_000; // guards against a hang

/** A variable in the host's environment that no server may see. */
export const HOST_SECRET = 'the-key-of-the-host';

export async function openRealServer(server: RealServer): Promise<OpenedServer> {
  const workshop = openWorkshop();
  const { folder } = workshop;
  for (const [name, content] of Object.entries(server.files ?? {})) writeFileSync(join(folder, name), content);
  const args = [packageFile(server.packageName), ...(server.args?.(folder) ?? [])];
  const remote = server.transport === 'http' ? await startListening(workshop, args) : undefined;
  const connection = await connect({
    config: remote ? { type: 'http', url: remote.url, headers: {} } : toStdio(server, workshop, args),
    context: {
      name: server.title,
      clock: systemClock,
      env: { ...process.env, AWS_SECRET_ACCESS_KEY: HOST_SECRET },
      platform: process.platform,
      cwd: folder,
      processes: workshop.registry,
    },
    timeoutMs: START_LIMIT,
    ...server.options,
  });
  return {
    connection,
    folder,
    async close() {
      await connection[Symbol.asyncDispose]();
      await remote?.end();
      return workshop.survivors();
    },
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]();
      await remote?.end();
      workshop[Symbol.dispose]();
    },
  };
}

function toStdio(server: RealServer, workshop: Workshop, args: readonly string[]): ServerConfig {
  const variables = { ...workshop.env, ...server.env?.(workshop.folder) };
  const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, new Secret(value)]));
  return { type: 'stdio', command: process.execPath, args, env };
}

interface Listening {
  readonly url: string;
  end(): Promise<void>;
}

/** Starts a server that listens on the port in PORT, and waits until it does. */
async function startListening({ env }: Workshop, args: readonly string[]): Promise<Listening> {
  const port = await freePort();
  const child = spawn(process.execPath, args, {
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      if (said.includes(`listening on port ${port}`)) resolve();
    });
    child.once('exit', () => reject(new Error(`It did not start: ${said}`)));
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async end() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
