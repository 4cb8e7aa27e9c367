import type { HostError } from '../base/errors.js';
import type { ResourceAnswer } from '../connection/requests/read-resource.js';
import { toBlocks, toHeadedBlocks } from '../connection/requests/resource-blocks.js';
import type { ContentBlock } from '../model/content/content-block.js';
import type { CallContext, ToolResult } from '../model/tool.js';
import { type BuiltInTool, toTool } from './built-in.js';
import { builtInJsonSchemas } from './built-in-json-schemas.js';

export interface ReadResourceToolOptions {
  /** Contract: never rejects. */
  readonly read: (
    question: Pick<CallContext, 'signal' | 'timeoutMs' | 'caller' | 'keepServerResult'> & {
      readonly server: string;
      readonly uri: string;
    },
  ) => Promise<
    | ({ readonly ok: true } & ResourceAnswer & Pick<ToolResult, 'serverResult'>)
    | { readonly ok: false; readonly error: HostError }
  >;
}

export const READ_RESOURCE = 'ReadMcpResource';

/** The tool that reads a resource for a model. results/ handles binary contents. */
export function readResourceTool({ read }: ReadResourceToolOptions): BuiltInTool {
  return toTool({
    name: READ_RESOURCE,
    title: 'Read a resource',
    description:
      'Reads a resource of an MCP server: one that ListMcpResources gave, or a template with its blanks filled in.',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    inputSchema: builtInJsonSchemas.ReadMcpResource,
    async run({ server, uri }, { signal, timeoutMs, caller, keepServerResult }) {
      const answer = await read({ server, uri, signal, timeoutMs, caller, keepServerResult });
      if (!answer.ok) throw answer.error;
      return {
        content: resourceBlocks(server, answer),
        ...(answer.serverResult && { serverResult: answer.serverResult }),
      };
    },
  });
}

/** The contents as blocks for a model; several parts are each headed by their URI. */
export function resourceBlocks(server: string, answer: ResourceAnswer): readonly ContentBlock[] {
  return answer.contents.length > 1 ? toHeadedBlocks(server, answer) : toBlocks(server, answer);
}
