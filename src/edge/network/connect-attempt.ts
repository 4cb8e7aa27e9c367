import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import type { PeerCertificate, SecureContext } from 'node:tls';
import { HostError } from '../../base/errors.js';
import { onAbort } from '../../base/on-abort.js';
import { type DialFailure, type ConnectionPeer, toDialError } from './dial-error.js';
import type { ProxyServer } from './proxy-choice.js';
import { requestTunnel, toProxyRefusal } from './tunnel.js';

export interface ConnectAttemptOptions {
  /** Subject of every error message: `Server "db"`. */
  readonly label: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** One attempt to connect: several steps within one timeout. A step that fails rejects with a `HostError`. */
export class ConnectAttempt implements Disposable {
  readonly #options: ConnectAttemptOptions;
  readonly #timer: NodeJS.Timeout;
  #listening: Disposable | undefined;
  readonly #sockets: Socket[] = [];
  #end: 'timeout' | 'aborted' | undefined;

  constructor(options: ConnectAttemptOptions) {
    this.#options = options;
    const { timeoutMs, signal } = options;
    this.#timer = setTimeout(() => this.#stop('timeout'), Math.min(timeoutMs, TIMER_MAX));
    if (signal?.aborted === true) this.#stop('aborted');
    else this.#listening = onAbort(signal, () => this.#stop('aborted'));
  }

  /** Connects by TCP, to an address that `lookup` has approved: the name is not resolved a second time. */
  async reach(
    party: ConnectionPeer,
    { port, lookup }: { readonly port: number; readonly lookup: LookupFunction },
  ): Promise<Socket> {
    let isLookingUp = isIP(party.host) === 0;
    const watched: LookupFunction = (name, options, callback) =>
      lookup(name, options, (...answer) => {
        isLookingUp = false;
        callback(...answer);
      });
    const socket = connect({ ...SOCKET_OPTIONS, host: party.host, port, lookup: watched });
    await this.#until(socket, 'connect', () => ({ party, step: isLookingUp ? 'look-up' : 'connection' }));
    return socket;
  }

  /** Starts TLS on a socket. Checks the peer's certificate once; refuses renegotiation, which could change it. */
  async secure(socket: Socket, { party, context, hasCertificate }: SecureOptions): Promise<Socket> {
    const { connect: connectTls } = await import('node:tls');
    const { TLS_FLOOR } = await import('./tls-floor.js');
    const secured = connectTls({
      socket,
      host: party.host,
      servername: isIP(party.host) === 0 ? party.host : '', // SNI allows no IP address
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true, // overrides NODE_TLS_REJECT_UNAUTHORIZED
      ...(context ? { secureContext: context } : TLS_FLOOR),
    });
    let certificate: PeerCertificate | undefined;
    // Read before Node checks the certificate: after a failed check the error message could not describe it any more.
    secured.prependOnceListener('secure', () => (certificate = secured.getPeerCertificate()));
    await this.#until(secured, 'secureConnect', () => ({ party, step: 'TLS', certificate, hasCertificate }));
    secured.on('secureConnect', () => {
      const what = `${party.subject} tried to renegotiate TLS${party.at}, which Plugboard refuses`;
      secured.destroy(new HostError('connection-closed', what, { hint: 'Switch off TLS renegotiation on the server' }));
    });
    return secured;
  }

  /** Opens a tunnel through a proxy, on the socket to it. */
  async tunnel(socket: Socket, { party, proxy, target }: TunnelOptions): Promise<Socket> {
    const answer = await requestTunnel(socket, { proxy, target });
    if (answer.kind === 'open' && this.#end === undefined) return socket;
    this.#discard();
    const { label } = this.#options;
    if (answer.kind === 'refused') throw toProxyRefusal(answer.status, { label, proxy, target });
    const what = answer.kind === 'broken' ? answer.what : '';
    const cause = new HostError('connect-failed', `${party.subject} ${what}`, { hint: party.hint });
    throw this.#toError(cause, { party, step: 'CONNECT' });
  }

  /** Stops the timeout. The sockets stay open. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#listening?.[Symbol.dispose]();
  }

  /** Waits for an event of a socket; on an error, a close or the timeout, destroys all sockets of this attempt. */
  #until(socket: Socket, event: 'connect' | 'secureConnect', tell: () => Step): Promise<void> {
    this.#sockets.push(socket);
    // Without a listener, an error between two steps would be uncaught. An OpenSSL error leaves the socket open.
    socket.on('error', (error) => socket.destroy(error));
    if (this.#end !== undefined) this.#discard();
    return new Promise((resolve, reject) => {
      const unhook = (): void => void socket.off(event, succeeded).off('error', failed).off('close', closed);
      const succeeded = (): void => {
        unhook();
        resolve();
      };
      const failed = (cause: Error): void => {
        unhook();
        this.#discard();
        reject(this.#toError(cause, tell()));
      };
      const closed = (): void => failed(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
      socket.once(event, succeeded).once('error', failed).once('close', closed);
    });
  }

  #toError(cause: Error, step: Step): HostError {
    return toDialError(cause, { ...step, end: this.#end, timeoutMs: this.#options.timeoutMs });
  }

  #stop(end: 'timeout' | 'aborted'): void {
    this.#end ??= end;
    this.#discard();
  }

  #discard(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

export interface SecureOptions {
  readonly party: ConnectionPeer;
  readonly context: SecureContext | undefined;
  readonly hasCertificate: boolean;
}

export interface TunnelOptions {
  readonly party: ConnectionPeer;
  readonly proxy: ProxyServer;
  /** `host:port`. */
  readonly target: string;
}

type Step = Omit<DialFailure, 'end' | 'timeoutMs'>;

const TIMER_MAX = 2_147_483_647; // ms; Node fires a longer timer at once
const SOCKET_OPTIONS = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 60_000, // ms of silence before TCP probes the other end
  autoSelectFamilyAttemptTimeout: 1_000, // ms for each address but the last; Node's 250 ms is less than some round trips
  highWaterMark: 65_536, // responses are more often large than many and small
};
