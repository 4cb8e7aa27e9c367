import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { profiles } from '../../src/model/profiles/all.js';
import type { ModelProfile, Profiled } from '../../src/model/profiles/profile.js';
import type { ToolDefinition } from '../../src/model/tool.js';
import { anySchema } from './any-schema.js';
import { nastySchemas } from './nasty-definitions.js';
import { breachesOfAnthropic } from './rules-anthropic.js';
import { breachesOfGemini } from './rules-gemini.js';
import { breachesOfOpenai } from './rules-openai.js';
import { toDefinition } from './scene.js';

const breachesOf: Record<string, (tools: readonly object[]) => string[]> = {
  anthropic: breachesOfAnthropic,
  openai: breachesOfOpenai,
  gemini: breachesOfGemini,
};
const folder = import.meta.dirname;
const real = JSON.parse(readFileSync(join(folder, 'real-definitions.json'), 'utf8')) as {
  name: string;
  description: string;
  inputSchema: object;
}[];
const definitions: readonly ToolDefinition[] = [
  ...real.map(({ name, description, inputSchema }) => toDefinition(name, inputSchema, { description })),
  ...Object.entries(nastySchemas).map(([name, schema]) => toDefinition(name, schema)),
  toDefinition('long-description', undefined, { description: 'Tells much. '.repeat(170) }),
  toDefinition('no-description', undefined, { description: '' }),
  toDefinition('a name with blanks'),
  toDefinition('x'.repeat(65)),
  toDefinition('9lives'),
];
const schemaIn = (tool: object): unknown => {
  const { input_schema: input, function: made, parameters } = tool as Record<string, { parameters?: unknown }>;
  return input ?? made?.parameters ?? parameters;
};

test.each(profiles)('what $name is shown of each definition is what the golden file has', (profile) => {
  // `parts` is not compared, because a model is not shown it.
  const made = Object.fromEntries(
    definitions.map((definition) => {
      const { parts: _, ...shown } = profile.toTool(definition);
      return [definition.name, shown];
    }),
  );
  const file = join(folder, 'golden', `${profile.name}.json`);
  if (process.env['PLUGBOARD_GOLDEN'] === 'write' || !existsSync(file))
    writeFileSync(file, JSON.stringify(made, null, 2));
  const golden = JSON.parse(readFileSync(file, 'utf8')) as unknown;
  // Also compared as text: a prompt cache depends on the order of fields.
  expect(made).toEqual(golden);
  expect(JSON.stringify(made)).toBe(JSON.stringify(golden));
});

test.each(profiles)('$name refuses nothing of what it is shown', (profile) => {
  const tools = definitions.flatMap((definition) => toolsOf(profile.toTool(definition)));
  expect(tools.length).toBeGreaterThan(60);
  expect(breachesOf[profile.name]!(profile.toBlock(tools))).toEqual([]);
});

test.each(profiles)('$name would refuse most of these definitions if nobody had looked at them', (profile) => {
  const raw = (name: string, schema: unknown): object =>
    ({
      anthropic: { name, description: '', input_schema: schema },
      openai: { type: 'function', function: { name, description: '', parameters: schema } },
      gemini: { name, description: '', parameters: schema },
    })[profile.name];
  const refused = Object.entries(nastySchemas).filter(
    ([name, schema]) => breachesOf[profile.name]!(profile.toBlock([raw(name, schema)])).length > 0,
  );
  expect(refused.length).toBeGreaterThan(15);
});

test('a real definition goes out as it came, to APIs that take JSON Schema', () => {
  for (const profile of profiles.filter(({ name }) => name !== 'gemini')) {
    for (const definition of definitions.slice(0, real.length))
      expect(toolsOf(profile.toTool(definition)).map(schemaIn)).toEqual([definition.inputSchema]);
    const touched = definitions.slice(0, real.length).filter((definition) => !noRepairs(profile, definition));
    expect(touched.map(({ name }) => name)).toEqual([]);
  }
});

test.each(profiles)('whatever a server calls a schema, $name takes it or it is set aside', (profile) => {
  fc.assert(
    fc.property(anySchema, (schema) => {
      const before = JSON.stringify(schema);
      const made = profile.toTool(toDefinition('any', schema));
      expect(JSON.stringify(schema)).toBe(before);
      const tools = toolsOf(made);
      expect(breachesOf[profile.name]!(profile.toBlock(tools))).toEqual([]);
      const untouched = made.kind === 'tool' && made.repairs.length === 0 ? schemaIn(made.tool) : undefined;
      expect(untouched ?? schema).toBe(schema);
    }),
    { numRuns: process.env['PLUGBOARD_FULL'] ? 50_000 : 1_500 },
  );
});

test.each(profiles)('a good schema that uses only what $name knows is not touched', (profile) => {
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where', minLength: 1 },
      depth: { type: 'integer', minimum: 0, maximum: 9, default: 1 },
      kinds: { type: 'array', items: { type: 'string', enum: ['file', 'folder'] }, maxItems: 2 },
      box: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    },
    required: ['path'],
  };
  const made = profile.toTool(toDefinition('good', schema));
  expect(made).toMatchObject({ kind: 'tool', repairs: [] });
  expect(schemaIn(toolsOf(made)[0]!)).toBe(schema);
});

test.each(profiles)('what contains itself, or is no JSON, is set aside by $name', (profile) => {
  const circle: Record<string, unknown> = { type: 'object' };
  circle['properties'] = { again: circle };
  expect(profile.toTool(toDefinition('circle', circle))).toMatchObject({ kind: 'aside' });
  const odd = { type: 'object', properties: {}, default: 1n };
  expect(profile.toTool(toDefinition('odd', odd))).toMatchObject({ kind: 'aside' });
  expect(profile.toTool(toDefinition('none', null))).toMatchObject({ kind: 'aside' });
});

function noRepairs(profile: ModelProfile, definition: ToolDefinition): boolean {
  const made = profile.toTool(definition);
  return made.kind === 'tool' && made.repairs.length === 0;
}

function toolsOf(made: Profiled): object[] {
  return made.kind === 'tool' ? [made.tool] : [];
}
