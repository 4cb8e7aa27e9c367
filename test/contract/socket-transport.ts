import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/client';
import type { RawData, WebSocket } from 'ws';
import type { LinkedEnd } from '../../src/transports/in-process/in-process-pipe.js';
import type { JsonRpcMessage } from '../../src/wire/message.js';

/**
 * One side of a WebSocket as a transport for both generations of the SDK. The second has no WebSocket transport, so
 * messages are parsed by its function for stdio.
 */
export function socketTransport(socket: WebSocket): LinkedEnd {
  const end: LinkedEnd = {
    start: () => untilOpen(socket),
    send: (message) =>
      new Promise((resolve, reject) => {
        socket.send(serializeMessage(message as never).trimEnd(), (error) => (error ? reject(error) : resolve()));
      }),
    close: () =>
      new Promise((resolve) => {
        if (socket.readyState === socket.CLOSED) return resolve();
        socket.once('close', () => resolve());
        return socket.close();
      }),
  };
  socket.on('message', (data: RawData) => {
    try {
      end.onmessage?.(deserializeMessage((data as Buffer).toString('utf8')) as JsonRpcMessage);
    } catch (error) {
      end.onerror?.(error as Error);
    }
  });
  socket.on('error', (error) => end.onerror?.(error));
  socket.on('close', () => end.onclose?.());
  return end;
}

function untilOpen(socket: WebSocket): Promise<void> {
  if (socket.readyState === socket.OPEN) return Promise.resolve();
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
}
