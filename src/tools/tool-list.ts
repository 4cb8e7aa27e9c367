import type { ListColumns } from '../connection/catalog/cached-list.js';
import type { ServerToolDefinition } from '../connection/catalog/tool-definition.js';

/** The tools of one server, from its `Catalog` or elsewhere. */
export interface ToolList {
  /** As columns; the same object as long as nothing has changed. */
  readonly toolColumns: Pick<ListColumns, 'names' | 'labels' | 'bits'>;
  /** Undefined when the tool is no longer known; never rejects. */
  tool(name: string): Promise<ServerToolDefinition | undefined>;
  /** Many definitions, as far as they are cached. */
  toolDefinitions(names: readonly string[]): readonly ServerToolDefinition[];
}
