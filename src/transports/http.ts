import { refuseHelper, revealHeaders, routeOf } from './remote-route.js';
import { remoteKind } from './remote.js';
import { openSse } from './sse.js';

/** Streamable HTTP. */
export const http = remoteKind({
  type: 'http',
  label: 'HTTP',
  schemes: ['https', 'http'],
  aliases: ['streamable-http', 'streamableHttp', 'streamable_http'],
  probes: true,
  async open(config, context) {
    const { name, clock } = context;
    refuseHelper(config, name);
    const route = await routeOf(config, context);
    const { openHttpPipe } = await import('./http-pipe.js');
    return openHttpPipe({ name, url: config.url, headers: revealHeaders(config), clock, route });
  },
  openFallback: openSse,
});
