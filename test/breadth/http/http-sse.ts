// HTTP+SSE, from the server's side: https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
import type { ServerResponse } from 'node:http';
import { type HttpHabit, sendPage, type Visit } from './raw-http-server.js';

/** HTTP+SSE at a URL whose entry says `http`. `post` responds to a POST to that URL. */
function overSse(post: (response: ServerResponse) => void): HttpHabit {
  let stream: ServerResponse | undefined;
  const listen = ({ response }: Visit): void => {
    stream = response;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('event: endpoint\ndata: /messages?sessionId=1\n\n');
  };
  return {
    take(visit) {
      const { verb, path, message, response, server } = visit;
      if (verb === 'GET') listen(visit);
      else if (!path.startsWith('/messages')) post(response);
      else {
        response.writeHead(202).end('Accepted');
        if (message['id'] !== undefined && message['method'] !== undefined) {
          const answer = { jsonrpc: '2.0', id: message['id'], ...server.outcome(message) };
          stream?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
        }
      }
      return true;
    },
    revision: '2024-11-05',
  };
}

export const httpSse = {
  'sse-behind-404-page': overSse((response) => sendPage(response, 404)),
  'sse-behind-404': overSse((response) => void response.writeHead(404).end()),
  'sse-behind-405': overSse((response) => void response.writeHead(405, { Allow: 'GET' }).end()),
  'sse-behind-400': overSse((response) => void response.writeHead(400).end('sessionId is missing')),
  'sse-behind-202': overSse((response) => void response.writeHead(202).end('Accepted')),
  'neither-nor-and-silent': {
    take({ verb, response }) {
      if (verb === 'POST') sendPage(response, 404);
      return true;
    },
  },
} satisfies Record<string, HttpHabit>;
