import { unreachable } from '../base/never.js';
import type { ServedMode, ServeOptions } from './loopback.js';
import type { Mode, StdioMode } from './mode.js';
import { serveHttp } from './http/serve-http.js';
import { serveSse } from './sse/serve-sse.js';
import { serveWs } from './ws/serve-ws.js';

/** Serves a mode that has a URL, on its channel. */
export function serveMode(mode: Exclude<Mode, StdioMode>, options: ServeOptions = {}): Promise<ServedMode> {
  switch (mode.channel) {
    case 'http':
      return serveHttp(mode, options);
    case 'sse':
      return serveSse(mode, options);
    case 'ws':
      return serveWs(mode, options);
    default:
      return unreachable(mode);
  }
}
