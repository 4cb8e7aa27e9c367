// https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6
import type { Socket } from 'node:net';
import { HostError } from '../../base/errors.js';
import type { ProxyServer } from './proxy-choice.js';

/** The proxy's response to CONNECT. */
export type TunnelAnswer =
  | { readonly kind: 'open' }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'broken'; readonly what: string };

/**
 * Asks a proxy for a tunnel to `host:port`. Bytes after the response's head make it `broken`: they would be the proxy's
 * own, because no server speaks first. Never rejects and has no timeout: the caller has the deadline.
 */
export function requestTunnel(
  socket: Socket,
  { proxy, target }: { readonly proxy: ProxyServer; readonly target: string },
): Promise<TunnelAnswer> {
  return new Promise((resolve) => {
    let head = Buffer.alloc(0);
    const settle = (answer: TunnelAnswer): void => {
      socket.off('readable', read).off('end', ended).off('close', ended);
      resolve(answer);
    };
    const ended = (): void => settle({ kind: 'broken', what: 'closed the connection without an answer to CONNECT' });
    const read = (): void => {
      for (let piece = socket.read() as Buffer | null; piece !== null; piece = socket.read() as Buffer | null) {
        head = Buffer.concat([head, piece.subarray(0, HEAD_LIMIT + 1)]);
        const end = head.indexOf('\r\n\r\n');
        if (end !== -1 || head.length > HEAD_LIMIT) return settle(toAnswer(head, end));
      }
    };
    socket.on('readable', read).once('end', ended).once('close', ended);
    const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`];
    if (proxy.authorization) lines.push(`Proxy-Authorization: ${proxy.authorization.reveal()}`);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  });
}

const HEAD_LIMIT = 16_384;

function toAnswer(head: Buffer, end: number): TunnelAnswer {
  const [, digits] = /^HTTP\/1\.\d (\d{3})(?: |\r)/u.exec(head.toString('latin1', 0, 64)) ?? [];
  if (digits === undefined) return { kind: 'broken', what: 'does not speak HTTP' };
  if (end === -1) return { kind: 'broken', what: `answered CONNECT with more than ${HEAD_LIMIT} bytes of headers` };
  const status = Number(digits);
  if (status < 200 || status > 299) return { kind: 'refused', status };
  if (head.length > end + 4) return { kind: 'broken', what: 'sent unexpected data after its answer to CONNECT' };
  return { kind: 'open' };
}

export interface RefusalOptions {
  readonly label: string;
  readonly proxy: ProxyServer;
  /** `host:port` of the request. */
  readonly target: string;
}

/** Turns the status of a proxy's response into a `HostError`. */
export function toProxyRefusal(status: number, { label, proxy, target }: RefusalOptions): HostError {
  const { description, variable } = proxy;
  const fail = (what: string, hint: string): HostError =>
    new HostError('connect-failed', `${label} cannot be reached: ${description} ${what} (HTTP ${status})`, { hint });
  switch (status) {
    case 407:
      return proxy.authorization === undefined
        ? fail(
            'requires a user and password',
            `Write user and password into the variable: ${variable}=http://user:password@host:port`,
          )
        : fail(
            'does not accept the user and password',
            `Check them in ${variable}; @ : / and % are written %40 %3A %2F %25`,
          );
    case 401:
    case 403:
    case 405:
      return fail(
        `does not allow connections to ${target}`,
        `Ask the operator of the proxy, or list the host in NO_PROXY`,
      );
    case 502:
    case 503:
      return fail(`could not reach ${target}`, 'Is the server running? Check the host and the port of its URL');
    case 504:
      return fail(
        `got no answer from ${target} in time`,
        'Is the server running? Check the host and the port of its URL',
      );
    default:
      return fail(`did not open a tunnel to ${target}`, `Check ${variable}, or list the host in NO_PROXY`);
  }
}
