import type { LinkedEnd } from '../../../src/transports/in-process/in-process-pipe.js';
import type { Pipe } from '../../../src/wire/pipe.js';

/**
 * The host's end of a linked pair, used the other way round: a server takes it, and the SDK's client has the other end
 * as its transport.
 */
export function serverEndOf(pipe: Pipe): LinkedEnd {
  const end: LinkedEnd = {
    start: () => Promise.resolve(),
    send: (message) => pipe.notify(message),
    close: () => pipe[Symbol.asyncDispose](),
  };
  pipe.open({
    message: (message) => {
      end.onmessage?.(message as never);
      return true;
    },
    refused: () => {},
    failed: () => {},
    warning: () => {},
    isPending: () => true,
    spillFor: () => undefined,
  });
  void pipe.closed.then(() => end.onclose?.());
  return end;
}
