import { isObject } from '../../base/json.js';

/** What a server says in a `_meta` or in the data of an error, without what clients are told by this program alone. */
export function withoutOurs<Value>(value: Value): Value {
  if (!isObject(value) || !Object.keys(value).some(isOurs)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isOurs(name))) as Value;
}

function isOurs(name: string): boolean {
  return name.startsWith('plugboard/');
}
