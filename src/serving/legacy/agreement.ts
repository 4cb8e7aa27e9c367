// https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
import { randomBytes } from 'node:crypto';
import { isObject, type JsonObject } from '../../base/json.js';
import type { Implementation } from '../../model/implementation.js';
import { negotiateRevision } from '../revision/revisions.js';
import type { LegacyAgreement } from './legacy-client.js';

/** What `initialize` agrees on. What is kept of the client's words is bounded: it has to fit into a session id. */
export function toAgreement(
  { protocolVersion, clientInfo, capabilities }: JsonObject,
  principal: string,
): LegacyAgreement {
  return {
    principal,
    owner: randomBytes(OWNER_BYTES).toString('base64url'),
    revision: negotiateRevision(protocolVersion),
    info: toClientInfo(clientInfo),
    capabilities: toKnownCapabilities(capabilities),
  };
}

/** Name and version of a client, cut. */
export function toClientInfo(info: unknown): Implementation {
  const { name, version, title } = isObject(info) ? info : ({} as JsonObject);
  return {
    name: typeof name === 'string' ? name.slice(0, NAME_LIMIT) : '',
    version: typeof version === 'string' ? version.slice(0, NAME_LIMIT) : '',
    ...(typeof title === 'string' && { title: title.slice(0, NAME_LIMIT) }),
  };
}

/** The capabilities that a server can act on: of what is unknown to MCP nothing can be relayed. */
export function toKnownCapabilities(capabilities: unknown): JsonObject {
  const { roots, sampling, elicitation, tasks, extensions } = isObject(capabilities)
    ? capabilities
    : ({} as JsonObject);
  const known = {
    ...(isObject(roots) && { roots: pick(roots, ['listChanged']) }),
    ...(isObject(sampling) && { sampling: pick(sampling, ['tools', 'context']) }),
    ...(isObject(elicitation) && { elicitation: pick(elicitation, ['form', 'url']) }),
    ...(isObject(tasks) && { tasks: pick(tasks, ['list', 'cancel', 'requests']) }),
  };
  const told = isObject(extensions) ? toExtensions(extensions) : {};
  return Object.keys(told).length === 0 ? known : { ...known, extensions: told };
}

/** Extensions with their settings while there is room, in the order of the client. */
function toExtensions(extensions: JsonObject): JsonObject {
  const told: [string, unknown][] = [];
  let room = EXTENSIONS_LIMIT;
  for (const [id, settings] of Object.entries(extensions).slice(0, EXTENSION_COUNT)) {
    if (!isObject(settings)) continue;
    room -= JSON.stringify([id, settings]).length;
    if (room < 0) break;
    told.push([id, settings]);
  }
  return Object.fromEntries(told);
}

/** The named fields as far as they are flags or small objects of these. */
function pick(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name): [string, unknown][] => {
      const value = from[name];
      if (typeof value === 'boolean') return [[name, value]];
      if (!isObject(value)) return [];
      return [[name, JSON.stringify(value).length <= FLAG_LIMIT ? value : {}]];
    }),
  );
}

const OWNER_BYTES = 16;
const NAME_LIMIT = 64; // characters
const FLAG_LIMIT = 120; // characters of one capability
const EXTENSIONS_LIMIT = 300; // characters; a session id has at most 1 KB
const EXTENSION_COUNT = 20;
