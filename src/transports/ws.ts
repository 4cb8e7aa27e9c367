import { Secret } from '../base/secret.js';
import type { Scheme } from '../model/url-gate.js';
import { checkUrl, defined, readRemote, readString, remoteFields } from './fields.js';
import type { TransportKind } from './kind.js';
import { remoteKind, type RemoteKindConfig } from './remote.js';
import { unsupported } from './unsupported.js';

const schemes: readonly Scheme[] = ['wss', 'ws'];

/** WebSocket with the subprotocol `mcp`. */
export const ws = remoteKind({ type: 'ws', label: 'WS', schemes, aliases: ['websocket'] });

export type WsIdeConfig = RemoteKindConfig<'ws-ide'> & { readonly authToken?: Secret };

/** The same, served by an editor's extension that knows its clients by a token. */
export const wsIde: TransportKind<WsIdeConfig> = {
  type: 'ws-ide',
  aliases: [],
  label: 'WS, IDE',
  locality: 'remote',
  origin: 'program',
  fields: [...remoteFields, 'authToken'],
  parse(raw, report) {
    const token = readString({ raw, report, base: [] }, 'authToken');
    const authToken = token === undefined ? undefined : new Secret(token);
    return { type: 'ws-ide', ...readRemote(raw, report), ...defined('authToken', authToken) };
  },
  check: ({ url }, report) => checkUrl(url, schemes, report),
  target: ({ url }) => ({ kind: 'url', url }),
  open: unsupported('ws-ide'),
};
