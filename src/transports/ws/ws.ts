import type { Secret } from '../../base/secret.js';
import type { Scheme } from '../../model/urls/url-gate.js';
import type { Pipe } from '../../wire/pipe.js';
import { IDE_FIELDS } from '../entry-fields.js';
import type { OpenContext, RemoteConfig } from '../kind.js';
import { IDE_TOOLS, remoteKind } from '../remote.js';

const schemes: readonly Scheme[] = ['wss', 'ws'];

export const ws = remoteKind({
  type: 'ws',
  label: 'WS',
  schemes,
  aliases: ['websocket'],
  open: (config, context) => open(config, context),
});

/** WebSocket of an editor's extension, which identifies its clients by a token. */
export const wsIde = remoteKind({
  type: 'ws-ide',
  label: 'WS, IDE',
  schemes,
  origin: 'program',
  onlyTools: IDE_TOOLS,
  more: IDE_FIELDS,
  open: (config, context) => open(config, context, config.authToken),
});

const IDE_TOKEN = 'X-Claude-Code-Ide-Authorization';

async function open(config: RemoteConfig, context: OpenContext, ideToken?: Secret): Promise<Pipe> {
  const { name, clock, signal } = context;
  const [{ openWith, revealHeaders, routeOf }, { openWsPipe }] = await Promise.all([
    import('../remote-route.js'),
    import('./ws-pipe.js'),
  ]);
  const { url } = config;
  const route = await routeOf(config, context);
  const headers = revealHeaders(config);
  if (ideToken) {
    // Deletes the entry's own header in any case: servers do not accept a header twice.
    for (const header of Object.keys(headers))
      if (header.toLowerCase() === IDE_TOKEN.toLowerCase()) delete headers[header];
    headers[IDE_TOKEN] = ideToken.reveal();
  }
  return openWith(config, context, (identity) => openWsPipe({ name, url, headers, clock, route, signal, identity }));
}
