import type { Columns } from '../connection/known-list.js';
import type { RemoteTool } from '../connection/remote-tool.js';

/** The tools of one server, wherever they come from: its catalog is one. */
export interface ToolList {
  /** Field by field, and the same object as long as nothing has changed. */
  readonly toolColumns: Pick<Columns, 'names' | 'labels' | 'bits'>;
  /** Undefined when it is not known any more; never rejects. */
  tool(name: string): Promise<RemoteTool | undefined>;
  /** Many at once, as far as they are at hand. */
  toolDefinitions(names: readonly string[]): readonly RemoteTool[];
}
