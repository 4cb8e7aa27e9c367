import type { CallResult, ToolRequest } from '../host-options.js';

/** The calls of one turn of a model, as they come. */
export interface CallOrder {
  /** Never rejects. */
  readonly call: (request: ToolRequest) => Promise<CallResult>;
}

/** Calls that only read run together; any other waits for all before it, and all after it wait for it. */
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
