import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { IncomingRequest } from './http/http-turn.js';
import { ReceivedMessages } from './received-messages.js';
import { RequestCounts } from './ledger.js';
import { openTrap } from './attacks/trap.js';

/** A hostile server that listens. */
export interface ServedMode extends AsyncDisposable {
  readonly url: string;
  /** The requests so far, oldest first. Only the first 1,000 are kept; `counts` goes on. */
  readonly log: readonly IncomingRequest[];
  /** The counts that the tool `report` returns. */
  readonly counts: () => Record<string, number>;
}

/** Where a server listens. */
export interface ServeOptions {
  readonly host?: string;
  /** 0, the default: any free port. */
  readonly port?: number;
}

/** One connection from the host, and what all connections to the server share. */
export interface LoopbackClient {
  readonly socket: Socket;
  /** Aborts when either side closes this connection. */
  readonly gone: AbortSignal;
  readonly ledger: RequestCounts;
  readonly receivedMessages: ReceivedMessages;
  readonly log: (incoming: IncomingRequest) => void;
  /** The server's own URL. */
  readonly url: string;
  /** The URL of a server that counts every request as `strayed`. */
  readonly trap: string;
}

export interface AddressParts {
  readonly scheme: 'http' | 'ws';
  readonly path: string;
}

const LOG_LIMIT = 1000; // a host in a loop must not fill this process's memory

/** Listens on loopback, in this process. Neither blocks nor fills memory here: only the host is to suffer. */
export async function openLoopback(
  { host = '127.0.0.1', port = 0 }: ServeOptions,
  { scheme, path }: AddressParts,
  receive: (visit: LoopbackClient) => void,
): Promise<ServedMode> {
  const ledger = new RequestCounts();
  const receivedMessages = new ReceivedMessages();
  const requests: IncomingRequest[] = [];
  const trap = await openTrap(ledger);
  const sockets = new Set<Socket>();
  let url = '';
  const log = (incoming: IncomingRequest): void => {
    if (requests.length < LOG_LIMIT) requests.push(incoming);
  };
  // Without noDelay a response in two pieces waits until the host acknowledges the first one: 40 ms.
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    ledger.add('connections');
    socket.on('error', () => {}); // a host may disconnect in the middle of an answer: some modes test that
    const leaving = new AbortController();
    socket.once('close', () => {
      sockets.delete(socket);
      leaving.abort();
    });
    receive({ socket, gone: leaving.signal, ledger, receivedMessages, log, url, trap: trap.url });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { family, address, port: taken } = server.address() as AddressInfo;
  url = `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${taken}${path}`;
  return {
    url,
    log: requests,
    counts: () => ledger.counts(),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
      await trap[Symbol.asyncDispose]();
    },
  };
}
