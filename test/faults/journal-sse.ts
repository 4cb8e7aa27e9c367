// HTTP+SSE, from the server's side: https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
import type { ServerResponse } from 'node:http';
import { listen, readJson, type Serving } from './journal-listen.js';
import type { Journal } from './journal.js';

/** Each client has its own stream, and its endpoint event names that stream. */
export function serveJournalOverSse(journal: Journal): Promise<Serving> {
  const streams: ServerResponse[] = [];
  return listen(async (request, response) => {
    if (request.method === 'GET') {
      const number = streams.push(response) - 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /messages?stream=${number}\n\n`);
      return;
    }
    const answer = journal.answer(await readJson(request));
    response.writeHead(202).end();
    const stream = streams[Number(/\d+$/u.exec(request.url ?? '')?.[0])];
    if (answer) stream?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
  });
}
