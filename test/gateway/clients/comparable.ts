import { isObject, type JsonObject } from '../../../src/base/json.js';
import type { Answer } from './foreign-client.js';

// What docs/gateway.md says that the gateway changes. All else has to be the same.

/**
 * What a gateway changes on purpose: lists are sorted and paged, the revision's own fields are those of the client's
 * revision, `_meta` gets keys of ours, and how a tool may be run as a task is told only where tasks are offered.
 */
export function toComparable(method: string, answer: Answer): JsonObject {
  if ('error' in answer) return { error: toComparableError(answer.error) };
  const { _meta: meta, ...all } = answer.result;
  const kept = Object.entries((meta ?? {}) as JsonObject).filter(([key]) => !isOurs(key));
  const result: JsonObject = { ...(kept.length > 0 && { _meta: Object.fromEntries(kept) }), ...withoutEra(all) };
  const list = listOf[method];
  if (list === undefined) return { result };
  const items = result[list] as readonly JsonObject[];
  return {
    result: { ...result, [list]: items.map(withoutExecution).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) },
  };
}

/** A question has tokens and ids of its own on each line. */
export function toComparableQuestion(method: string, params: JsonObject): JsonObject {
  const { _meta: _tokens, elicitationId: _id, ...rest } = params;
  return { method, ...rest };
}

export const listOf: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

export const METHOD_NOT_FOUND = -32_601;

function isOurs(key: string): boolean {
  return key.startsWith('plugboard/') || key === 'io.modelcontextprotocol/serverInfo';
}

/** The code of 2025 for a resource that is not there is another one than that of 2026. */
function toComparableError(error: JsonObject): JsonObject {
  const { message, ...rest } = error['code'] === -32002 ? { ...error, code: -32602 } : error;
  // Which names and methods there are the gateway knows itself, so the words are its own.
  return rest['code'] === METHOD_NOT_FOUND || /no_such/u.test(String(message)) ? rest : { ...rest, message };
}

function withoutEra({
  ttlMs: _ttl,
  cacheScope: _scope,
  resultType: _type,
  nextCursor: _cursor,
  ...rest
}: JsonObject): JsonObject {
  return rest;
}

/** A definition is put together again from what is known of it, so its fields are in another order. */
export function toSortedJson(value: JsonObject): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function withoutExecution({ execution: _execution, ...item }: JsonObject): JsonObject {
  return item;
}

function keyOf(item: JsonObject): string {
  return String(item['uriTemplate'] ?? item['uri'] ?? item['name']);
}
