import { isJson, type Json } from './rules-common.js';

/** What generateContent would refuse in a list of tools, one sentence each. */
export function breachesOfGemini(tools: readonly object[]): string[] {
  const declarations = tools.flatMap(
    (tool) => (tool as { functionDeclarations?: Json[] }).functionDeclarations ?? [{}],
  );
  const names = new Set<unknown>();
  return declarations.flatMap((declaration) => {
    const { name, description, parameters, ...more } = declaration;
    const found: string[] = [];
    // https://ai.google.dev/api/caching#FunctionDeclaration
    if (typeof name !== 'string' || !/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/.test(name))
      found.push('its name is not allowed');
    if (names.has(name)) found.push('its name is there twice');
    if (typeof description !== 'string') found.push('its description is no text');
    if (Object.keys(more).length > 0) found.push(`unknown fields: ${Object.keys(more).join()}`);
    names.add(name);
    if (parameters !== undefined) {
      if (!isJson(parameters) || parameters['type'] !== 'object') found.push('its parameters are no object');
      found.push(...breachesOfNode(parameters, 'parameters'));
    }
    return found.map((breach) => `${String(name)}: ${breach}`);
  });
}

/** https://ai.google.dev/api/caching#Schema: the fields, and the types that each is allowed with. */
const FIELDS: { readonly [field: string]: readonly string[] | undefined } = {
  enum: ['string'],
  pattern: ['string'],
  minLength: ['string'],
  maxLength: ['string'],
  minimum: ['number', 'integer'],
  maximum: ['number', 'integer'],
  items: ['array'],
  minItems: ['array'],
  maxItems: ['array'],
  properties: ['object'],
  required: ['object'],
  propertyOrdering: ['object'],
  minProperties: ['object'],
  maxProperties: ['object'],
  type: undefined,
  title: undefined,
  description: undefined,
  format: undefined,
  nullable: undefined,
  default: undefined,
  example: undefined,
  anyOf: undefined,
};
const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

function breachesOfNode(node: unknown, place: string): string[] {
  if (!isJson(node)) return [`${place} is no schema`];
  const found: string[] = [];
  const say = (isBroken: boolean, what: string): void => void (isBroken && found.push(`${place}: ${what}`));
  const { type, anyOf, properties, items, required, format, nullable } = node;
  for (const field of Object.keys(node)) {
    // https://github.com/zed-extensions/mcp-server-brave-search/issues/12: "Unknown name ... Cannot find field"
    say(!Object.hasOwn(FIELDS, field), `no field ${field}`);
    // https://github.com/anomalyco/opencode/issues/11889: "only allowed for OBJECT type"
    const types = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    say(types !== undefined && !types.includes(String(type)), `${field} with type ${String(type)}`);
  }
  if (anyOf !== undefined) {
    // https://github.com/anomalyco/opencode/issues/14700: "it must be the only field set"
    say(Object.keys(node).length > 1, `beside anyOf: ${Object.keys(node).join()}`);
    say(!Array.isArray(anyOf) || anyOf.length === 0, 'anyOf is no list');
    for (const [index, one] of Object.entries(Array.isArray(anyOf) ? (anyOf as unknown[]) : []))
      found.push(...breachesOfNode(one, `${place}.anyOf.${index}`));
    return found;
  }
  // https://github.com/danny-avila/LibreChat/issues/6971: "must be specified when not using one_of, any_of or all_of"
  say(!TYPES.includes(String(type)), `type ${String(type)}`);
  say(nullable !== undefined && typeof nullable !== 'boolean', 'nullable is no boolean');
  // https://github.com/google-gemini/gemini-cli/issues/5450: "only 'enum' and 'date-time' are supported"
  const formats: { readonly [type: string]: readonly string[] } = {
    string: ['enum', 'date-time'],
    number: ['float', 'double'],
    integer: ['int32', 'int64'],
  };
  say(
    format !== undefined && formats[String(type)]?.includes(format as string) !== true,
    `format ${JSON.stringify(format)}`,
  );
  const values = node['enum'];
  // https://github.com/decolua/9router/pull/380: "enum only allowed for STRING type"; the field is a list of strings
  say(
    values !== undefined && !(Array.isArray(values) && values.every((one) => typeof one === 'string' && one !== '')),
    'enum',
  );
  // https://github.com/knocklabs/agent-toolkit/pull/24: "items: missing field"
  if (type === 'array') found.push(...breachesOfNode(items, `${place}.items`));
  if (properties !== undefined) {
    // https://github.com/browser-use/browser-use/issues/7: "should be non-empty for OBJECT type"
    say(!isJson(properties) || Object.keys(properties).length === 0, 'properties is empty');
    for (const [name, one] of Object.entries(properties as object))
      found.push(...breachesOfNode(one, `${place}.${name}`));
  }
  const known = Object.keys((properties as object | undefined) ?? {});
  say(
    required !== undefined && !(Array.isArray(required) && required.every((name) => known.includes(String(name)))),
    'required is no property',
  );
  return found;
}
