// https://modelcontextprotocol.io/specification/2025-11-25/basic
import type { JsonObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { INVALID_PARAMS } from '../../wire/rpc-codes.js';
import type { Endpoint } from '../endpoint.js';
import type { Incoming, RequestMessage } from '../incoming.js';
import { errorResponseText, INVALID_REQUEST, methodNotFound, type Outlet, resultResponseText } from '../outgoing.js';
import { isServed } from '../requests.js';
import { toRevisionCapabilities } from '../revision/to-revision-capabilities.js';
import { readLogLevel } from '../running-request.js';
import type { LegacyClient } from './legacy-client.js';
import { LegacyRequest } from './legacy-request.js';

/** The result of `initialize`. */
export async function toInitializeResult(client: LegacyClient, endpoint: Endpoint): Promise<JsonObject> {
  const { server, capabilities, instructions } = await endpoint.describe(client);
  return {
    protocolVersion: client.revision,
    capabilities: toRevisionCapabilities(capabilities, client.revision),
    serverInfo: server,
    ...(instructions !== undefined && { instructions }),
  };
}

/** Takes one message of a client whose session is open. `outlet`: where the response to a request goes. */
export function takeLegacyMessage(client: LegacyClient, message: Incoming, outlet: Outlet): void {
  switch (message.kind) {
    case 'request':
      return takeRequest(client, message, outlet);
    case 'notification':
      return takeNotification(client, message);
    case 'response':
      return client.answered(message);
    case 'invalid':
      return outlet.reply(errorResponseText(message.id, new JsonRpcFailure(INVALID_REQUEST, message.why)));
    default:
      return unreachable(message);
  }
}

function takeRequest(client: LegacyClient, request: RequestMessage, outlet: Outlet): void {
  const { id, method, params } = request;
  const answer = answerHere(client, method, params);
  if (answer instanceof JsonRpcFailure) return outlet.reply(errorResponseText(id, answer));
  if (answer) return outlet.reply(resultResponseText(id, EMPTY));
  if (client.running.size >= RUNNING_LIMIT) return outlet.reply(errorResponseText(id, TOO_MANY));
  return new LegacyRequest({ client, id, method, params, outlet }).run();
}

/** True: done, the result is empty. False: the endpoint has to answer. */
function answerHere(client: LegacyClient, method: string, { level, uri }: JsonObject): boolean | JsonRpcFailure {
  const { record } = client;
  switch (method) {
    case 'ping':
      return true;
    case 'initialize':
      return new JsonRpcFailure(INVALID_REQUEST, 'The session is initialized already');
    case 'logging/setLevel': {
      const known = readLogLevel(level);
      if (known === undefined) return new JsonRpcFailure(INVALID_PARAMS, 'There is no such log level');
      record.setLogLevel(known);
      return true;
    }
    case 'resources/subscribe':
    case 'resources/unsubscribe': {
      if (typeof uri !== 'string' || uri.length > URI_LIMIT) {
        return new JsonRpcFailure(INVALID_PARAMS, `"uri" has to be a string of at most ${URI_LIMIT} characters`);
      }
      const isNew = method === 'resources/subscribe';
      if (isNew && record.uris.size >= SUBSCRIPTION_LIMIT) {
        return new JsonRpcFailure(REFUSED, `A session has at most ${SUBSCRIPTION_LIMIT} subscriptions`);
      }
      if (isNew) record.subscribe(uri);
      else record.unsubscribe(uri);
      client.rewatch();
      return true;
    }
    default:
      return isServed(method, 'legacy') ? false : methodNotFound(method);
  }
}

function takeNotification(client: LegacyClient, { method, params }: Extract<Incoming, { kind: 'notification' }>): void {
  if (method === 'notifications/cancelled') {
    const { requestId } = params;
    if (typeof requestId === 'string' || typeof requestId === 'number') client.running.get(requestId)?.cancel();
  } else if (method === 'notifications/roots/list_changed') client.endpoint.rootsChanged(client);
}

const EMPTY = '{}';
const RUNNING_LIMIT = 10_000;
const SUBSCRIPTION_LIMIT = 1_000;
const URI_LIMIT = 8_000;
const REFUSED = -32000;
const TOO_MANY = new JsonRpcFailure(REFUSED, 'The session has too many requests in flight');
