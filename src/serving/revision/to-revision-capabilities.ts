import { isObject, type JsonObject } from '../../base/json.js';
import { TASKS_EXTENSION } from '../../wire/eras/envelope.js';
import { isModernRevision, SINCE } from './revisions.js';

/**
 * What a client of this revision may be told of a server's capabilities. `tasks`, the tasks of 2025-11-25, is there only
 * where they are offered; extensions go to every revision, since clients that do not know them ignore them.
 */
export function toRevisionCapabilities(capabilities: JsonObject, revision: string): JsonObject {
  const { tasks, completions, extensions, ...rest } = capabilities;
  if (isModernRevision(revision)) return tasks === undefined ? capabilities : without(capabilities, 'tasks');
  const others = isObject(extensions) ? without(extensions, TASKS_EXTENSION) : undefined;
  return {
    ...rest,
    ...(completions !== undefined && revision >= SINCE.completions && { completions }),
    ...(others && Object.keys(others).length > 0 && { extensions: others }),
    // A list would show a client the tasks of others, which nobody here can tell apart.
    ...(isObject(tasks) && revision >= SINCE.tasks && { tasks: without(tasks, 'list') }),
  };
}

function without(object: JsonObject, key: string): JsonObject {
  const { [key]: _left, ...rest } = object;
  return rest;
}
