import type { JsonSchema } from '../model/tool.js';
import type { BuiltInName } from './built-in.js';

/** The Zod schemas of built-in-schemas.ts as JSON Schema, so that showing a tool does not load Zod. A test compares. */
export const builtInJsonSchemas: Readonly<Record<BuiltInName, JsonSchema>> = {
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
  Skill: {
    type: 'object',
    properties: {
      skill: { ...text(4096), description: 'Its name with that of its server, as it was told: server:name' },
      file: { description: 'Another file of the skill to read: its address, or its path in the skill', ...text(4096) },
      arguments: {
        description: 'What you use the skill for; its server does not get this',
        type: 'string',
        maxLength: 10_000,
      },
    },
    required: ['skill'],
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
