import type { ServerSnapshot } from '../../src/model/view/model-view-server.js';
import type { JsonSchema, ToolDefinition } from '../../src/model/tool.js';

/** A definition with nothing about it but what a test is about. */
export function toDefinition(
  name: string,
  inputSchema: unknown = { type: 'object', properties: {} },
  more: { readonly description?: string | undefined; readonly alwaysLoad?: boolean } = {},
): ToolDefinition {
  return {
    name,
    title: undefined,
    description: more.description ?? `What ${name} is for`,
    inputSchema: inputSchema as JsonSchema,
    outputSchema: undefined,
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    marks: { saysDestructive: false, alwaysLoad: more.alwaysLoad ?? false, needsUser: false, isHidden: false },
    meta: { searchHint: undefined, maxResultChars: undefined },
  };
}

/** What this host brings along, as far as a conversation is about it. */
export const builtIns: readonly ToolDefinition[] = [
  'Read',
  'ListMcpResources',
  'ReadMcpResource',
  'ToolSearch',
  'CallMcpTool',
].map((name) =>
  toDefinition(name, { type: 'object', properties: { query: { type: 'string' } } }, { alwaysLoad: true }),
);

/** A server whose tools and everything else can be changed between turns. */
export class SceneServer implements ServerSnapshot {
  readonly name: string;
  state = 'connected';
  instructions: string | undefined;
  hasResources = false;
  alwaysLoad = false;
  revision = '0';
  /** How often somebody wanted the definitions. */
  asked = 0;
  #tools: readonly ToolDefinition[] = [];

  constructor(name: string, tools: readonly (string | ToolDefinition)[] = []) {
    this.name = name;
    this.set(tools);
  }

  set(tools: readonly (string | ToolDefinition)[]): void {
    this.#tools = tools.map((tool) => (typeof tool === 'string' ? toDefinition(`mcp__${this.name}__${tool}`) : tool));
    this.revision = String(Number(this.revision) + 1);
  }

  names(): readonly string[] {
    return this.#tools.map(({ name }) => name);
  }

  definitions(): readonly ToolDefinition[] {
    this.asked++;
    return this.#tools;
  }
}

/** The names of a block, whatever its API; deferred ones with a mark. */
export function namesOf(tools: readonly object[]): string[] {
  return tools.flatMap((tool) => {
    const {
      functionDeclarations,
      function: made,
      name,
      defer_loading: isDeferred,
    } = tool as {
      functionDeclarations?: readonly object[];
      function?: { name: string };
      name?: string;
      defer_loading?: boolean;
    };
    if (functionDeclarations !== undefined) return namesOf(functionDeclarations);
    return [`${made?.name ?? name}${isDeferred === true ? ' (deferred)' : ''}`];
  });
}
