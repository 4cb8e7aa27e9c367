// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#safe-url-handling
import { isObject, type JsonObject } from '../../base/json.js';
import { gateLine } from '../../model/text/text-gate.js';
import { gateUrl } from '../../model/urls/url-gate.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { OUTCOME } from './failures.js';

/** Throws a JsonRpcFailure for a question that sends a user to what is no page of the web, or looks like another one. */
export function refusePage(server: string, { method, params }: JsonObject): void {
  if (method === 'elicitation/create' && isObject(params) && params['mode'] === 'url') refuseUrl(server, params['url']);
}

/** Clients may open it by themselves: a program of the machine, or a script, must not get that far. */
export function refuseUrl(server: string, url: unknown): void {
  // The user's browser may reach addresses of this machine and its network: the client asks before it opens one.
  const gated =
    typeof url === 'string'
      ? gateUrl(url, { from: 'user', purpose: 'open' })
      : { ok: false as const, reason: 'There is no URL.' };
  if (gated.ok) return;
  const name = gateLine(server, { limit: 100 }).text;
  throw new JsonRpcFailure(INTERNAL_ERROR, `A page that server "${name}" wants visited is not shown: ${gated.reason}`, {
    [OUTCOME]: 'error',
  });
}

const INTERNAL_ERROR = -32_603;
