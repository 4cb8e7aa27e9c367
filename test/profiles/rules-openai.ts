import { breachesOfDraft, isJson, type Json, schemasIn } from './rules-common.js';

/** What Chat Completions would refuse in a list of tools, one sentence each. */
export function breachesOfOpenai(tools: readonly object[]): string[] {
  const names = new Set<unknown>();
  const breaches = tools.flatMap((tool) => {
    const { type, function: made } = tool as { type?: unknown; function?: Json };
    const { name, description, parameters } = made ?? {};
    const found: string[] = [];
    const say = (isBroken: boolean, what: string): void => void (isBroken && found.push(`${String(name)}: ${what}`));
    // https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools
    say(type !== 'function', 'it is no function');
    say(typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name), 'its name is not allowed');
    say(names.has(name), 'its name is there twice');
    names.add(name);
    // https://github.com/getsentry/sentry-mcp/issues/106: "Expected a string with maximum length 1024"
    say(typeof description !== 'string' || description.length > 1024, 'its description is too long');
    if (!isJson(parameters)) return [...found, `${String(name)}: its parameters are no object`];
    // https://github.com/langchain-ai/langchainjs/issues/9804: the API's own error message
    say(parameters['type'] !== 'object', 'its parameters are not of type object');
    for (const word of ['oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not'])
      say(parameters[word] !== undefined, `${word} at the top level`);
    // https://github.com/mark3labs/mcphost/issues/88: "object schema missing properties"
    say(!isJson(parameters['properties']), 'properties is missing');
    for (const breach of breachesOfDraft(parameters)) say(true, breach);
    for (const { schema, place } of schemasIn(parameters)) {
      const isFurther = place.endsWith('/additionalProperties') && !place.endsWith('/properties/additionalProperties');
      say(typeof schema === 'boolean' && !isFurther, `${place} is a boolean`);
      if (!isJson(schema)) continue;
      // https://github.com/campfirein/byterover-cli/issues/42: "array schema missing items", in lists of types as well
      say([schema['type']].flat().includes('array') && schema['items'] === undefined, `${place} is missing items`);
      // https://github.com/Dokploy/mcp/issues/45: "regex lookaround is not supported"
      for (const pattern of patternsOf(schema)) say(!isPortable(pattern), `${place} has the pattern ${pattern}`);
      const reference = schema['$ref'];
      say(
        typeof reference === 'string' && !leadsSomewhere(reference, parameters),
        `${place} refers to ${String(reference)}`,
      );
    }
    return found;
  });
  // https://github.com/zed-industries/zed/issues/32946: "Expected an array with maximum length 128"
  return tools.length > 128 ? [...breaches, `there are ${tools.length} tools`] : breaches;
}

function patternsOf(schema: Json): string[] {
  const { pattern, patternProperties } = schema;
  return [...(typeof pattern === 'string' ? [pattern] : []), ...Object.keys((patternProperties as object) ?? {})];
}

function isPortable(pattern: string): boolean {
  // `\\k` is an escaped backslash before a letter.
  const escapes = pattern.match(/\\./gsu) ?? [];
  const rest = pattern.replaceAll(/\\./gsu, '').replaceAll(/\[[^\]]*\]/gu, '');
  if (/\(\?[^:]/u.test(rest) || escapes.some((escape) => 'pPkucx'.includes(escape[1]!))) return false;
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

/** https://platform.openai.com/docs/guides/structured-outputs: references may only point inside the schema. */
function leadsSomewhere(reference: string, root: Json): boolean {
  if (!reference.startsWith('#'))
    return [...schemasIn(root)].some(({ schema }) => isJson(schema) && schema['$id'] === reference);
  if (!/^#(\/|$)/.test(reference))
    return [...schemasIn(root)].some(({ schema }) => isJson(schema) && `#${String(schema['$anchor'])}` === reference);
  let at: unknown = root;
  for (const token of reference.split('/').slice(1)) {
    const key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Json)[key] : undefined;
  }
  return typeof at === 'boolean' || isJson(at);
}
