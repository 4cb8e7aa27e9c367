import type { LoadedConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/server.js';
import type { Dock } from '../connection/dock.js';
import type { Server } from './servers/server.js';
import type { approvalRequest } from './approval-request.js';
import type { ServerTexts } from './server-texts.js';

/** What a Host shows to the room `actions`: host/inside.ts has the key. */
export interface HostInside {
  /** The configuration as it is now. */
  readonly loaded: LoadedConfig;
  /** Every definition that was found, strongest first. */
  definitions(): readonly ConfiguredServer[];
  /** The whole life of the server of that name that runs; undefined where none does. */
  connection(name: string): Server | undefined;
  /** `check`: whether a value is what a server's schema asks for. */
  readonly dock: Pick<Dock, 'check'>;
  readonly texts: ServerTexts;
  readonly approvalRequest: typeof approvalRequest;
}
