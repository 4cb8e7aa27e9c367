import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { IncomingRequest } from './http/http-turn.js';
import { ReceivedMessages } from './received-messages.js';
import { RequestCounts } from './ledger.js';
import { openTrap } from './attacks/trap.js';

/** A hostile server that is being served. */
export interface ServedMode extends AsyncDisposable {
  readonly url: string;
  /** The requests so far, oldest first; after a thousand only the counts go on. */
  readonly log: readonly IncomingRequest[];
  /** What the tool `report` tells, too. */
  readonly counts: () => Record<string, number>;
}

export interface ServeOptions {
  readonly host?: string;
  /** 0 or absent: any that is free. */
  readonly port?: number;
}

/** One connection of the host, and what the server remembers of all of them. */
export interface LoopbackClient {
  readonly socket: Socket;
  /** Aborted when this connection is closed, from whichever side. */
  readonly gone: AbortSignal;
  readonly ledger: RequestCounts;
  readonly receivedMessages: ReceivedMessages;
  readonly log: (incoming: IncomingRequest) => void;
  /** Our own address. */
  readonly url: string;
  /** The address of something that counts who comes. */
  readonly trap: string;
}

/** How an address of ours begins and ends. */
export interface AddressParts {
  readonly scheme: 'http' | 'ws';
  readonly path: string;
}

const LOG_LIMIT = 1000; // a host that loops must not fill our memory

/** Listens on loopback, in this process. Nothing in it blocks or fills memory: the one who suffers is the host. */
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
  // What is written in two pieces would wait for the host to acknowledge the first: 40 ms that are nobody's fault.
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    ledger.add('connections');
    socket.on('error', () => {}); // a host may hang up in mid-answer: that is what is being tested
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
