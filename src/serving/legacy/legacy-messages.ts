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

/**
 * Takes one message of a client whose session is open. `outlet`: where the response to a request goes. Returns the
 * request that the endpoint answers now, if it is one.
 */
export function takeLegacyMessage(client: LegacyClient, message: Incoming, outlet: Outlet): LegacyRequest | undefined {
  switch (message.kind) {
    case 'request':
      return takeRequest(client, message, outlet);
    case 'notification':
      takeNotification(client, message);
      return undefined;
    case 'response':
      client.answered(message);
      return undefined;
    case 'invalid':
      outlet.reply(errorResponseText(message.id, new JsonRpcFailure(INVALID_REQUEST, message.why)));
      return undefined;
    default:
      return unreachable(message);
  }
}

function takeRequest(client: LegacyClient, request: RequestMessage, outlet: Outlet): LegacyRequest | undefined {
  const { id, method, params } = request;
  const answer = client.running.size >= RUNNING_LIMIT ? TOO_MANY : answerHere(client, method, params);
  if (answer === false) {
    const begun = new LegacyRequest({ client, id, method, params, outlet });
    begun.run();
    return begun;
  }
  const reply = (): void =>
    outlet.reply(answer instanceof JsonRpcFailure ? errorResponseText(id, answer) : resultResponseText(id, EMPTY));
  if (answer instanceof Promise) void answer.then(reply);
  else reply();
  return undefined;
}

/** True: done, the result is empty; a promise: when it is done. False: the endpoint has to answer. */
function answerHere(
  client: LegacyClient,
  method: string,
  { level, uri }: JsonObject,
): boolean | Promise<void> | JsonRpcFailure {
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
      if (method === 'resources/unsubscribe') record.unsubscribe(uri);
      else if (!record.subscribe(uri)) return TOO_MANY_SUBSCRIPTIONS;
      return client.rewatch();
    }
    default:
      return isServed(method, 'legacy') ? false : methodNotFound(method);
  }
}

function takeNotification(client: LegacyClient, { method, params }: Extract<Incoming, { kind: 'notification' }>): void {
  if (method === 'notifications/cancelled') {
    const { requestId } = params;
    if (typeof requestId === 'string' || typeof requestId === 'number') client.runningAs(requestId)?.cancel();
  } else if (method === 'notifications/roots/list_changed') client.endpoint.rootsChanged(client);
}

const EMPTY = '{}';
const RUNNING_LIMIT = 10_000;
const URI_LIMIT = 8_000;
const REFUSED = -32000;
const TOO_MANY = new JsonRpcFailure(REFUSED, 'The session has too many requests in flight');
const TOO_MANY_SUBSCRIPTIONS = new JsonRpcFailure(REFUSED, 'The session has subscribed to too many resources');
