import type { ServerSnapshot } from '../../src/model/view/model-view-server.js';
import type { ServerViewing } from '../../src/model/view/server-viewing.js';
import type { JsonSchema, ToolDefinition } from '../../src/model/tool.js';

/** A definition with defaults for everything that a test does not set. */
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

/** The host's built-in tools that matter in these conversations. */
export const builtIns: readonly ToolDefinition[] = [
  'Read',
  'ListMcpResources',
  'ReadMcpResource',
  'ToolSearch',
  'CallMcpTool',
].map((name) =>
  toDefinition(name, { type: 'object', properties: { query: { type: 'string' } } }, { alwaysLoad: true }),
);

/** A server that a test can change between turns. */
export class SceneServer implements ServerSnapshot {
  readonly name: string;
  state = 'connected';
  instructions: string | undefined;
  hasResources = false;
  alwaysLoad = false;
  revision = '0';
  /** How often the definitions were read. */
  asked = 0;
  /** The views of this revision. */
  seen = new Map<string, ServerViewing>();
  #tools: readonly ToolDefinition[] = [];

  constructor(name: string, tools: readonly (string | ToolDefinition)[] = []) {
    this.name = name;
    this.set(tools);
  }

  set(tools: readonly (string | ToolDefinition)[]): void {
    this.#tools = tools.map((tool) => (typeof tool === 'string' ? toDefinition(`mcp__${this.name}__${tool}`) : tool));
    this.revision = String(Number(this.revision) + 1);
    this.seen = new Map();
  }

  names(): readonly string[] {
    return this.#tools.map(({ name }) => name);
  }

  definitions(names: readonly string[]): readonly ToolDefinition[] {
    this.asked++;
    const wanted = new Set(names);
    return this.#tools.filter(({ name }) => wanted.has(name));
  }
}

/** The names in a tool list of any API; deferred tools with a mark. */
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
