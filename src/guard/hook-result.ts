import { HostError } from '../base/errors.js';
import type { PostAnswer } from '../model/hooks/hook-call.js';
import type { HookEvent } from '../model/hooks/hook-settings.js';
import { gateJson } from '../model/text/json-gate.js';
import { gateText } from '../model/text/text-gate.js';
import type { ContentBlock } from '../model/content/content-block.js';
import type { ToolResult } from '../model/tool.js';

/** Applies a PostToolUse hook's answer to a result. */
export function applyPost(result: ToolResult, answer: PostAnswer, name: string): ToolResult {
  const { serverResult } = result;
  const changed = toWanted(result, answer, name);
  return serverResult && changed !== result ? { ...changed, serverResult, changedByHook: true } : changed;
}

function toWanted(result: ToolResult, { block, output, context }: PostAnswer, name: string): ToolResult {
  if (block !== undefined) return withhold(result, refusal('PostToolUse', name, block));
  let changed = result;
  if (output !== undefined) {
    // The output replaces all of it: a hook that removes a secret also means structuredContent.
    const { structuredContent: _, ...rest } = result;
    const { content, structuredContent } = gateJson(output).value as typeof output;
    // Every block of a hook was checked when it answered.
    changed = {
      ...rest,
      content: content as readonly ContentBlock[],
      ...(structuredContent !== undefined && { structuredContent }),
    };
  }
  if (context === undefined || context.trim() === '') return changed;
  return { ...changed, content: [...changed.content, contextBlock('PostToolUse', context)] };
}

/** Context that a hook adds for the model, marked as the hook's. */
export function contextBlock(event: HookEvent, context: string): ContentBlock {
  return { type: 'text', text: `[${event} hook] ${gateText(context, { limit: CONTEXT_LENGTH }).text}` };
}

export function refusal(event: HookEvent, name: string, reason: string): string {
  return `${event}:${name} hook error: ${gateText(reason, { limit: REASON_LENGTH }).text}`;
}

export const CONTEXT_LENGTH = 10_000;
export const REASON_LENGTH = 4096;

/** Replaces the result by an error. Saved files stay on disk, but the model is no longer told their paths. */
function withhold({ outcome, saved, notes, attempts }: ToolResult, message: string): ToolResult {
  return {
    // An unknown outcome stays unknown when a hook blocks the result.
    outcome: outcome === 'unknown' ? outcome : 'error',
    content: [{ type: 'text', text: message }],
    saved,
    notes,
    attempts,
    error: new HostError('denied', message, {
      hint: 'The tool has run; a hook of the user withholds what it gave. Do not call it again for the same',
    }),
  };
}
