import { TimeSlice } from '../../edge/time-slice.js';
import type { ServerDefinition } from '../../model/server-definition.js';
import type { Tool, ToolDefinition } from '../../model/tool.js';
import { groupByServer } from '../group-by-server.js';
import { type DefinitionOptions, toShown } from '../read-definition.js';
import type { Servers } from '../servers/servers.js';
import { type ServerTool, toDefinition } from '../servers/server-tool.js';

/** Options of `host.tools` with definitions. */
export interface ToolDefinitionsOptions extends DefinitionOptions {
  /** Whether to read the definition of each tool: its description and schemas. */
  readonly definitions: true;
}

/** A tool of a server, as `host.tools()` lists it: what is known without reading its definition. */
export interface HostTool extends Tool {
  /** The tool's server. */
  readonly server: string;
  /** The tool as its server listed it; undefined when no longer known. */
  serverDefinition(): Promise<ServerDefinition | undefined>;
}

/** A tool of a server with its definition. */
export interface DefinedTool extends ToolDefinition {
  /** The tool's server. */
  readonly server: string;
  /** The tool's name as the server spells it. */
  readonly tool: string;
  /** Whether a model is shown the definition from the beginning, or may have to search for it. */
  readonly load: Tool['load'];
}

/** The definitions of all these tools, in their order, without those that are no longer known. Never rejects. */
export async function readDefinitions(
  servers: Servers,
  tools: readonly ServerTool[],
  { withServerDefinition }: DefinitionOptions,
): Promise<readonly DefinedTool[]> {
  const known = new Map<ServerTool, ToolDefinition>();
  const turns = new TimeSlice();
  for (const [server, own] of groupByServer(tools)) {
    const list = servers.get(server)?.toolList;
    if (!list) continue;
    for (let at = 0; at < own.length; at += READ_AT_ONCE) {
      const names = new Map(own.slice(at, at + READ_AT_ONCE).map((tool) => [tool.tool, tool]));
      for (const found of list.toolDefinitions([...names.keys()])) {
        const tool = names.get(found.name);
        if (tool) known.set(tool, toDefinition(tool.name, found));
      }
      await turns.pause();
    }
  }
  const defined = await Promise.all(
    tools.map(async (tool): Promise<DefinedTool | undefined> => {
      // What the cache has lost is fetched from the server.
      const definition = known.get(tool) ?? (await tool.definition());
      if (!definition) return undefined;
      const { server, tool: name, load } = tool;
      const own = withServerDefinition === true ? await tool.serverDefinition() : undefined;
      return { ...toShown(definition), server, tool: name, load, ...asField(own) };
    }),
  );
  return defined.filter((definition) => definition !== undefined);
}

function asField(serverDefinition: ServerDefinition | undefined): { readonly serverDefinition?: ServerDefinition } {
  return serverDefinition ? { serverDefinition } : {};
}

const READ_AT_ONCE = 32; // definitions between two looks at the clock; a schema may be large
