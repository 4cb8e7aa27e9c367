import { canonicalJson } from '../text/canonical-json.js';
import type { ToolDefinition } from '../tool.js';

export interface PinnablePrompt {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly arguments: readonly PinnableArgument[];
}

interface PinnableArgument {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly required: boolean;
}

/** What was accepted, as it is stored and shown. The kind is part of it, so that a prompt's pin never fits a tool. */
export type PinnedDefinition =
  | { readonly tool: { readonly [field: string]: unknown } }
  | { readonly prompt: { readonly [field: string]: unknown } }
  | { readonly instructions: string };

/**
 * Contains only what the server declares, no defaults: when a later version of this program reads another field, only
 * the pins of tools that have this field change.
 */
export function toPinnedTool(tool: ToolDefinition): PinnedDefinition {
  const { name, title, description, inputSchema, outputSchema } = tool;
  const { readOnly, destructive, idempotent, openWorld } = tool.hints;
  const { saysDestructive, alwaysLoad, needsUser, isHidden } = tool.marks;
  const { searchHint, maxResultChars } = tool.meta;
  const hints = {
    ...(readOnly && { readOnly }),
    ...(!destructive && { destructive }),
    ...(idempotent && { idempotent }),
    ...(!openWorld && { openWorld }),
  };
  const marks = {
    ...(saysDestructive && { saysDestructive }),
    ...(alwaysLoad && { alwaysLoad }),
    ...(needsUser && { needsUser }),
    ...(isHidden && { isHidden }),
    ...(searchHint !== undefined && { searchHint }),
    ...(maxResultChars !== undefined && { maxResultChars }),
  };
  return {
    tool: { name, title, description, inputSchema, outputSchema, ...unlessEmpty({ hints }), ...unlessEmpty({ marks }) },
  };
}

export function toPinnedPrompt({ name, title, description, arguments: list }: PinnablePrompt): PinnedDefinition {
  const taken = list.map((argument) => ({
    name: argument.name,
    title: argument.title,
    description: argument.description,
    ...(argument.required && { required: true }),
  }));
  return { prompt: { name, title, description, ...(taken.length > 0 && { arguments: taken }) } };
}

export function toPinnedInstructions(instructions: string): PinnedDefinition {
  return { instructions };
}

/** The pin does not depend on the order of fields. `hex`: SHA-256 of a text in hexadecimal digits. */
export function toPin(definition: PinnedDefinition, hex: (text: string) => string): string {
  return `${PIN_START}${hex(canonicalJson(definition))}`;
}

export const PIN_START = 'sha256-';

function unlessEmpty<T extends { readonly [key: string]: object }>(named: T): T | object {
  return Object.values(named).every((value) => Object.keys(value).length === 0) ? {} : named;
}
