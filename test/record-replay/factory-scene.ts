import { accountCredentials } from '../../src/model/account.js';
import { unreachable } from '../../src/base/never.js';
import { Secret } from '../../src/base/secret.js';
import type { ConnectableServer, ConnectionFactoryOptions } from '../../src/connection/connection-factory.js';
import type { ServerConfig } from '../../src/transports/kinds.js';
import type { Place } from '../contract/behaviour.js';
import type { Address } from '../contract/clients/contract-client.js';
import { SERVER_NAME } from '../contract/servers/embedding.js';
import { NEW_TOKEN, OLD_TOKEN } from '../contract/start-server.js';

export type Around = Pick<ConnectionFactoryOptions, 'embedded' | 'control'>;

export interface Connectable {
  readonly server: ConnectableServer;
  readonly around: Around;
  /** Secrets that both sides send and that must not be in a recording. */
  readonly secrets: readonly string[];
}

/** The server as an entry, with a secret in the place where its transport allows one. */
export function toConnectable(address: Address, { era, transport }: Place, secret: string): Connectable {
  const headers = { 'X-Api-Key': new Secret(secret) };
  const forced = transport === 'ws' ? { era } : {};
  const connectable = (config: ServerConfig, rest: Partial<Connectable> = {}): Connectable => ({
    server: { name: SERVER_NAME, config: { ...config, ...forced } },
    around: {},
    secrets: [secret],
    ...rest,
  });
  switch (address.kind) {
    case 'in-process': {
      const embedded = new Map([['fixture', address.server]]);
      return connectable({ type: 'in-process', name: 'fixture' }, { around: { embedded }, secrets: [] });
    }
    case 'stdio': {
      const env = Object.entries({ ...address.env, API_KEY: secret }).map(([key, value]) => [key, new Secret(value)]);
      return connectable({
        type: 'stdio',
        command: process.execPath,
        args: [address.file],
        env: Object.fromEntries(env) as Record<string, Secret>,
      });
    }
    case 'http':
    case 'sse':
    case 'ws':
      return connectable({ type: address.kind, url: address.url, headers });
    case 'connector': {
      const { server, ...rest } = connectable({ type: 'connector-proxy', url: address.url, headers });
      return {
        ...rest,
        server: { ...server, credentials: accountCredentials(address.account, 'renew it') },
        secrets: [secret, OLD_TOKEN, NEW_TOKEN],
      };
    }
    case 'sdk':
      return connectable({ type: 'sdk', name: 'fixture' }, { around: { control: address.control }, secrets: [] });
    default:
      return unreachable(address);
  }
}
