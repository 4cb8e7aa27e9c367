import { openWith, revealHeaders, routeOf } from '../remote-route.js';
import { remoteKind } from '../remote.js';
import { openSse } from '../sse/sse.js';

export const http = remoteKind({
  type: 'http',
  label: 'HTTP',
  schemes: ['https', 'http'],
  aliases: ['streamable-http', 'streamableHttp', 'streamable_http'],
  probes: true,
  supportsSignIn: true,
  async open(config, context) {
    const { name, clock } = context;
    const route = await routeOf(config, context);
    const { openHttpPipe } = await import('./http-pipe.js');
    const headers = revealHeaders(config);
    return openWith(config, context, async () => openHttpPipe({ name, url: config.url, headers, clock, route }));
  },
  openFallback: openSse,
});
