import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Which way bytes go: `up` to the server, `down` to the client. */
export type Direction = 'up' | 'down';

/** What is wrong with the network; with nothing in it, nothing is. */
export interface Fault {
  /** Everything arrives so much later. */
  readonly latencyMs?: number;
  /** No more than that passes, each way. */
  readonly bytesPerSecond?: number;
  /** So many bytes still pass on a connection from now on; then it ends, or is reset. */
  readonly cut?: { readonly direction: Direction; readonly after: number; readonly by: 'end' | 'reset' };
  /** What goes that way is gone and nobody is told, as behind a router that has forgotten the connection. */
  readonly lose?: Direction | 'both';
  /** How new connections fare: refused by the machine, reset as soon as they are made, or taken by nobody. */
  readonly door?: 'refuse' | 'reset' | 'silent';
  /** What becomes of those that are open when the fault begins, besides all that. */
  readonly open?: 'reset' | 'stranded';
}

/** One fault for all connections, or one for each, by their number. */
export type Faults = Fault | ((connection: number) => Fault);

export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  /** Connections that were taken so far. */
  readonly taken: number;
  /** From now on this is wrong, for open connections and for new ones. */
  set(faults: Faults): Promise<void>;
}

export interface FaultProxyOptions {
  /** The server's, on this machine. */
  readonly port: number;
  /** Sees what is sent, whether it arrives or not. */
  readonly watch?: (bytes: Buffer, direction: Direction) => void;
}

/** Stands between a client and a server, and is as bad a network as it is told to be. */
export async function openFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy = new Proxy(options);
  await proxy.set(FINE);
  return proxy;
}

const FINE: Fault = {};

class Proxy implements FaultProxy {
  port = 0;
  taken = 0;
  readonly #options: FaultProxyOptions;
  readonly #links = new Set<Link>();
  #server: Server | undefined;
  #faults: Faults = FINE;

  constructor(options: FaultProxyOptions) {
    this.#options = options;
  }

  async set(faults: Faults): Promise<void> {
    this.#faults = faults;
    for (const link of this.#links) link.suffer(this.#faultOf(link.number));
    if (this.#faultOf(this.taken).door === 'refuse') this.#server = void this.#server?.close();
    else if (!this.#server) await this.#listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server?.close();
    for (const link of this.#links) link.end('reset');
  }

  #faultOf(connection: number): Fault {
    return typeof this.#faults === 'function' ? this.#faults(connection) : this.#faults;
  }

  async #listen(): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#take(socket));
    this.#server = server;
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
  }

  #take(socket: Socket): void {
    const number = this.taken++;
    const { door, open: _open, ...fault } = this.#faultOf(number);
    if (door === 'reset') {
      socket.resetAndDestroy();
      return;
    }
    const link: Link = new Link(number, socket, () => this.#links.delete(link));
    this.#links.add(link);
    link.suffer(door === 'silent' ? { open: 'stranded' } : fault);
    if (door !== 'silent') link.connect(this.#options);
  }
}

/** One connection of a client, and the one to the server behind it. */
class Link {
  readonly number: number;
  readonly #client: Socket;
  readonly #gone: () => void;
  #server: Socket | undefined;
  #fault: Fault = FINE;
  #lanes: Lane[] = [];
  #isStranded = false;

  constructor(number: number, client: Socket, gone: () => void) {
    this.number = number;
    this.#client = client;
    this.#gone = gone;
    client.on('error', () => this.end('reset')).on('close', () => this.end('end'));
    // Read in any case: a client that is never read would be told by its own full buffers.
    client.on('data', (bytes: Buffer) => this.#lanes[0]?.push(bytes)).on('end', () => this.#lanes[0]?.end());
  }

  connect({ port, watch }: FaultProxyOptions): void {
    if (watch) this.#client.on('data', (bytes: Buffer) => watch(bytes, 'up'));
    const server = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.#server = server;
    this.#lanes = [new Lane('up', this.#client, server), new Lane('down', server, this.#client)];
    for (const lane of this.#lanes) lane.suffer(this.#fault, () => this.#cutOff());
    server.on('error', () => this.end('reset')).on('close', () => this.end('end'));
    server.on('data', (bytes: Buffer) => this.#lanes[1]?.push(bytes)).on('end', () => this.#lanes[1]?.end());
    if (watch) server.on('data', (bytes: Buffer) => watch(bytes, 'down'));
  }

  suffer(fault: Fault): void {
    this.#fault = fault;
    if (fault.open === 'reset') return this.end('reset');
    // Once forgotten, a connection stays so, whatever comes after.
    this.#isStranded ||= fault.open === 'stranded';
    const suffered: Fault = this.#isStranded ? { lose: 'both' } : fault;
    for (const lane of this.#lanes) lane.suffer(suffered, () => this.#cutOff());
  }

  end(how: 'end' | 'reset'): void {
    for (const lane of this.#lanes.splice(0)) lane.stop();
    for (const socket of [this.#client, this.#server]) {
      if (how === 'reset') socket?.resetAndDestroy();
      else socket?.destroy();
    }
    this.#gone();
  }

  #cutOff(): void {
    this.end(this.#fault.cut?.by ?? 'end');
  }
}

/** One way of one connection. */
class Lane {
  readonly #direction: Direction;
  readonly #from: Socket;
  readonly #to: Socket;
  #fault: Fault = FINE;
  #cutOff = (): void => {};
  /** What may still pass before the cut. */
  #left = Infinity;
  /** What is on its way, in order. */
  #moving: { readonly bytes: number; readonly due: number; readonly arrive: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(direction: Direction, from: Socket, to: Socket) {
    this.#direction = direction;
    this.#from = from;
    this.#to = to;
  }

  suffer(fault: Fault, cutOff: () => void): void {
    this.#fault = fault;
    this.#cutOff = cutOff;
    this.#left = fault.cut?.direction === this.#direction ? fault.cut.after : Infinity;
    // What is on its way arrives no later than it would if it were sent now.
    const moving = this.#moving;
    this.#moving = [];
    for (const { bytes, due, arrive } of moving) this.#append(bytes, { latest: due, arrive });
    clearTimeout(this.#timer);
    this.#wait();
  }

  push(bytes: Buffer): void {
    if (this.#isLost()) return;
    const { bytesPerSecond } = this.#fault;
    const size = bytesPerSecond === undefined ? bytes.length : Math.max(1, Math.ceil(bytesPerSecond / PIECES));
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size);
      this.#move(piece.length, () => this.#deliver(piece));
    }
  }

  end(): void {
    if (!this.#isLost()) this.#move(0, () => this.#to.end());
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#moving = [];
    this.#from.pause();
  }

  #deliver(bytes: Buffer): void {
    if (this.#isLost()) return;
    const passing = bytes.subarray(0, Math.max(this.#left, 0));
    this.#left -= bytes.length;
    if (this.#left > 0) this.#to.write(passing);
    // Not before it has been handed over: what passed before a cut arrives.
    else this.#to.write(passing, () => this.#cutOff());
  }

  #isLost(): boolean {
    return this.#fault.lose === 'both' || this.#fault.lose === this.#direction;
  }

  #move(bytes: number, arrive: () => void): void {
    this.#append(bytes, { latest: Infinity, arrive });
    if (this.#moving.length === 1) this.#wait();
  }

  #append(bytes: number, { latest, arrive }: { readonly latest: number; readonly arrive: () => void }): void {
    const { latencyMs = 0, bytesPerSecond = Infinity } = this.#fault;
    const before = this.#moving.at(-1)?.due ?? 0;
    const due = Math.max(before, performance.now() + latencyMs) + (bytes / bytesPerSecond) * 1000;
    this.#moving.push({ bytes, due: Math.min(due, latest), arrive });
  }

  readonly #wait = (): void => {
    for (let next = this.#moving[0]; next; next = this.#moving[0]) {
      const wait = next.due - performance.now();
      if (wait > 0) {
        this.#timer = setTimeout(this.#wait, wait);
        return;
      }
      this.#moving.shift();
      next.arrive();
    }
  };
}

const PIECES = 20; // what passes in a second, in so many pieces
