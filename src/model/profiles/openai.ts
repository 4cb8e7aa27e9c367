// https://platform.openai.com/docs/guides/function-calling and .../api-reference/chat/create
import { isObject } from '../../base/json.js';
import type { JsonSchema, ToolDefinition } from '../tool.js';
import { mapSchema } from './map-schema.js';
import { toObjectSchema } from './object-schema.js';
import { isPlainPattern } from './plain-pattern.js';
import type { ModelCallResult, ModelProfile, Profiled } from './profile.js';
import { mendReferences } from './references.js';
import { type Repairs, toPlace } from './repairs.js';
import { type ResultPart, toResultParts, joinResultTexts } from './result-parts.js';
import type { ObjectJsonSchema, OpenAiPictures, OpenAiTool, OpenAiToolMessage, OpenAiToolResult } from './shapes.js';

/** Chat Completions, which many other providers offer as well. Never strict: that changes what a tool accepts. */
export const openai: ModelProfile = {
  name: 'openai',
  defers: 'by-call',
  toolLimit: 128,
  toTool,
  toDeferred: (tool) => tool,
  toBlock: (tools) => tools,
  toToolResults,
};

function toTool(definition: ToolDefinition): Profiled {
  const made = toObjectSchema(definition, NAME);
  if (made.kind === 'aside') return made;
  const { repairs } = made;
  const rooted = toRoot(made.schema, repairs);
  const taken = mapSchema(rooted, { after: (value, path) => toTaken(value, path, repairs) }) as JsonSchema;
  const { description, parameters } = fitDescription(made.description, mendReferences(taken, repairs), repairs);
  const own = { name: definition.name, description, parameters: parameters as ObjectJsonSchema };
  const tool: OpenAiTool = { type: 'function', function: own };
  return {
    kind: 'tool',
    tool,
    repairs: repairs.list(),
  };
}

/** A request is refused as a whole if a root has no `properties`, or has one of these keywords. */
function toRoot(schema: JsonSchema, repairs: Repairs): JsonSchema {
  const refused = ['enum', 'const', 'not'].filter((word) => schema[word] !== undefined);
  let root = schema;
  if (refused.length > 0) {
    root = Object.fromEntries(Object.entries(schema).filter(([word]) => !refused.includes(word)));
    repairs.add(`${refused.join(', ')} at the root was left out`);
  }
  if (root['properties'] !== undefined) return root;
  repairs.add('properties was missing, and is empty now');
  return { ...root, properties: {} };
}

function toTaken(value: unknown, path: readonly string[], repairs: Repairs): unknown {
  if (typeof value === 'boolean') return toWrittenOut(value, path, repairs);
  if (!isObject(value)) return value;
  let schema = value;
  const { type, items, pattern } = schema;
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'));
  if (isList && items === undefined) {
    repairs.add(`items of ${toPlace(path)} was missing: anything fits there`);
    schema = { ...schema, items: {} };
  }
  if (typeof pattern === 'string' && !isPlainPattern(pattern)) {
    repairs.add(`The pattern of ${toPlace(path)} is one that this API cannot read, and was left out`);
    const { pattern: _, ...rest } = schema;
    schema = rest;
  }
  if (isObject(schema['patternProperties'])) schema = withoutOddPatterns(schema, path, repairs);
  return schema;
}

function withoutOddPatterns(schema: JsonSchema, path: readonly string[], repairs: Repairs): JsonSchema {
  const patterns = Object.entries(schema['patternProperties'] as JsonSchema);
  const plain = patterns.filter(([pattern]) => isPlainPattern(pattern));
  if (plain.length === patterns.length) return schema;
  repairs.add(`A pattern of ${toPlace(path)} is one that this API cannot read, and was left out`);
  // Properties that only a removed pattern allowed must not become forbidden.
  const { patternProperties: _, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(plain.length > 0 && { patternProperties: Object.fromEntries(plain) }),
    ...(additionalProperties !== undefined && additionalProperties !== false && { additionalProperties }),
  };
}

/** The API refuses `true` and `false` as schemas, except for additional properties and items. */
function toWrittenOut(value: boolean, path: readonly string[], repairs: Repairs): unknown {
  const keyword = path.at(-1) ?? '';
  const isOfProperties = path.at(-2) === 'properties' || path.at(-2) === 'patternProperties';
  if (KEPT.has(keyword) && !isOfProperties) return value;
  repairs.add(`${toPlace(path)} was ${value}, and is written out as a schema`);
  return value ? {} : { not: {} };
}

/** The part of a description that does not fit moves to the schema's description. */
function fitDescription(
  description: string,
  parameters: JsonSchema,
  repairs: Repairs,
): { readonly description: string; readonly parameters: JsonSchema } {
  if (description.length <= DESCRIPTION) return { description, parameters };
  const space = description.lastIndexOf(' ', DESCRIPTION - CONTINUED.length);
  const end = space > DESCRIPTION / 2 ? space : wholeCharacters(description, DESCRIPTION - CONTINUED.length);
  const own = parameters['description'];
  const rest = `…${description.slice(end).trimStart()}${typeof own === 'string' ? `\n\n${own}` : ''}`;
  repairs.add(
    `Its description has ${description.length} characters: what is beyond ${DESCRIPTION} stands in its schema`,
  );
  return { description: description.slice(0, end) + CONTINUED, parameters: { ...parameters, description: rest } };
}

function wholeCharacters(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}

/** Tool messages come first: the API allows nothing between calls and results. Images follow in a user message. */
function toToolResults(results: readonly ModelCallResult[]): OpenAiToolResult[] {
  const parted = results.map((result) => ({ result, parts: toResultParts(result, IMAGES) }));
  const messages = parted.map(({ result, parts }): OpenAiToolMessage => ({
    role: 'tool',
    tool_call_id: result.callId,
    content: toMarked(result, joinResultTexts(parts) || `(${result.name} gave what follows as an image)`),
  }));
  const pictures = parted.flatMap(({ result, parts }) => toPictures(result, parts));
  return pictures.length === 0 ? messages : [...messages, { role: 'user', content: pictures }];
}

/** The API has no error field, and "[]" alone looks like a success. */
function toMarked({ outcome }: ModelCallResult, text: string): string {
  return outcome === 'ok' ? text : `${outcome === 'error' ? FAILED : UNKNOWN}\n${text}`;
}

function toPictures({ name, callId }: ModelCallResult, parts: readonly ResultPart[]): OpenAiPictures['content'] {
  const images = parts.flatMap((part) => (part.kind === 'image' ? [part] : []));
  if (images.length === 0) return [];
  return [
    { type: 'text', text: `Images of the result of ${name} (call ${callId}):` },
    ...images.map(({ mimeType, data }) => ({
      type: 'image_url' as const,
      image_url: { url: `data:${mimeType};base64,${data}` },
    })),
  ];
}

const FAILED = '[This call has failed.]';
const UNKNOWN = '[Nobody knows what came of this call.]';
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const KEPT: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']);
const DESCRIPTION = 1024; // characters; some deployments refuse more
const CONTINUED = ' … (continued in the parameters)';
const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
