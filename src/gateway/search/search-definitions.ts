import type { JsonObject } from '../../base/json.js';

/** The names of the two tools, where no server has one of the same name. */
export const SEARCH = 'search_tools';
export const CALL = 'call_tool';

interface OwnDefinition extends JsonObject {
  readonly name: string;
}

export function searchDefinition(name: string): OwnDefinition {
  return {
    name,
    title: 'Search for tools',
    description:
      'Finds tools by words for what is to be done, and shows their definitions: name, description and the JSON Schema of ' +
      'the arguments, one tool a line. Call what was found with call_tool. A word with + before it has to occur.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words for what is to be done: "create issue", "+slack send message".' },
        limit: { type: 'integer', minimum: 1, maximum: 20, description: 'How many tools at most. Default: 5.' },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

export function callDefinition(name: string): OwnDefinition {
  return {
    name,
    title: 'Call a tool',
    description: 'Calls a tool that search_tools has found, by its name, with arguments as its schema describes them.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The name of the tool, as search_tools shows it.' },
        arguments: { type: 'object', description: "The tool's arguments." },
      },
      required: ['name'],
    },
  };
}
