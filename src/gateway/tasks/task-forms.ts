// Tasks: https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks, and SEP-2663 for 2026-07-28
import { isObject, type JsonObject } from '../../base/json.js';

/**
 * The fields of a task as clients know it, from those of a server of either era: with the names of 2026-07-28, and the
 * id of the gateway.
 */
export function toServedTask(task: JsonObject, id: string): JsonObject {
  const { ttl, pollInterval, taskId: _, ...rest } = task;
  const { ttlMs = ttl ?? null, pollIntervalMs = pollInterval, ...fields } = rest;
  return { ...fields, taskId: id, ttlMs, ...(pollIntervalMs !== undefined && { pollIntervalMs }) };
}

/** With the id of a related task in `_meta` replaced where it is `from`; the same object where there is none. */
export function withRelatedTask<Value extends JsonObject>(value: Value, from: string, to: string): Value {
  const { _meta: meta } = value;
  const related = isObject(meta) ? meta[RELATED_TASK] : undefined;
  if (!isObject(related) || related['taskId'] !== from) return value;
  return { ...value, _meta: { ...(meta as JsonObject), [RELATED_TASK]: { ...related, taskId: to } } };
}

/** Without the task that it is related to: clients of 2026-07-28 know it from elsewhere. */
export function withoutRelatedTask<Value extends JsonObject>(value: Value): Value {
  const { _meta: meta } = value;
  if (!isObject(meta) || !(RELATED_TASK in meta)) return value;
  const { [RELATED_TASK]: _, ...others } = meta;
  const { _meta: __, ...rest } = value;
  return (Object.keys(others).length === 0 ? rest : { ...rest, _meta: others }) as Value;
}

const RELATED_TASK = 'io.modelcontextprotocol/related-task';
