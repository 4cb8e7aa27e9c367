import type { JsonObject } from '../../../src/base/json.js';
import { PassThrough } from 'node:stream';
import { systemClock } from '../../../src/edge/clock.js';
import { ControlChannel } from '../../../src/transports/in-process/control-channel.js';
import type { LinkedEnd } from '../../../src/transports/in-process/in-process-pipe.js';
import type { EmbeddedServer } from '../../../src/transports/kind.js';
import type { RequestId } from '../../../src/wire/message.js';
import { Fixture } from './fixture.js';
import type { FixtureOptions } from './fixture-options.js';

export interface Embedding extends AsyncDisposable {
  readonly control: ControlChannel;
}

/** A server inside a program that embeds a host, connected by one stream in each direction. */
export function embedInProgram(connect: (line: ProgramLine) => (message: JsonObject) => void): Embedding {
  const [toHost, toProgram] = [new PassThrough(), new PassThrough()];
  const control = new ControlChannel({ open: () => ({ input: toHost, output: toProgram }), clock: systemClock });
  const line = new ProgramLine(toHost);
  const take = connect(line);
  let rest = '';
  toProgram.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const one of lines) line.take(JSON.parse(one) as ControlLine, take);
  });
  return { control, [Symbol.asyncDispose]: async () => control[Symbol.asyncDispose]() };
}

export const SERVER_NAME = 'contract';

interface ControlLine {
  readonly type: string;
  readonly request_id: string;
  readonly request: { readonly message: JsonObject };
}

/** The program's side of the control channel: a response uses its request's envelope, other messages their own. */
class ProgramLine {
  readonly #toHost: PassThrough;
  readonly #asked = new Map<unknown, string>();
  #lastKey = 0;

  constructor(toHost: PassThrough) {
    this.#toHost = toHost;
  }

  take({ type, request_id: key, request }: ControlLine, hand: (message: JsonObject) => void): void {
    if (type !== 'control_request') return;
    const { message } = request;
    if (message['id'] !== undefined && message['method'] !== undefined) this.#asked.set(message['id'], key);
    else this.#answer(key, { jsonrpc: '2.0', result: {} });
    hand(message);
  }

  send(message: unknown, about?: RequestId): void {
    const isAnswer = typeof message !== 'object' || message === null || !('method' in message);
    const key = isAnswer ? this.#asked.get(about) : undefined;
    if (key === undefined) {
      const request = { subtype: 'mcp_message', server_name: SERVER_NAME, message };
      this.#write({ type: 'control_request', request_id: `program-${this.#lastKey++}`, request });
    } else {
      this.#asked.delete(about);
      this.#answer(key, message);
    }
  }

  die(): void {
    this.#toHost.end();
  }

  #answer(key: string, response: unknown): void {
    const body = { subtype: 'success', request_id: key, response: { mcp_response: response } };
    this.#write({ type: 'control_response', response: body });
  }

  #write(line: object): void {
    this.#toHost.write(`${JSON.stringify(line)}\n`);
  }
}

export function embedFixtureInProgram(options: FixtureOptions): Embedding {
  return embedInProgram((line) => {
    const fixture = new Fixture(line, options);
    return (message) => fixture.take(message);
  });
}

/** Connects a server to the control channel through an SDK transport. */
export function embedServerInProgram(server: EmbeddedServer): Embedding {
  return embedInProgram((line) => {
    const end: LinkedEnd = {
      start: () => Promise.resolve(),
      send: async (message) => line.send(message, 'method' in message ? undefined : message.id),
      close: async () => line.die(),
    };
    const connected = Promise.resolve(server.connect(end));
    return (message) => void connected.then(() => end.onmessage?.(message as never));
  });
}
