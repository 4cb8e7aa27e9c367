import { eventStream } from './event-stream.js';
import type { HostRequest } from '../healthy.js';
import type { HttpTurn, IncomingRequest } from './http-turn.js';
import type { LoopbackClient } from '../loopback.js';
import { RequestReader } from './request-reader.js';
import { toHead } from './response-head.js';
import { writeBytes } from '../write.js';

/** Handles the requests of one connection one after the other, as HTTP/1.1 requires. */
export function listenHttp({ socket, log }: LoopbackClient, take: (incoming: IncomingRequest) => Promise<void>): void {
  let last = Promise.resolve();
  const reader = new RequestReader((incoming) => {
    log(incoming);
    last = last.then(() => take(incoming));
  });
  socket.on('data', (chunk: Buffer) => reader.push(chunk));
}

export function toHttpTurn(ask: HostRequest, incoming: IncomingRequest, visit: LoopbackClient): HttpTurn {
  const { socket, gone, url, trap, ledger, receivedMessages } = visit;
  const raw: HttpTurn['raw'] = (bytes) => writeBytes(socket, bytes);
  const reply: HttpTurn['reply'] = async ({ status, reason, headers, body = '' }) => {
    const bytes = Buffer.from(body);
    await raw(toHead(status, { 'Content-Length': String(bytes.length), ...headers }, reason));
    return raw(bytes);
  };
  return {
    ...ask,
    incoming,
    raw,
    reply,
    json: (text, headers) =>
      reply({ status: 200, headers: { 'Content-Type': 'application/json', ...headers }, body: text }),
    async stream(headers) {
      await raw(toHead(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked', ...headers }));
      return eventStream(raw);
    },
    hangUp: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    gone,
    hear: (fits) => receivedMessages.hear(fits, gone),
    count: (what) => ledger.add(what),
    url,
    trap,
  };
}
