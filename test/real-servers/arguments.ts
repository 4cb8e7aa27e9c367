import { isObject } from '../../src/base/json.js';

/** Arguments that fit a tool's schema: made-up values for its required properties. */
export function argumentsFor(schema: { readonly [keyword: string]: unknown }): { [name: string]: unknown } {
  const { properties, required } = schema;
  if (!isObject(properties) || !Array.isArray(required)) return {};
  return Object.fromEntries(required.map((name: string) => [name, valueFor(properties[name])]));
}

function valueFor(schema: unknown): unknown {
  if (!isObject(schema)) return {};
  if ('default' in schema) return schema['default'];
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
  switch (type) {
    case 'string':
      return 'something';
    case 'number':
    case 'integer':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 7;
    case 'boolean':
      return false;
    case 'array':
      return [valueFor(schema['items'])];
    case 'object':
      return argumentsFor(schema);
    default:
      return null;
  }
}
