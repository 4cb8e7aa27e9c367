import { HostError } from '../base/errors.js';
import { toHostError } from '../base/to-host-error.js';
import { failed } from '../model/failed-result.js';
import type { CallContext, JsonSchema, Tool, ToolDefinition, ToolHints, ToolInput, ToolResult } from '../model/tool.js';

/** A tool that Plugboard itself provides. */
export interface BuiltIn<Name extends BuiltInName> {
  readonly name: Name;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  /** JSON Schema for models; a test compares it with the Zod schema. */
  readonly inputSchema: JsonSchema;
  /** Contract: may throw a HostError, which becomes the result. */
  run(input: BuiltInInput<Name>, context: CallContext): Promise<BuiltInAnswer>;
}

/** Input of each built-in tool. Not inferred from Zod schemas: users of this package's types do not have Zod. */
export interface BuiltInInputs {
  readonly Read: {
    path: string;
    offset?: number | undefined;
    limit?: number | undefined;
    characters?: { from: number; count: number } | undefined;
  };
  readonly ListMcpResources: { server?: string | undefined };
  readonly ReadMcpResource: { server: string; uri: string };
  readonly Skill: { skill: string; file?: string | undefined; arguments?: string | undefined };
  readonly ToolSearch: { query: string; max_results?: number | undefined };
  readonly CallMcpTool: { name: string; arguments?: Record<string, unknown> | undefined };
}

export type BuiltInName = keyof BuiltInInputs;
export type BuiltInInput<Name extends BuiltInName> = BuiltInInputs[Name];

/** What a built-in tool returns; `run` adds the other fields of the result. */
export type BuiltInAnswer = Pick<ToolResult, 'content'> &
  Partial<Pick<ToolResult, 'outcome' | 'structuredContent' | 'notes' | 'serverResult'>>;

/** A tool whose definition is known without asking a server. */
export interface BuiltInTool extends Tool {
  readonly known: ToolDefinition;
}

/** Makes a `Tool` of it. Zod is loaded by the first call, so that listing tools does not pay for it. */
export function toTool<Name extends BuiltInName>(builtIn: BuiltIn<Name>): BuiltInTool {
  return withDefinition(builtIn, { isOurs: true, call: (input, context) => run(builtIn, input, context) });
}

/** A tool without a server, whose definition is known. */
export function withDefinition(
  {
    name,
    title,
    description,
    hints,
    inputSchema,
  }: Pick<ToolDefinition, 'name' | 'title' | 'description' | 'hints' | 'inputSchema'>,
  rest: Pick<Tool, 'isOurs' | 'call'>,
): BuiltInTool {
  const known: ToolDefinition = {
    name,
    title,
    description,
    inputSchema,
    outputSchema: undefined,
    hints,
    marks: NO_MARKS,
    meta: { searchHint: undefined, maxResultChars: undefined },
  };
  return {
    name,
    server: undefined,
    tool: name,
    title,
    hints,
    marks: NO_MARKS,
    load: 'always',
    known,
    definition: async () => known,
    ...rest,
  };
}

async function run<Name extends BuiltInName>(
  builtIn: BuiltIn<Name>,
  input: ToolInput,
  context: CallContext,
): Promise<ToolResult> {
  try {
    const { builtInSchemas } = await import('./built-in-schemas.js');
    const parsed = builtInSchemas[builtIn.name].safeParse(input);
    if (!parsed.success) throw badInput(builtIn.name, parsed.error.issues);
    const answer = await builtIn.run(parsed.data as BuiltInInput<Name>, context);
    return { outcome: 'ok', saved: [], notes: [], attempts: 1, ...answer };
  } catch (cause) {
    return toFailure(builtIn.name, cause);
  }
}

/** The result for an error that a built-in tool threw. */
export function toFailure(name: string, cause: unknown): ToolResult {
  return failed('error', toHostError(cause, `${name} failed inside Plugboard`), 1);
}

function badInput(
  name: string,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): HostError {
  const told = issues.slice(0, ISSUES).map(({ path, message }) => `${path.map(String).join('.') || 'it'}: ${message}`);
  return new HostError('bad-input', `The input of ${name} does not fit: ${told.join('; ')}`, {
    hint: 'Look at its schema and call it again',
  });
}

const ISSUES = 5;
const NO_MARKS = { saysDestructive: false, alwaysLoad: true, needsUser: false, isHidden: false };
