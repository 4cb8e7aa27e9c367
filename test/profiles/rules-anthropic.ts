import { breachesOfDraft, isJson, type Json } from './rules-common.js';

/** What the Messages API would refuse in a list of tools, one sentence each. */
export function breachesOfAnthropic(tools: readonly object[]): string[] {
  const names = new Set<unknown>();
  const breaches = tools.flatMap((tool) => {
    const { name, description, input_schema: schema, defer_loading: isDeferred = false, ...more } = tool as Json;
    const found: string[] = [];
    const say = (isBroken: boolean, what: string): void => void (isBroken && found.push(`${String(name)}: ${what}`));
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
    say(typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name), 'its name is not allowed');
    say(names.has(name), 'its name is there twice');
    say(typeof description !== 'string', 'its description is no text');
    say(Object.keys(more).length > 0, `fields that the API does not know: ${Object.keys(more).join()}`);
    say(typeof isDeferred !== 'boolean', 'defer_loading is no boolean');
    names.add(name);
    if (!isJson(schema)) return [...found, `${String(name)}: its schema is no object`];
    // https://platform.claude.com/docs/en/api/messages
    say(schema['type'] !== 'object', 'its schema is not of type object');
    // https://github.com/anthropics/claude-code/issues/5319: the API's own error message
    for (const word of ['oneOf', 'anyOf', 'allOf']) say(schema[word] !== undefined, `${word} at the top level`);
    // https://github.com/anthropics/claude-code/issues/7365: "It must match JSON Schema draft 2020-12"
    for (const breach of breachesOfDraft(schema)) say(true, breach);
    // https://github.com/beautyfree/appstore-connect-mcp/issues/2: "Property keys should match pattern"
    for (const key of Object.keys((schema['properties'] as object | undefined) ?? {}))
      say(!/^[a-zA-Z0-9_.-]{1,64}$/.test(key), `the key ${JSON.stringify(key)}`);
    return found;
  });
  // https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool: not all may be deferred
  const allDeferred = tools.length > 0 && tools.every((tool) => (tool as { defer_loading?: boolean }).defer_loading);
  return allDeferred ? [...breaches, 'every tool is deferred'] : breaches;
}
