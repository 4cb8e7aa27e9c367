import type { EmbeddedServer } from '../../../src/transports/kind.js';
import { socketTransport } from '../socket-transport.js';
import type { FixtureOptions } from './fixture-options.js';
import { connectOldSdkServer } from './old-sdk-server.js';
import { connectSdkServer } from './sdk-server.js';
import { type ServedOverWs, serveSockets } from './ws-server.js';

/** The official SDK's server at one end of a linked pair, which serves as its transport. */
export function embedSdk(options: FixtureOptions): EmbeddedServer {
  return { connect: (end) => connectSdkServer(end as never, options, () => void end.close()) };
}

export function embedOldSdk(): EmbeddedServer {
  return { connect: (end) => connectOldSdkServer(end as never, () => void end.close()) };
}

/** An embedded server at one end of a WebSocket. */
export function serveOverWs(server: EmbeddedServer): Promise<ServedOverWs> {
  return serveSockets((socket) => {
    const end = socketTransport(socket);
    void server.connect(Object.assign(end, { close: async () => socket.terminate() }));
  });
}
