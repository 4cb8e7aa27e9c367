import type { CallResult, ToolRequest } from '../host-options.js';

/** Runs the calls of one turn of a model in a safe order. */
export interface CallOrder {
  /** Never rejects. */
  readonly call: (request: ToolRequest) => Promise<CallResult>;
}

/** Calls that only read run together; any other call waits for all calls before it, and all later calls wait for it. */
export function callOrder(call: CallOrder['call'], isReading: (request: ToolRequest) => boolean): CallOrder {
  let lastWrite: Promise<unknown> = Promise.resolve();
  let reads: Promise<unknown>[] = [];
  return {
    call(request) {
      if (isReading(request)) {
        const read = lastWrite.then(() => call(request));
        reads.push(read);
        return read;
      }
      const write = Promise.all([lastWrite, ...reads]).then(() => call(request));
      lastWrite = write;
      reads = [];
      return write;
    },
  };
}
