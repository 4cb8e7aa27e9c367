import { numberOf } from '../../config/risks/odd-variables.js';
import { CONNECT_TIMEOUT } from '../../connection/connect.js';
import { LIST_TIMEOUT } from '../../connection/catalog/list-pages.js';

type Environment = { readonly [name: string]: string | undefined };

/** Milliseconds for starting, reaching and initializing a server. */
export function connectTimeout(env: Environment): number {
  return numberOf(env, 'MCP_TIMEOUT') ?? CONNECT_TIMEOUT;
}

/** Milliseconds for each list of a server, all pages together. Default: longer than connecting, for slow servers. */
export function listTimeout(env: Environment): number {
  return numberOf(env, 'MCP_TIMEOUT') ?? LIST_TIMEOUT;
}

/** Milliseconds for a tool call. */
export function toolTimeout(env: Environment): number {
  return numberOf(env, 'MCP_TOOL_TIMEOUT') ?? CALL_TIMEOUT;
}

const CALL_TIMEOUT = 100_000_000; // migrations run for hours; users may set a shorter timeout

/** Maximum tokens of a result that a model is shown. */
export function outputTokens(env: Environment): number {
  return numberOf(env, 'MAX_MCP_OUTPUT_TOKENS') ?? OUTPUT_TOKENS;
}

const OUTPUT_TOKENS = 25_000;
