import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../../src/base/json.js';
import type { Entries } from '../host/scene.js';

const SERVER = resolve(import.meta.dirname, 'list-server.mjs');

/** An entry for a server with these lists; `says`: what it declares besides. */
export function listing(name: string, lists: object, says: object = {}, more: object = {}): Entries {
  // Written by a call of `set` only.
  const state = join(tmpdir(), `plugboard-lists-${randomUUID()}.json`);
  const env = { STATE: state, NAME: name, LISTS: JSON.stringify(lists), SAYS: JSON.stringify(says) };
  return { [name]: { command: process.execPath, args: [SERVER], env, ...more } };
}

/** One field of all items in a list. */
export function namesOf(result: JsonObject, field: string, key = 'name'): unknown[] {
  return (result[field] as readonly JsonObject[]).map((item) => item[key]);
}
