import { toTokenCount } from '../text/tokens.js';
import type { ShownBlock, ShownServer, ShownTool } from '../value/shown-block.js';
import type { ViewBlock } from './model-view-block.js';
import type { ViewedTool } from './model-view-server.js';
import type { ToldServer } from './told-server.js';

type Planned = Pick<ShownBlock, 'profile' | 'contextTokens' | 'toolSearch'>;

/** `first`: what the first turn told, which stays in the block. */
export function toShownBlock(block: ViewBlock, first: ReadonlyMap<string, ToldServer>, planned: Planned): ShownBlock {
  return {
    ...planned,
    canSearch: block.canSearch,
    builtIns: block.builtInCosts().reduce((sum, { tokens }) => sum + tokens, 0),
    system: toTokenCount(block.system.length),
    servers: Array.from(first, ([name, told]) => toShownServer(name, told, block)),
  };
}

function toShownServer(name: string, { viewed, instructions }: ToldServer, block: ViewBlock): ShownServer {
  let [loaded, deferred, names, always, marked] = [0, 0, 0, 0, 0];
  const shown: ViewedTool[] = [];
  for (const tool of viewed.tools.values()) {
    names += tool.name.length + 1;
    if (tool.isAlwaysLoaded) always += tool.tokens;
    if (tool.isMarked) marked += tool.tokens;
    // Where two servers have a tool of one name, the block has that of the first.
    if (block.isLoaded(tool.name) && block.get(tool.name)?.server === name) {
      loaded += tool.tokens;
      shown.push(tool);
    } else deferred += tool.tokens;
  }
  const tools = shown.toSorted((one, other) => other.tokens - one.tokens).slice(0, TOOLS_LIMIT);
  return {
    name,
    loaded,
    deferred,
    instructions: toTokenCount(instructions.length),
    count: viewed.tools.size,
    names: toTokenCount(names),
    always,
    marked,
    tools: new Map(tools.map(({ name: tool, tokens }): [string, ShownTool] => [tool, { tokens }])),
  };
}

const TOOLS_LIMIT = 500; // the ledger takes no more
