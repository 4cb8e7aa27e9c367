import { z } from 'zod';
import type { BuiltInInputs, BuiltInName } from './built-in.js';

/** Input of each built-in tool. Loaded by the first call; models are shown built-in-json-schemas.ts. */
export const builtInSchemas = {
  Read: z.object({
    path: z.string().min(1).max(4096).describe('The file: one that a result was saved to, or one of the project'),
    offset: z.int().min(0).optional().describe('The line to begin with, the first being 0'),
    limit: z.int().min(1).max(10_000).optional().describe('How many lines; 500 unless said otherwise'),
    characters: z
      .object({ from: z.int().min(0), count: z.int().min(1).max(100_000) })
      .optional()
      .describe('A part of a file with very long lines, by characters instead of lines'),
  }),
  ListMcpResources: z.object({
    server: z.string().max(200).optional().describe('Only those of this server'),
  }),
  ReadMcpResource: z.object({
    server: z.string().min(1).max(200).describe('The server that has it'),
    uri: z.string().min(1).max(4096).describe('As ListMcpResources gives it, or a template with its blanks filled in'),
  }),
  Skill: z.object({
    skill: z.string().min(1).max(4096).describe('Its name with that of its server, as it was told: server:name'),
    file: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Another file of the skill to read: its address, or its path in the skill'),
    arguments: z.string().max(10_000).optional().describe('What you use the skill for; its server does not get this'),
  }),
  ToolSearch: z.object({
    query: z
      .string()
      .min(1)
      .max(2_000)
      .describe(
        'Words to look for, +word for one that has to be there, or select:name,name for tools whose names are known',
      ),
    max_results: z.int().min(1).max(50).optional().describe('How many at most; 5 unless said otherwise'),
  }),
  CallMcpTool: z.object({
    name: z.string().min(1).max(256).describe('The name of the tool, as ToolSearch gave it'),
    arguments: z.record(z.string(), z.unknown()).optional().describe('What its schema asks for'),
  }),
} satisfies { readonly [Name in BuiltInName]: z.ZodType<BuiltInInputs[Name]> };
