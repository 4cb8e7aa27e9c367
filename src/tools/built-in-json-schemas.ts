import type { JsonSchema, ToolInput } from '../model/tool.js';

/** What each built-in tool is given, as its schema below has it. */
export interface BuiltInInputs {
  readonly Read: {
    readonly path: string;
    readonly offset?: number;
    readonly limit?: number;
    readonly characters?: { readonly from: number; readonly count: number };
  };
  readonly ListMcpResources: { readonly server?: string };
  readonly ReadMcpResource: { readonly server: string; readonly uri: string };
  readonly ToolSearch: { readonly query: string; readonly max_results?: number };
  readonly CallMcpTool: { readonly name: string; readonly arguments?: ToolInput };
}

/** As models are shown it, and as the input is checked. */
export const builtInJsonSchemas: Readonly<Record<keyof BuiltInInputs, JsonSchema>> = {
  Read: {
    type: 'object',
    properties: {
      path: { ...text(4096), description: 'The file: one that a result was saved to, or one of the project' },
      offset: { description: 'The line to begin with, the first being 0', ...integer(0) },
      limit: { description: 'How many lines; 500 unless said otherwise', ...integer(1, 10_000) },
      characters: {
        description: 'A part of a file with very long lines, by characters instead of lines',
        type: 'object',
        properties: { from: integer(0), count: integer(1, 100_000) },
        required: ['from', 'count'],
      },
    },
    required: ['path'],
  },
  ListMcpResources: {
    type: 'object',
    properties: { server: { description: 'Only those of this server', type: 'string', maxLength: 200 } },
  },
  ReadMcpResource: {
    type: 'object',
    properties: {
      server: { ...text(200), description: 'The server that has it' },
      uri: { ...text(4096), description: 'As ListMcpResources gives it, or a template with its blanks filled in' },
    },
    required: ['server', 'uri'],
  },
  ToolSearch: {
    type: 'object',
    properties: {
      query: {
        ...text(2000),
        description:
          'Words to look for, +word for one that has to be there, or select:name,name for tools whose names are known',
      },
      max_results: { description: 'How many at most; 5 unless said otherwise', ...integer(1, 50) },
    },
    required: ['query'],
  },
  CallMcpTool: {
    type: 'object',
    properties: {
      name: { ...text(256), description: 'The name of the tool, as ToolSearch gave it' },
      arguments: {
        description: 'What its schema asks for',
        type: 'object',
        propertyNames: { type: 'string' },
        additionalProperties: {},
      },
    },
    required: ['name'],
  },
};

function text(maxLength: number): JsonSchema {
  return { type: 'string', minLength: 1, maxLength };
}

function integer(minimum: number, maximum = Number.MAX_SAFE_INTEGER): JsonSchema {
  return { type: 'integer', minimum, maximum };
}
