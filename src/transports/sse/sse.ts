import type { Pipe } from '../../wire/pipe.js';
import type { OpenContext, RemoteConfig } from '../kind.js';
import { openWith, revealHeaders, routeOf } from '../remote-route.js';
import { IDE_TOOLS, remoteKind } from '../remote.js';

/** HTTP+SSE of the 2024-11-05 revision. */
export const sse = remoteKind({
  type: 'sse',
  label: 'SSE',
  schemes: ['https', 'http'],
  supportsSignIn: true,
  open: openSse,
});

/** HTTP+SSE of an editor's extension: no sign-in, only `IDE_TOOLS`. */
export const sseIde = remoteKind({
  type: 'sse-ide',
  label: 'SSE, IDE',
  schemes: ['https', 'http'],
  origin: 'program',
  onlyTools: IDE_TOOLS,
  open: openSse,
});

/** Rejects with a HostError when the URL has no event stream that names an endpoint. */
export async function openSse(config: RemoteConfig, context: OpenContext): Promise<Pipe> {
  const { name, clock, signal } = context;
  const { openSsePipe } = await import('./sse-pipe.js');
  const route = await routeOf(config, context);
  return openWith(config, context, (identity) =>
    openSsePipe({ name, url: config.url, headers: revealHeaders(config), clock, route, signal, identity }),
  );
}
