import { HostError } from '../base/errors.js';
import { toHostError } from '../base/to-host-error.js';
import { failed } from '../model/failed-result.js';
import type { CallContext, JsonSchema, Tool, ToolDefinition, ToolHints, ToolInput, ToolResult } from '../model/tool.js';

/** A tool that this host brings along. */
export interface BuiltIn<Name extends BuiltInName> {
  readonly name: Name;
  readonly title: string;
  readonly description: string;
  readonly hints: ToolHints;
  /** As a model is shown it; made of the Zod schema of that name, and kept with it by a test. */
  readonly inputSchema: JsonSchema;
  /** Contract: may throw a HostError, which becomes the result. */
  run(input: BuiltInInput<Name>, context: CallContext): Promise<BuiltInAnswer>;
}

/** What each of them takes. Written down beside the schemas, because whoever reads the types of this package has no Zod. */
export interface BuiltInInputs {
  readonly Read: {
    path: string;
    offset?: number | undefined;
    limit?: number | undefined;
    characters?: { from: number; count: number } | undefined;
  };
  readonly ListMcpResources: { server?: string | undefined };
  readonly ReadMcpResource: { server: string; uri: string };
  readonly ToolSearch: { query: string; max_results?: number | undefined };
  readonly CallMcpTool: { name: string; arguments?: Record<string, unknown> | undefined };
}

export type BuiltInName = keyof BuiltInInputs;
export type BuiltInInput<Name extends BuiltInName> = BuiltInInputs[Name];

/** What a built-in tool gives: the rest of a result follows from it. */
export type BuiltInAnswer = Pick<ToolResult, 'content'> &
  Partial<Pick<ToolResult, 'outcome' | 'structuredContent' | 'notes' | 'serverResult'>>;

/** One whose definition is at hand: nobody has to be asked for it. */
export interface BuiltInTool extends Tool {
  readonly known: ToolDefinition;
}

/** The same as any other tool. Zod is loaded by the first call: nobody who only looks pays for it. */
export function toTool<Name extends BuiltInName>(builtIn: BuiltIn<Name>): BuiltInTool {
  return withDefinition(builtIn, { isOurs: true, call: (input, context) => run(builtIn, input, context) });
}

/** A tool without a server, whose definition is at hand. */
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

/** What a tool of ours has thrown, as its result. */
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
