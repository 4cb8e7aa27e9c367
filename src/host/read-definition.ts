import type { Catalog, ListKind } from '../connection/catalog/catalog.js';
import type { ServerDefinition } from '../model/server-definition.js';
import { shownHints } from '../model/view/shown-hints.js';
import type { Tool, ToolDefinition } from '../model/tool.js';

export interface DefinitionOptions {
  /** Whether `serverDefinition` is wanted: what the server itself listed, beside what is made of it. */
  readonly withServerDefinition?: boolean | undefined;
}

/** A tool in full. Never rejects. */
export async function readDefinition(
  tool: Tool | undefined,
  { withServerDefinition }: DefinitionOptions,
): Promise<ToolDefinition | undefined> {
  const definition = await tool?.definition();
  const serverDefinition = withServerDefinition === true ? await tool?.serverDefinition?.() : undefined;
  return definition && { ...toShown(definition), ...(serverDefinition && { serverDefinition }) };
}

export function toShown<Known extends ToolDefinition>(definition: Known): Known {
  return { ...definition, hints: shownHints(definition.hints, definition.marks) };
}

/** For a field of an item of a list; nothing where nobody wants it. Never rejects. */
export async function serverDefinitionOf(
  catalog: Catalog,
  { kind, name }: { readonly kind: ListKind; readonly name: string },
  { withServerDefinition }: DefinitionOptions,
): Promise<{ readonly serverDefinition: ServerDefinition } | undefined> {
  const serverDefinition = withServerDefinition === true ? await catalog.serverDefinition(kind, name) : undefined;
  return serverDefinition && { serverDefinition };
}
