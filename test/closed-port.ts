import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** A port of this machine at which nobody listens, and nobody begins to until it is given back. */
export interface ClosedPort extends Disposable {
  readonly port: number;
}

/**
 * It is the near end of a connection: whoever connects to it is refused, and the system gives it to nobody else. The port of a server that
 * was closed could be that of another test's server a moment later.
 */
export async function holdClosedPort(): Promise<ClosedPort> {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1'); // it is reset in the end
  await once(server, 'listening');
  const connection = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(connection, 'connect');
  const release = (): void => {
    connection.resetAndDestroy();
    server.close();
  };
  return { port: connection.localPort!, [Symbol.dispose]: release };
}
