// Skills: https://modelcontextprotocol.io/seps/2640-skills-extension
import type { JsonObject } from '../../base/json.js';
import { inside } from '../../host/inside.js';
import type { SkillInfoRequest } from '../../host/requests/skill-info.js';
import type { ClientRequest } from '../../serving/endpoint.js';
import type { CallParts } from './call-parts.js';
import { textParam } from './failures.js';
import { findResource, withFreshness } from './resource-request.js';
import { servedAnswer, toAsked } from './server-answers.js';

/** skills/get and resources/directory/read: decided like reading a resource. */
export async function skillInfoForClient(
  parts: CallParts,
  request: ClientRequest,
  method: SkillInfoRequest['method'],
): Promise<JsonObject> {
  const { params } = request;
  const uri = textParam(params, 'uri');
  const cursor = params['cursor'] === undefined ? undefined : textParam(params, 'cursor');
  const { server, uri: own } = await findResource(parts, uri);
  const { asked, ended } = toAsked(parts, request, uri);
  const answered = await parts.offering.host[inside]
    .skillInfo({ ...asked, server, method, uri: own, cursor })
    .finally(ended);
  const toClient = (result: JsonObject): JsonObject => withFreshness(parts.uris(server).inSkillInfo(result));
  return servedAnswer(parts, answered, {
    client: request.client,
    server,
    own: toClient,
    ours: ({ result }) => toClient(parts.clean()(result)),
  });
}
