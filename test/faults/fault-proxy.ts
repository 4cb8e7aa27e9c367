import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** `up`: to the server; `down`: to the client. */
export type Direction = 'up' | 'down';

/** A fault of the network; an empty object means none. */
export interface Fault {
  /** Delays everything by this much. */
  readonly latencyMs?: number;
  /** Bandwidth in each direction. */
  readonly bytesPerSecond?: number;
  /** Lets this many more bytes pass on a connection, then ends or resets it. */
  readonly cut?: { readonly direction: Direction; readonly after: number; readonly by: 'end' | 'reset' };
  /** Drops bytes silently in this direction, like a router that has forgotten the connection. */
  readonly lose?: Direction | 'both';
  /** New connections are refused, reset as soon as they are made, or accepted and left without a server. */
  readonly door?: 'refuse' | 'reset' | 'silent';
  /** Connections that are open when the fault begins are also reset, or lose all bytes from then on. */
  readonly open?: 'reset' | 'stranded';
}

/** One fault for all connections, or one for each, by its number. */
export type Faults = Fault | ((connection: number) => Fault);

export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  /** How many connections were accepted so far. */
  readonly taken: number;
  /** Applies to open connections and to new ones. */
  set(faults: Faults): Promise<void>;
}

export interface FaultProxyOptions {
  /** The server's port on this machine. */
  readonly port: number;
  /** Gets all bytes sent, whether or not they arrive. */
  readonly watch?: (bytes: Buffer, direction: Direction) => void;
}

/** A TCP proxy between client and server that simulates network faults. */
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

/** One connection of a client, with its connection to the server. */
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
    // Always reads: otherwise the client would notice by its full buffers.
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
    // A stranded connection stays stranded, whatever fault follows.
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

/** One direction of one connection. */
class Lane {
  readonly #direction: Direction;
  readonly #from: Socket;
  readonly #to: Socket;
  #fault: Fault = FINE;
  #cutOff = (): void => {};
  /** Bytes that may still pass before the cut. */
  #left = Infinity;
  /** Bytes in transit, in order. */
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
    // Bytes in transit arrive when they were due, or earlier where the new fault delays less.
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
    // Cuts only after the socket has taken these bytes, so that all bytes before the cut arrive.
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

const PIECES = 20; // a second's bytes pass in this many chunks
