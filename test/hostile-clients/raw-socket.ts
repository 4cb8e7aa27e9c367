import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawRequest {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** Lines; a line that names a header of the usual ones replaces it. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
}

const USUAL = [
  'Host: 127.0.0.1',
  'Content-Type: application/json',
  'Accept: application/json, text/event-stream',
  'Connection: close',
];

/** The bytes of a request. `Content-Length` is there unless a line says how long the body is. */
export function bytesOf({
  method = 'POST',
  target = '/mcp',
  version = 'HTTP/1.1',
  headers = [],
  body = '',
}: RawRequest): Buffer {
  const named = new Set(headers.map((line) => line.split(':')[0]!.trim().toLowerCase()));
  const isLong = named.has('content-length') || named.has('transfer-encoding');
  const length = isLong ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [
    `${method} ${target} ${version}`,
    ...USUAL.filter((line) => !named.has(line.split(':')[0]!.toLowerCase())),
    ...length,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => {}); // a server that closes may reset
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes, and returns what has come when the other side closes, or once the pattern is found. */
export async function converse(port: number, bytes: Buffer | string, until?: RegExp): Promise<string> {
  const socket = await openSocket(port);
  const answer = textUntil(socket, until);
  socket.write(bytes);
  const text = await answer;
  socket.destroy();
  return text;
}

export function textUntil(socket: Socket, until?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      if (until?.test(text) === true) resolve(text);
    });
    socket.on('close', () => resolve(text));
  });
}

/** The statuses of all answers in a text; 0 where there is none. */
export function statusesOf(text: string): number[] {
  // An answer follows the body of the one before, whose last character is a brace, without a line end.
  const found = [...text.matchAll(/(?:^|\})HTTP\/1\.1 (\d{3}) /gmu)].map(([, status]) => Number(status));
  return found.length === 0 ? [0] : found;
}

/** The status of the answer to one request; 0 where the connection was closed without one. */
export async function statusOf(port: number, request: RawRequest | string): Promise<number> {
  const bytes = typeof request === 'string' ? request : bytesOf(request);
  return statusesOf(await converse(port, bytes))[0]!;
}
