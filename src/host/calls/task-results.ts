import type { JsonObject } from '../../base/json.js';
import { HostError } from '../../base/errors.js';
import { toHostError } from '../../base/to-host-error.js';
import type { Hooks } from '../../guard/hooks.js';
import type { Clock } from '../../model/clock.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import { failed } from '../../model/failed-result.js';
import type { Caller } from '../../model/caller.js';
import type { Tool, ToolInput, ToolResult } from '../../model/tool.js';
import { toNamePart } from '../../model/view/names.js';
import type { CallFlows } from './call-flows.js';
import type { HookCalls } from './hook-calls.js';
import { newTrace, type ToolCall } from './pipeline.js';

export interface TaskResultsOptions {
  readonly hooks: () => Hooks | undefined;
  readonly hookCalls: HookCalls;
  readonly flows: CallFlows;
  readonly clock: Clock;
  /** All tools of servers. */
  readonly tools: () => readonly Tool[];
}

/** A result that came later than its call, because the call became a task that its caller follows. */
export interface TaskResult {
  readonly server: string;
  /** As the server spells it. */
  readonly tool: string;
  /** Of the call; empty where it is not known any more. */
  readonly input: ToolInput;
  /** Names the task in hooks. */
  readonly callId: string;
  readonly caller: Caller;
  readonly conversation: string;
  /** As the server sent it. */
  readonly result: JsonObject;
}

/** Takes results of tasks through what the result of a call goes through: hooks, and the flow guard. Never rejects. */
export function taskResults({ hooks, hookCalls, flows, clock, tools }: TaskResultsOptions) {
  return async (of: TaskResult): Promise<ToolResult> => {
    const { input, callId, caller, conversation, result: own } = of;
    const tool = tools().find((one) => one.server === of.server && one.tool === of.tool) ?? goneTool(of);
    const call: ToolCall = {
      tool,
      input,
      context: { callId, caller, conversation },
      isTyped: false,
      isForced: false,
      isRaw: true,
      began: clock.monotonic(),
      trace: newTrace(),
    };
    const result = await afterHooks(call, toToolResult(own), { hooks: hooks(), hookCalls });
    flows.read(call, result);
    return result;
  };
}

async function afterHooks(
  call: ToolCall,
  result: ToolResult,
  { hooks, hookCalls }: { readonly hooks: Hooks | undefined; readonly hookCalls: HookCalls },
): Promise<ToolResult> {
  if (!hooks) return result;
  const subject = hookCalls.subjectOf(call.tool);
  if (!hooks.matches(result.outcome === 'ok' ? 'PostToolUse' : 'PostToolUseFailure', subject)) return result;
  try {
    return await hooks.postToolUse(hookCalls.of(call, subject), result, 0);
  } catch (cause) {
    return failed('unknown', toHostError(cause, 'A hook could not be asked about the result of a task'), 1);
  }
}

/** A tool that its server does not list any more: nothing good is known of it. */
function goneTool({ server, tool }: TaskResult): Tool {
  return {
    name: `mcp__${toNamePart(server)}__${toNamePart(tool)}`,
    server,
    tool,
    title: undefined,
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
    isOurs: false,
    load: 'deferred',
    definition: () => Promise.resolve(undefined),
    call: () => Promise.resolve(failed('error', new HostError('unknown-tool', `There is no tool "${tool}"`), 0)),
  };
}

function toToolResult(result: JsonObject): ToolResult {
  const { content, structuredContent, isError } = result;
  return {
    outcome: isError === true ? 'error' : 'ok',
    content: Array.isArray(content) ? (content as readonly ContentBlock[]) : [],
    ...(structuredContent !== undefined && { structuredContent }),
    saved: [],
    notes: [],
    attempts: 1,
    serverResult: { result },
  };
}
