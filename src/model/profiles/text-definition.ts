import type { ToolDefinition } from '../tool.js';
import { cleanSchema } from './clean-schema.js';
import { toObjectSchema } from './object-schema.js';

export type TextDefinition =
  | { readonly kind: 'tool'; readonly definition: ToolDefinition }
  | { readonly kind: 'aside'; readonly reason: string };

/** A definition that a model reads as text instead of in its API's tools. It must pass the same checks. */
export function toTextDefinition(definition: ToolDefinition): TextDefinition {
  const inputSchema = cleanSchema(definition.inputSchema);
  if (!inputSchema) return { kind: 'aside', reason: HIDING };
  const made = toObjectSchema({ ...definition, inputSchema }, NAME);
  if (made.kind === 'aside') return made;
  return { kind: 'tool', definition: { ...definition, description: made.description, inputSchema: made.schema } };
}

/** Why a tool with hidden characters in its schema is not shown. */
export const HIDING = 'Its schema hides characters in a name or a value';
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
