import type { JsonObject } from '../../base/json.js';
import { withExtras, extraOptions } from '../../connection/requests/request-extras.js';
import { textOf } from '../../tools/act-tools.js';
import type { Answered, TypedOptions } from '../answered.js';
import { readFromServer } from '../servers/server-access.js';
import type { RequestParts } from '../servers/server-requests.js';

/** A request about a resource that this program passes on without reading the answer. */
export interface RelayedRequest extends TypedOptions {
  readonly server: string;
  readonly method: string;
  readonly uri: string;
  /** Further parameters. */
  readonly params: JsonObject;
}

/** Makes the request, decided like reading the resource. Never rejects. */
export function relayRequest(
  parts: RequestParts,
  { server, method, uri, params, ...options }: RelayedRequest,
): Promise<Answered<{ readonly result: JsonObject }>> {
  return parts.send({
    ...options,
    act: 'resources',
    server,
    input: { uri },
    errorNamesCall: true,
    respond: (running, input, context) =>
      readFromServer(
        running,
        async (connection, { kept, extras, ...left }) => {
          const asked = withExtras({ ...params, uri: textOf(input['uri']) }, extras, connection);
          const result = await connection.session.request(method, asked, { ...left, ...extraOptions(extras) });
          kept?.take(result, connection.redact);
          return { result };
        },
        context,
      ),
  });
}
