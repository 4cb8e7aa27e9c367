import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** A port of this machine on which nothing listens, until it is disposed of. */
export interface ClosedPort extends Disposable {
  readonly port: number;
}

/**
 * Holds the local end of a connection: connecting to that port is refused, and the system gives the port to nobody
 * else. The port of a closed server could become that of another test's server a moment later.
 */
export async function holdClosedPort(): Promise<ClosedPort> {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1'); // ends by a reset
  await once(server, 'listening');
  const connection = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(connection, 'connect');
  const release = (): void => {
    connection.resetAndDestroy();
    server.close();
  };
  return { port: connection.localPort!, [Symbol.dispose]: release };
}
