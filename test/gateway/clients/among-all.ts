import { isObject, type JsonObject } from '../../../src/base/json.js';
import { listOf, METHOD_NOT_FOUND } from './comparable.js';
import type { Exchange } from './conversation.js';

/**
 * What a server's answers become at an address of several servers: names and titles say which server a thing is of, and
 * each list is there.
 */
export function asAmongAll(exchange: Exchange, server: string): Exchange {
  const { method, answer } = exchange;
  const list = listOf[method];
  if (list === undefined) return exchange;
  if (isObject(answer['error']) && answer['error']['code'] === METHOD_NOT_FOUND) {
    return { ...exchange, answer: { result: { [list]: [] } } };
  }
  const result = answer['result'] as JsonObject;
  const items = (result[list] as readonly JsonObject[]).map((item) => ({
    ...item,
    ...(isNamed(method) && { name: `${server}__${String(item['name'])}` }),
    title: `${server}: ${titleOf(item)}`,
  }));
  return { ...exchange, answer: { result: { ...result, [list]: items } } };
}

function titleOf({ title, annotations, name }: JsonObject): string {
  return String(title ?? (isObject(annotations) ? annotations['title'] : undefined) ?? name);
}

function isNamed(method: string): boolean {
  return method === 'tools/list' || method === 'prompts/list';
}
