import type { ListColumns } from '../connection/catalog/cached-list.js';
import type { ServerToolDefinition } from '../connection/catalog/tool-definition.js';

/** The tools of one server, wherever they come from: its catalog is one. */
export interface ToolList {
  /** Field by field, and the same object as long as nothing has changed. */
  readonly toolColumns: Pick<ListColumns, 'names' | 'labels' | 'bits'>;
  /** Undefined when it is not known any more; never rejects. */
  tool(name: string): Promise<ServerToolDefinition | undefined>;
  /** Many at once, as far as they are at hand. */
  toolDefinitions(names: readonly string[]): readonly ServerToolDefinition[];
}
