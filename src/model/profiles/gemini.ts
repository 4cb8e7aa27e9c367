// https://ai.google.dev/gemini-api/docs/function-calling and https://ai.google.dev/api/caching#FunctionDeclaration
import { isObject } from '../../base/json.js';
import type { ToolDefinition } from '../tool.js';
import { toGeminiSchema } from './gemini-schema.js';
import { toObjectSchema } from './object-schema.js';
import type { ModelCallResult, ModelProfile, Profiled } from './profile.js';
import { mendReferences } from './references.js';
import { toResultParts, joinResultTexts } from './result-parts.js';
import type { GeminiFunction, GeminiToolResult } from './shapes.js';

/** Puts schemas in `parameters`, which all Gemini models read and which takes a subset of OpenAPI 3.0. */
export const geminiProfile: ModelProfile = {
  name: 'gemini',
  defers: 'by-call',
  toolLimit: 128,
  toTool,
  toDeferred: (tool) => tool,
  toBlock: (tools) => (tools.length === 0 ? [] : [{ functionDeclarations: tools }]),
  toToolResults: (results) => results.flatMap(toParted),
};

function toTool(definition: ToolDefinition): Profiled {
  const made = toObjectSchema(definition, NAME);
  if (made.kind === 'aside') return made;
  const converted = toGeminiSchema(mendReferences(made.schema, made.repairs), made.repairs);
  if (converted.kind === 'aside') return converted;
  const { schema } = converted;
  // A function without parameters must not have this field.
  const isEmpty = !isObject(schema['properties']) || Object.keys(schema['properties']).length === 0;
  const { name } = definition;
  const { description } = made;
  const tool: GeminiFunction = isEmpty ? { name, description } : { name, description, parameters: schema };
  return {
    kind: 'tool',
    tool,
    repairs: made.repairs.list(),
    parts: converted.parts,
  };
}

function toParted(result: ModelCallResult): GeminiToolResult[] {
  const parts = toResultParts(result, IMAGES);
  const text = joinResultTexts(parts) || `(${result.name} gave what follows as an image)`;
  const response = result.outcome === 'ok' ? { output: text } : { error: text };
  return [
    { functionResponse: { id: result.callId, name: result.calledAs ?? result.name, response } },
    ...parts.flatMap((part) =>
      part.kind === 'image' ? [{ inlineData: { mimeType: part.mimeType, data: part.data } }] : [],
    ),
  ];
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp']);
