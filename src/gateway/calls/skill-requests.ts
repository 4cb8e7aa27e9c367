// https://modelcontextprotocol.io/seps/2640-skills-extension
import { isObject, type JsonObject } from '../../base/json.js';
import type { ClientRequest } from '../../serving/endpoint.js';
import type { CallParts } from './call-parts.js';
import { textParam } from './failures.js';
import { findResource } from './resource-request.js';
import { servedAnswer, toAsked } from './server-answers.js';

/** The requests of the skills extension that are about one URI. */
export type SkillMethod = 'skills/get' | 'resources/directory/read';

/** skills/get and resources/directory/read: decided like reading the resource. */
export async function skillRequestForClient(
  parts: CallParts,
  request: ClientRequest,
  method: SkillMethod,
): Promise<JsonObject> {
  const { params } = request;
  const { uri: _uri, _meta, ...more } = params;
  const uri = textParam(params, 'uri');
  const { server, uri: own } = await findResource(parts, uri);
  const { asked, ended } = toAsked(parts, request, uri);
  const answered = await parts.offering.offers
    .relay({ ...asked, server, method, uri: own, params: more })
    .finally(ended);
  return servedAnswer(parts, answered, {
    own: (result) => withServedUris(parts, server, result),
    ours: ({ result }) => result,
  });
}

function withServedUris(parts: CallParts, server: string, result: JsonObject): JsonObject {
  if (parts.offering.only !== undefined) return result;
  const { resources, skill } = result;
  const served = (item: unknown): unknown =>
    isObject(item) && typeof item['uri'] === 'string'
      ? { ...item, uri: parts.tables.mention(server, item['uri']) }
      : item;
  return {
    ...result,
    ...(Array.isArray(resources) && { resources: resources.map(served) }),
    ...(isObject(skill) && { skill: withSkillUris(skill, (uri) => parts.tables.mention(server, uri)) }),
  };
}

/** A skill and its files, by the URIs that clients know. */
export function withSkillUris(skill: JsonObject, toUri: (uri: string) => string): JsonObject {
  const { uri, resources } = skill;
  const served = (file: unknown): unknown =>
    isObject(file) && typeof file['uri'] === 'string' ? { ...file, uri: toUri(file['uri']) } : file;
  return {
    ...skill,
    ...(typeof uri === 'string' && { uri: toUri(uri) }),
    ...(Array.isArray(resources) && { resources: resources.map(served) }),
  };
}
