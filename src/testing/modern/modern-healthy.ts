// The messages of a healthy server of the modern era: https://modelcontextprotocol.io/specification/2026-07-28
import { UNSUPPORTED_VERSION } from '../../wire/rpc-codes.js';
import { isObject } from '../../base/json.js';
import { VERSION } from '../../base/version.js';
import {
  answer,
  type Answerer,
  type HostRequest,
  callAnswer,
  failure,
  notification,
  success,
  healthyTools,
} from '../healthy.js';

export const MODERN = '2026-07-28';
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
export const LISTEN = 'subscriptions/listen';
export const ELICIT = 'elicitation/create';
const PREFIX = 'io.modelcontextprotocol/';

/** The modern era, without a handshake: the server knows only 2026-07-28. */
export const modernAnswer: Answerer = (ask, counts) => {
  const { id, method, params } = ask;
  if (method === 'initialize') return unsupported(id, params['protocolVersion']);
  const fault = envelopeFault(ask);
  if (fault !== undefined) return failure(id, -32602, fault);
  switch (method) {
    case 'server/discover':
      return discovery(id);
    case 'tools/list':
      return modernToolList(id);
    case 'tools/call':
      return complete(callAnswer(ask, counts));
    case LISTEN:
      return acknowledgement(id, params['notifications']);
    default:
      return failure(id, -32601, 'Method not found');
  }
};

/** The response to `server/discover`; `changes` replace fields of a healthy result. */
export function discovery(id: unknown, changes: object = {}): string {
  return success(id, {
    resultType: 'complete',
    supportedVersions: [MODERN],
    capabilities: { tools: { listChanged: true }, extensions: { [`${PREFIX}tasks`]: {} } },
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [`${PREFIX}serverInfo`]: { name: 'plugboard-attack', version: VERSION } },
    ...changes,
  });
}

/** The response to `tools/list`, with `more` after the usual tools; `changes` replace fields of the result. */
export function modernToolList(id: unknown, more: readonly unknown[] = [], changes: object = {}): string {
  const list = { tools: [...healthyTools, ...more], ttlMs: 0, cacheScope: 'private' };
  return success(id, { resultType: 'complete', ...list, ...changes });
}

/** The response to `attack` in the modern era. */
export function modernResult(id: unknown, text?: string): string {
  return complete(answer(id, text));
}

/** The first notification on a subscription: which of the requested notifications the server will send. */
export function acknowledgement(id: unknown, notifications: unknown): string {
  return notification('notifications/subscriptions/acknowledged', { _meta: { [SUBSCRIPTION_ID]: id }, notifications });
}

/** A notification about a change on the subscription with this id; on none when `id` is undefined. */
export function change(id: unknown, method = 'notifications/tools/list_changed', params: object = {}): string {
  return notification(method, { ...params, _meta: { [SUBSCRIPTION_ID]: id } });
}

export function unsupported(id: unknown, requested: unknown, supported: unknown = [MODERN]): string {
  return failure(id, UNSUPPORTED_VERSION, 'Unsupported protocol version', { supported, requested });
}

/** What is wrong with the `_meta` that every modern request must have; undefined: nothing. */
export function envelopeFault({ params }: HostRequest): string | undefined {
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  if (meta[`${PREFIX}protocolVersion`] !== MODERN) return `_meta has no protocolVersion ${MODERN}`;
  return isObject(meta[`${PREFIX}clientCapabilities`]) ? undefined : '_meta has no clientCapabilities';
}

/** Makes a modern result of a legacy one. */
function complete(text: string): string {
  return text.replace('"result":{', '"result":{"resultType":"complete",');
}
