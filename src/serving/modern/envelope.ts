// https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
import { isObject, type JsonObject } from '../../base/json.js';
import { MODERN_VERSIONS } from '../../wire/eras/envelope.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { INVALID_PARAMS, UNSUPPORTED_VERSION } from '../../wire/rpc-codes.js';
import { toClientInfo } from '../legacy/agreement.js';
import { LEGACY_VERSIONS } from '../../wire/eras/legacy-versions.js';
import { readLogLevel } from '../running-request.js';
import type { Implementation } from '../../model/implementation.js';

/** What a modern request says of its client. */
export interface RequestEnvelope {
  readonly revision: string;
  readonly info: Implementation;
  readonly capabilities: JsonObject;
  readonly logLevel: string | undefined;
}

/** Whether a request speaks the modern era: it says so itself. */
export function isModern(params: JsonObject): boolean {
  const { _meta: meta } = params;
  return isObject(meta) && VERSION_KEY in meta;
}

/** Reads the envelope; a failure where it is incomplete or of a version that is not served. */
export function readEnvelope({ _meta: meta = {} }: JsonObject): RequestEnvelope | JsonRpcFailure {
  if (!isObject(meta)) return missing('_meta', 'has to be an object');
  const { [VERSION_KEY]: revision, [INFO_KEY]: info, [CAPABILITIES_KEY]: capabilities, [LEVEL_KEY]: level } = meta;
  if (typeof revision !== 'string') return missing(VERSION_KEY, 'is missing');
  if (!(MODERN_VERSIONS as readonly string[]).includes(revision)) return unsupportedVersion(revision);
  if (!isObject(capabilities)) return missing(CAPABILITIES_KEY, 'is missing');
  return { revision, info: toClientInfo(info), capabilities, logLevel: readLogLevel(level) };
}

export function unsupportedVersion(requested: string): JsonRpcFailure {
  const supported = [...MODERN_VERSIONS, ...LEGACY_VERSIONS];
  const data = { supported, requested: requested.slice(0, REQUESTED_LIMIT) };
  return new JsonRpcFailure(UNSUPPORTED_VERSION, 'Unsupported protocol version', data);
}

function missing(key: string, what: string): JsonRpcFailure {
  return new JsonRpcFailure(
    INVALID_PARAMS,
    `The _meta of a request of ${MODERN_VERSIONS[0]} is incomplete: ${key} ${what}`,
  );
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const INFO_KEY = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
const REQUESTED_LIMIT = 100; // characters
