import { HostError } from '../base/errors.js';
import { shorten } from '../base/shorten.js';
import { PREFIX } from '../model/permissions/rule.js';
import type { CallContext, JsonSchema, ToolHints, ToolInput, ToolResult } from '../model/tool.js';
import { toHostError } from '../base/to-host-error.js';
import { failed } from '../model/failed-result.js';
import { type BuiltInAnswer, type BuiltInTool, withDefinition } from './built-in.js';

/** A tool of the embedding program. It passes the same pipeline and permission rules as all others. */
export interface LocalTool {
  /** 1 to 64 letters, digits, `_` and `-`; not `mcp__...`, which is for tools of servers. */
  readonly name: string;
  /** A name for people. Default: none. */
  readonly title?: string;
  /** What the tool does and when to use it: this is what the model reads. */
  readonly description: string;
  /** Must describe an object. Input that does not conform is refused without a call. */
  readonly inputSchema: JsonSchema;
  /** Missing hints default to the riskier value. A read-only tool runs without a question, and concurrently. */
  readonly hints?: Partial<ToolHints>;
  /**
   * The tool is a sub-agent: it makes its calls through this host, with the `conversation` of its own call. So the flow
   * guard sees what the sub-agent reads and sends, and does not take its answer for text from outside.
   */
  readonly isAgent?: boolean;
  /** Contract: stops when the signal aborts. An error that it throws becomes the result; a HostError unchanged. */
  call(input: ToolInput, context: CallContext): Promise<BuiltInAnswer>;
}

export function toLocalTool(local: LocalTool): BuiltInTool {
  const { name, title, description, inputSchema } = local;
  if (!/^[a-zA-Z0-9_-]{1,64}$/u.test(name) || name.startsWith(PREFIX)) {
    throw new HostError('usage', `"${shorten(name, 100)}" is no name for a tool of your program`, {
      hint: 'Use 1 to 64 letters, digits, "_" and "-", and no mcp__ before them',
    });
  }
  const { readOnly = false } = local.hints ?? {};
  const hints = { destructive: !readOnly, idempotent: false, openWorld: true, ...local.hints, readOnly };
  return withDefinition(
    { name, title, description, inputSchema, hints },
    // Not `isOurs`: only built-in tools are known to repeat structuredContent in their text.
    { isOurs: false, call: (input, context) => run(local, input, context) },
  );
}

async function run(local: LocalTool, input: ToolInput, context: CallContext): Promise<ToolResult> {
  try {
    return { outcome: 'ok', saved: [], notes: [], attempts: 1, ...(await local.call(input, context)) };
  } catch (cause) {
    // A tool of the embedder: its error is not Plugboard's. The cause has the stack.
    return failed('error', toHostError(cause, `${local.name} threw`), 1);
  }
}
