import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { Serving } from './journal-listen.js';
import type { Journal } from './journal.js';

/** One JSON object in each text frame, and the subprotocol `mcp`. */
export async function serveJournalOverWs(journal: Journal): Promise<Serving> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'mcp' });
  server.on('connection', (client) => {
    client.on('error', () => {}); // the faulty network breaks connections
    client.on('message', (data: Buffer) => {
      const answer = journal.answer(JSON.parse(data.toString('utf8')));
      if (answer) client.send(JSON.stringify(answer));
    });
  });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
