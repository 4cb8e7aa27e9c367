import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import type { ConnectionFactory } from '../connection/connection-factory.js';
import type { HostParts } from './host-parts.js';
import type { Server } from './servers/server.js';
import { approvalRequest } from './approval-request.js';
import { type ServerTexts, serverTexts } from './servers/server-texts.js';

/** What a Host shows only to the room `actions`; the key is in host/inside.ts. */
export interface HostInside {
  readonly loaded: HostConfig;
  /** Every entry that was found, strongest first. */
  entries(): readonly ConfiguredServer[];
  /** The running server of this name; undefined where none runs. */
  server(name: string): Server | undefined;
  /** `check`: whether a value matches a server's schema. */
  readonly schemas: Pick<ConnectionFactory, 'check'>;
  readonly texts: ServerTexts;
  readonly approvalRequest: typeof approvalRequest;
}

export function toInside({ servers, services: { configuration, connectionFactory } }: HostParts): HostInside {
  return {
    loaded: configuration.loaded,
    schemas: connectionFactory,
    entries: () => servers.entries(),
    server: (name) => servers.get(name),
    texts: serverTexts,
    approvalRequest,
  };
}
