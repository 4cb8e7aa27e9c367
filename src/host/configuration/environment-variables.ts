import { numberOf } from '../../config/risks/odd-variables.js';
import { CONNECT_TIMEOUT } from '../../connection/connect.js';
import { LIST_TIMEOUT } from '../../connection/catalog/list-pages.js';

type Environment = { readonly [name: string]: string | undefined };

/** For starting, reaching and greeting a server. */
export function connectTimeout(env: Environment): number {
  return numberOf(env, 'MCP_TIMEOUT') ?? CONNECT_TIMEOUT;
}

/** For each list of a server, all pages together. Slow ones that nobody has set a time for get longer than for connecting. */
export function listTimeout(env: Environment): number {
  return numberOf(env, 'MCP_TIMEOUT') ?? LIST_TIMEOUT;
}

/** For a call. */
export function toolTimeout(env: Environment): number {
  return numberOf(env, 'MCP_TOOL_TIMEOUT') ?? CALL_TIMEOUT;
}

const CALL_TIMEOUT = 100_000_000; // migrations run for hours; a shorter one is the user's to set

/** How much of a result a model is shown. */
export function outputTokens(env: Environment): number {
  return numberOf(env, 'MAX_MCP_OUTPUT_TOKENS') ?? OUTPUT_TOKENS;
}

const OUTPUT_TOKENS = 25_000;
