// Prompts: https://modelcontextprotocol.io/specification/2025-11-25/server/prompts
import { isObject } from '../../base/json.js';
import type { CallOptions } from '../../wire/peer.js';
import type { Connection } from '../connect.js';
import { isKey, type ItemList, listItems } from './list-items.js';
import { readDescription, readTitle, type Redact } from './server-text.js';

/** A prompt as its server describes it: texts cleaned and truncated. */
export interface ServerPromptDefinition {
  /** As the server spells it, which is how prompts/get must spell it. */
  readonly name: string;
  /** A name for people; undefined where the server gave none. */
  readonly title: string | undefined;
  /** Empty where the server gave none. */
  readonly description: string;
  /** In the server's order; empty for a prompt without arguments. */
  readonly arguments: readonly PromptArgument[];
}

/** An argument that a prompt takes. */
export interface PromptArgument extends Omit<ServerPromptDefinition, 'arguments'> {
  /** Whether the prompt cannot be got without it. False where the server does not say. */
  readonly required: boolean;
}

export function listPrompts(connection: Connection, options?: CallOptions): Promise<ItemList<ServerPromptDefinition>> {
  return listItems(
    connection,
    {
      capability: 'prompts',
      method: 'prompts/list',
      key: 'prompts',
      read: (item) => readPrompt(item, connection.redact),
      nameOf: ({ name }) => name,
    },
    options,
  );
}

/** Parses a prompt from a server's list or from the cache file; undefined when its name is not usable. */
export function readPrompt(
  { name, title, description, arguments: list }: { readonly [field: string]: unknown },
  redact: Redact,
): ServerPromptDefinition | undefined {
  if (!isKey(name, NAME_LIMIT)) return undefined;
  const found = Array.isArray(list) ? list.slice(0, ARGUMENT_LIMIT) : [];
  return {
    name,
    title: readTitle(title, redact),
    description: readDescription(description, redact),
    arguments: found.flatMap((argument: unknown) => readArgument(argument, redact)),
  };
}

function readArgument(argument: unknown, redact: Redact): PromptArgument[] {
  if (!isObject(argument) || !isKey(argument['name'], NAME_LIMIT)) return [];
  const { name, title, description, required } = argument;
  return [
    {
      name,
      title: readTitle(title, redact),
      description: readDescription(description, redact),
      required: required === true,
    },
  ];
}

const NAME_LIMIT = 256;
const ARGUMENT_LIMIT = 100; // more than a user would fill in
