// https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use and .../tool-search-tool
import { isObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import type { ToolDefinition } from '../tool.js';
import { toObjectSchema } from './object-schema.js';
import type { ModelCallResult, ModelProfile, Profiled } from './profile.js';
import { mendReferences } from './references.js';
import { type ResultPart, toMatches, toResultParts } from './result-parts.js';
import type { AnthropicImage, AnthropicTool, AnthropicToolResult, ObjectJsonSchema } from './shapes.js';

export const anthropic: ModelProfile = {
  name: 'anthropic',
  defers: 'native',
  toolLimit: 10_000, // "Maximum tools" in the limits of .../tool-search-tool; for tools without deferral none is published
  toTool,
  toDeferred: (tool) => ({ ...tool, defer_loading: true }),
  toBlock: (tools) => tools,
  toToolResults: (results) => results.map(toToolResult),
};

function toTool(definition: ToolDefinition): Profiled {
  const made = toObjectSchema(definition, NAME);
  if (made.kind === 'aside') return made;
  const schema = mendReferences(made.schema, made.repairs);
  const { properties } = schema;
  const wrong = isObject(properties) ? Object.keys(properties).find((key) => !KEY.test(key)) : undefined;
  if (wrong !== undefined) {
    const key = JSON.stringify(shorten(wrong, 80));
    return { kind: 'aside', reason: `Its parameter ${key} is not of 1 to 64 letters, digits, "_", "." or "-"` };
  }
  const tool: AnthropicTool = {
    name: definition.name,
    description: made.description,
    input_schema: schema as ObjectJsonSchema,
  };
  return {
    kind: 'tool',
    tool,
    repairs: made.repairs.list(),
  };
}

function toToolResult({ isInBlock = () => true, ...result }: ModelCallResult): AnthropicToolResult {
  // References stand alone, because the API replaces them by the definitions.
  const found = result.name === 'ToolSearch' ? toMatches(result).filter(isInBlock) : [];
  const content: AnthropicToolResult['content'] =
    found.length > 0
      ? found.map((name) => ({ type: 'tool_reference', tool_name: name }))
      : toResultParts(result, IMAGES).map((part) =>
          part.kind === 'text' ? { type: 'text', text: part.text } : toImage(part),
        );
  return { type: 'tool_result', tool_use_id: result.callId, is_error: result.outcome !== 'ok', content };
}

function toImage({ mimeType, data }: ResultPart & { readonly kind: 'image' }): AnthropicImage {
  const media_type = mimeType as AnthropicImage['source']['media_type']; // one of IMAGES
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;
const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
