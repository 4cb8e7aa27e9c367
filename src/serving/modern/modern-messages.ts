// https://modelcontextprotocol.io/specification/2026-07-28/basic
import type { InputRelay } from '../../model/tool.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from '../../wire/rpc-codes.js';
import { toRevisionCapabilities } from '../revision/to-revision-capabilities.js';
import { LEGACY_VERSIONS } from '../../wire/eras/legacy-versions.js';
import { MODERN_VERSIONS } from '../../wire/eras/envelope.js';
import { type Endpoint, SerializedResult, type Served } from '../endpoint.js';
import type { RequestMessage } from '../incoming.js';
import {
  errorResponseText,
  METHOD_NOT_FOUND,
  methodNotFound,
  type Outlet,
  resultResponseText,
  toRpcError,
} from '../outgoing.js';
import { isServed } from '../requests.js';
import { toRevision } from '../revision/to-revision.js';
import { toRevisionError } from '../revision/to-revision-error.js';
import type { RequestEnvelope } from './envelope.js';
import { serveSubscription } from './serve-subscription.js';
import type { ModernClient } from './modern-client.js';
import { ModernRequest, type ModernServices } from './modern-request.js';
import { refusedState } from './request-state.js';

export interface ModernMessageOptions {
  readonly client: ModernClient;
  readonly endpoint: Endpoint;
  /** Of the endpoint. */
  readonly path: string;
  readonly envelope: RequestEnvelope;
  readonly services: ModernServices;
  readonly outlet: Outlet;
}

/** What a request has become, for the holder of the connection that it came on. */
export interface ModernExchange {
  /** The client closed the connection or cancelled the request. */
  gone(): void;
  /** This side is about to end. Only for a subscription, which ends by its result. */
  close?(): void;
}

/** Takes one request. Undefined: it has been answered. */
export function takeModernRequest(request: RequestMessage, options: ModernMessageOptions): ModernExchange | undefined {
  const { id, method } = request;
  const { endpoint, client, outlet } = options;
  if (method === 'server/discover') {
    discover(endpoint, client)
      .then((result) => outlet.reply(resultResponseText(id, JSON.stringify(result))))
      .catch((error: unknown) => outlet.reply(errorResponseText(id, toRpcError(error))));
    return undefined;
  }
  if (method === 'subscriptions/listen') return serveSubscription(request, options);
  if (isServed(method, 'modern') && endpoint.serves(method)) return begin(request, options);
  outlet.reply(errorResponseText(id, methodNotFound(method)), statusOf(METHOD_NOT_FOUND));
  return undefined;
}

async function discover(endpoint: Endpoint, client: ModernClient): Promise<JsonObject> {
  const { server, capabilities, instructions, ttlMs, cacheScope } = await endpoint.describe(client);
  return {
    resultType: 'complete',
    supportedVersions: [...MODERN_VERSIONS, ...LEGACY_VERSIONS],
    capabilities: toRevisionCapabilities(capabilities, client.revision),
    ...(instructions !== undefined && { instructions }),
    ttlMs,
    cacheScope,
    _meta: { 'io.modelcontextprotocol/serverInfo': server },
  };
}

function begin({ id, method, params }: RequestMessage, options: ModernMessageOptions): ModernExchange | undefined {
  const { client, path, services, outlet, endpoint } = options;
  const { logLevel } = options.envelope;
  const { requestState, inputResponses } = params;
  let inputs: InputRelay | undefined;
  let isPermitted = false;
  if (requestState !== undefined) {
    try {
      const state = services.states.open(requestState, { principal: client.principal, path, method, params });
      if (state.kind === 'relayed') {
        isPermitted = state.isPermitted;
        inputs = toInputs(inputResponses, state.state);
      } else if (state.instance === services.parked.instance) {
        const parked = services.parked.get(state.call);
        if (!parked) throw refusedState('used', 'the call is over');
        parked.resume(state.round, { id, params, outlet, logLevel });
        return { gone: () => parked.gone(outlet) };
      } else if (!endpoint.mayRepeat(method, params)) {
        throw refusedState('restarted', 'the gateway was restarted, and whether the call was carried out is unknown');
      }
    } catch (error) {
      outlet.reply(errorResponseText(id, toRpcError(error)));
      return undefined;
    }
  } else if (inputResponses !== undefined) inputs = toInputs(inputResponses, undefined);
  const call = new ModernRequest({ client, id, method, params, outlet, path, services, logLevel, inputs, isPermitted });
  call.requestOf(endpoint).then(
    (served) => finish(call, served, endpoint),
    (error: unknown) => fail(call, error, endpoint),
  );
  return { gone: () => call.gone(outlet) };
}

function toInputs(inputResponses: unknown, requestState: string | undefined): InputRelay {
  return { ...(isObject(inputResponses) && { inputResponses }), ...(requestState !== undefined && { requestState }) };
}

function finish(request: ModernRequest, served: Served, endpoint: Endpoint): void {
  if (served instanceof SerializedResult) return request.finishSerialized(served);
  try {
    if (served['resultType'] === 'input_required') return request.finishRelayed(served);
    return request.finish(JSON.stringify(toRevision(request.method, served, request.client.revision)));
  } catch (error) {
    return fail(request, error, endpoint);
  }
}

function fail(request: ModernRequest, error: unknown, endpoint: Endpoint): void {
  const { method, client } = request;
  const told = toRevisionError({ method, error: toRpcError(error), revision: client.revision });
  // Only these two are a matter of the protocol here: all else is the answer of a server.
  const isOurs = told.code === MISSING_CAPABILITY || (told.code === METHOD_NOT_FOUND && !endpoint.serves(method));
  const status = isOurs ? statusOf(told.code) : undefined;
  request.fail(told, status);
}

/** The HTTP status of an error that the protocol itself defines; what a server answers has 200. */
export function statusOf(code: number): number | undefined {
  switch (code) {
    case HEADER_MISMATCH:
    case MISSING_CAPABILITY:
    case UNSUPPORTED_VERSION:
      return 400;
    case METHOD_NOT_FOUND:
      return 404;
    default:
      return undefined;
  }
}
