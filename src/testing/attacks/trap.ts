import type { AddressInfo } from 'node:net';
import type { RequestCounts } from '../ledger.js';

/** An HTTP server that no configuration names. Counts every request that reaches it as `strayed`. */
export interface Trap extends AsyncDisposable {
  readonly url: string;
}

export async function openTrap(ledger: RequestCounts): Promise<Trap> {
  // Imported lazily: few modes need it, and every start of a server would pay for it.
  const { createServer } = await import('node:http');
  const server = createServer((asked, reply) => {
    ledger.add('strayed');
    if (asked.headers.authorization !== undefined) ledger.add('strayed with a token');
    asked.resume();
    reply.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/elsewhere`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
