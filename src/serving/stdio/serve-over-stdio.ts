// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
import type { Readable, Writable } from 'node:stream';
import { pause } from '../../base/pause.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { LineReader } from '../../wire/line-reader.js';
import type { RejectedMessage } from '../../wire/pipe.js';
import type { Endpoint } from '../endpoint.js';
import { errorResponseText, PARSE_ERROR } from '../outgoing.js';
import type { ModernServices } from '../modern/modern-request.js';
import { ConnectionClient } from '../connection-client.js';
import { StdioOutput } from './stdio-output.js';

export interface ServeOverStdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly endpoint: Endpoint;
  readonly principal: string;
  readonly services: ModernServices;
  /** The client sent something that is no message. Contract: must not throw. */
  readonly onProblem?: (text: string) => void;
}

/** One client over stdio, of either era. */
export interface StdioServing {
  /** Resolves when the client has closed stdin or stdout and nothing of it is left; never rejects. */
  readonly ended: Promise<void>;
  /** Ends subscriptions and waits for requests in flight, at most this long. */
  drain(ms: number): Promise<void>;
}

/** Serves an endpoint to the program that started this one. */
export function serveOverStdio(options: ServeOverStdioOptions): StdioServing {
  const { input, output, endpoint, principal, services, onProblem = () => {} } = options;
  const { clock } = services;
  let finish!: () => void;
  const closed = new Promise<void>((resolve) => (finish = resolve));
  const out = new StdioOutput(output, {
    // Who does not read is not read from either: requests would pile up as responses.
    onFull: () => input.pause(),
    onDrained: () => input.resume(),
    onBroken: () => finish(),
  });
  const client = new ConnectionClient({ endpoint, principal, services, path: STDIO_PATH, out });
  const reader = new LineReader({
    clock,
    receiver: {
      message: (value) => {
        client.takeValue(value);
        return true;
      },
      refused: ({ reason, ids, isAnswer }: RejectedMessage) => {
        onProblem(`The client sent a message that cannot be used: ${reason}`);
        // Of a request that is too large the id is known, and the client waits for it.
        const id = isAnswer || ids.length !== 1 ? null : ids[0]!;
        out.write(errorResponseText(id, new JsonRpcFailure(PARSE_ERROR, `The message cannot be used: ${reason}`)));
      },
      failed: () => {},
      warning: ({ kind, text }) => {
        if (kind === 'replaced-bytes') return onProblem('The client wrote bytes to stdin that are no UTF-8');
        // What begins as a message is refused as well, and answered then.
        if (/^[{[]/u.test(text)) return undefined;
        onProblem(`The client wrote something to stdin that is no message: ${text}`);
        return out.write(
          errorResponseText(null, new JsonRpcFailure(PARSE_ERROR, 'A line on stdin has to be one JSON-RPC message')),
        );
      },
      isPending: () => false,
      spillFor: () => undefined,
    },
    pause: () => input.pause(),
    resume: () => input.resume(),
    giveUp: (reason) => {
      onProblem(reason);
      finish();
    },
  });
  input.on('data', (bytes: Buffer) => reader.push(bytes));
  input.on('end', () => void reader.idle().then(finish));
  input.on('error', () => finish());
  input.on('close', () => finish());
  const end = async (): Promise<void> => {
    await closed;
    reader.end();
    // A client that writes and closes, as in a pipe of a shell, still reads what is answered at once.
    const grace = pause(GRACE_MS, { clock });
    await Promise.race([client.settled(), grace]);
    client.end();
    await out.flushed();
  };
  const ended = end();
  return {
    ended,
    async drain(ms) {
      client.closeSubscriptions();
      await Promise.race([client.settled(), pause(ms, { clock })]);
      finish();
      await ended;
    },
  };
}

/** In states: stdio has one endpoint. */
const STDIO_PATH = 'stdio';
const GRACE_MS = 500;
