import type { HostRequest } from '../healthy.js';

/** Where a mode differs from a healthy server, on any channel. Requests without a handler are answered correctly. */
export interface Handlers<Handler> {
  readonly initialize?: Handler;
  readonly list?: Handler;
  /** Answers `tools/call attack`. */
  readonly attack?: Handler;
  /** Answer other requests, by their method. */
  readonly methods?: Readonly<Record<string, Handler>>;
}

/** The mode's handler for this request; undefined where the mode behaves like a healthy server. */
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
