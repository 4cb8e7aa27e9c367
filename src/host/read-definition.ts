import type { Catalog, ListKind } from '../connection/catalog/catalog.js';
import type { ServerDefinition } from '../model/server-definition.js';
import { shownHints } from '../model/view/shown-hints.js';
import type { Tool, ToolDefinition } from '../model/tool.js';

/** How much of a definition to give. */
export interface DefinitionOptions {
  /** Whether to add `serverDefinition`: the definition as the server listed it. */
  readonly withServerDefinition?: boolean | undefined;
}

/** The full definition of a tool; undefined where there is none. Never rejects. */
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

/** The `serverDefinition` field of a listed item; undefined unless it is asked for. Never rejects. */
export async function serverDefinitionOf(
  catalog: Catalog,
  { kind, name }: { readonly kind: ListKind; readonly name: string },
  { withServerDefinition }: DefinitionOptions,
): Promise<{ readonly serverDefinition: ServerDefinition } | undefined> {
  const serverDefinition = withServerDefinition === true ? await catalog.serverDefinition(kind, name) : undefined;
  return serverDefinition && { serverDefinition };
}
