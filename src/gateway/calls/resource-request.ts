import type { JsonObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import type { ClientRequest } from '../../serving/endpoint.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { INVALID_PARAMS } from '../../wire/rpc-codes.js';
import type { UriTarget } from '../lists/uri-table.js';
import type { CallParts } from './call-parts.js';
import { textParam } from './failures.js';
import { servedAnswer, toAsked } from './server-answers.js';

/** resources/read: decided, passed through hooks and written to the ledger like a call. */
export async function resourceForClient(parts: CallParts, request: ClientRequest): Promise<JsonObject> {
  const uri = textParam(request.params, 'uri');
  const { server, uri: own } = await findResource(parts, uri);
  const { asked, ended } = toAsked(parts, request, uri);
  const answered = await parts.offering.host.readResource({ ...asked, server, uri: own, isExact: true }).finally(ended);
  return servedAnswer(parts, answered, {
    client: request.client,
    server,
    own: (result) => withFreshness(parts.uris(server).inContents(result)),
    // A hook has changed the contents.
    ours: ({ contents }) => withFreshness({ contents }),
  });
}

/** The server that a client means by a URI. Rejects with a JsonRpcFailure for one that nobody has. */
export async function findResource(
  { offering, tables, arrivals }: Pick<CallParts, 'offering' | 'tables' | 'arrivals'>,
  uri: string,
): Promise<Extract<UriTarget, { kind: 'owned' }>> {
  if (offering.only !== undefined) return { kind: 'owned', server: offering.only, uri };
  let target = tables.uris.toServer(uri);
  if (target.kind === 'unknown') {
    await arrivals.known(offering.servers());
    target = tables.uris.toServer(uri);
  }
  if (target.kind === 'owned') return target;
  const shown = shorten(uri, 300);
  if (target.kind === 'ambiguous')
    throw new JsonRpcFailure(
      INVALID_PARAMS,
      `Several servers have ${shown}: ask for one of ${target.uris.join(', ')}`,
      {
        uri: shown,
      },
    );
  throw new JsonRpcFailure(INVALID_PARAMS, `Resource not found: ${shown}`, { uri: shown });
}

/** A server of an older revision does not say how long its answer holds: then it does not. */
export function withFreshness(result: JsonObject): JsonObject {
  if ('ttlMs' in result && 'cacheScope' in result) return result;
  return { ttlMs: 0, cacheScope: 'private', ...result };
}
