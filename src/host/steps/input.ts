import { HostError } from '../../base/errors.js';
import type { SchemaOutcome } from '../../model/schema/check.js';
import type { SchemaIssue } from '../../model/schema/issue.js';
import { gateText } from '../../model/text/text-gate.js';
import type { JsonSchema, Tool, ToolDefinition, ToolResult } from '../../model/tool.js';
import type { NextStep, CallStep, ToolCall } from '../calls/pipeline.js';
import { refusedResult } from '../../model/failed-result.js';

/**
 * Refuses input that breaks the tool's schema, and tells a model the schema so that it can call again. What a person
 * typed passes where that person said that it is to be sent as it is.
 */
export function inputStep(
  check: (schema: JsonSchema, value: unknown) => SchemaOutcome | Promise<SchemaOutcome>,
  /** The tool checks its input itself (built-in tools, by Zod), so this step skips it. */
  checksOwnInput: (tool: Tool) => boolean,
): CallStep {
  // A changed tool is a new object, so no entry becomes stale.
  const known = new Map<Tool, ToolDefinition>();
  const find = async (tool: Tool): Promise<ToolDefinition | undefined> => {
    const definition = await tool.definition();
    if (!definition) return undefined;
    if (known.size >= KNOWN_LIMIT) known.clear();
    known.set(tool, definition);
    return definition;
  };
  const checked = async (call: ToolCall, next: NextStep): Promise<ToolResult> => {
    const { tool, input } = call;
    const definition = known.get(tool) ?? (await find(tool));
    const outcome = definition && (await check(definition.inputSchema, input));
    // `await`: returning the promise itself would take three turns of the microtask queue instead of one.
    return outcome?.kind === 'invalid' ? schemaMismatch(tool, definition!, outcome.issues) : await next(call);
  };
  return (next) => (call) => {
    const { tool, input, isForced } = call;
    if (isForced || checksOwnInput(tool)) return next(call);
    const definition = known.get(tool);
    const outcome = definition && check(definition.inputSchema, input);
    // A known definition with a valid input costs no promise.
    return outcome && 'kind' in outcome && outcome.kind !== 'invalid' ? next(call) : checked(call, next);
  };
}

function schemaMismatch(tool: Tool, { inputSchema }: ToolDefinition, found: readonly SchemaIssue[]): ToolResult {
  const issues = found.map(({ path, message }) => `${path === '' ? 'the input' : path} ${message}`);
  const message = gateText(`The input of ${tool.name} does not fit: ${issues.join('; ')}`, { limit: 3_000 }).text;
  const schema = JSON.stringify(inputSchema);
  const hint =
    schema.length <= SCHEMA_SHOWN ? `Its schema is ${gateText(schema).text}` : 'Look its schema up and call it again';
  return refusedResult(new HostError('bad-input', message, { hint }));
}

const KNOWN_LIMIT = 128; // as many definitions as a catalog keeps
const SCHEMA_SHOWN = 8_000; // a longer schema costs more than a search for the definition
