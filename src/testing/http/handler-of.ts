import type { HostRequest } from '../healthy.js';

/** Where a mode does otherwise than a good server would, on whichever channel. What is absent is done well. */
export interface Handlers<Handler> {
  readonly initialize?: Handler;
  readonly list?: Handler;
  /** `tools/call attack`. */
  readonly attack?: Handler;
  /** Other requests, by their method. */
  readonly methods?: Readonly<Record<string, Handler>>;
}

/** What a mode does with this request; undefined for what it does well. */
export function handlerOf<Handler>({ method, params }: HostRequest, handlers: Handlers<Handler>): Handler | undefined {
  switch (method) {
    case 'initialize':
      return handlers.initialize;
    case 'tools/list':
      return handlers.list;
    case 'tools/call':
      return params['name'] === 'attack' ? handlers.attack : undefined;
    default:
      return handlers.methods && Object.hasOwn(handlers.methods, method) ? handlers.methods[method] : undefined;
  }
}
