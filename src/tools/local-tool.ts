import { HostError } from '../base/errors.js';
import { shorten } from '../base/shorten.js';
import { PREFIX } from '../model/permissions/rule.js';
import type { CallContext, JsonSchema, ToolHints, ToolInput, ToolResult } from '../model/tool.js';
import { type BuiltInAnswer, type BuiltInTool, toFailure, withDefinition } from './built-in.js';

/** A tool of the program that embeds the host: it goes the way of every other, and is decided by the same rules. */
export interface LocalTool {
  /** 1 to 64 letters, digits, `_` and `-`; not `mcp__...`, which is what tools of servers are called. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** Of an object. What does not fit is answered without a call. */
  readonly inputSchema: JsonSchema;
  /** What is left open is taken as the worse. One that only reads runs unasked, and beside others. */
  readonly hints?: Partial<ToolHints>;
  /** Contract: lets go when the signal aborts. What it throws is the result; a HostError is told as it is. */
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
    // Not ours: nobody here knows what it says in words, and what only as data.
    { isOurs: false, call: (input, context) => run(local, input, context) },
  );
}

async function run(local: LocalTool, input: ToolInput, context: CallContext): Promise<ToolResult> {
  try {
    return { outcome: 'ok', saved: [], notes: [], attempts: 1, ...(await local.call(input, context)) };
  } catch (cause) {
    return toFailure(local.name, cause);
  }
}
