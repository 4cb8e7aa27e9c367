import { HostError } from '../base/errors.js';
import type { PostAnswer } from '../model/hooks/hook-call.js';
import type { HookEvent } from '../model/hooks/hook-settings.js';
import { gateJson } from '../model/text/json-gate.js';
import { gateText } from '../model/text/text-gate.js';
import type { ContentBlock, ToolResult } from '../model/tool.js';

/** A result as a hook wants it. */
export function applyPost(result: ToolResult, answer: PostAnswer, name: string): ToolResult {
  const { serverResult } = result;
  const changed = toWanted(result, answer, name);
  return serverResult && changed !== result ? { ...changed, serverResult, changedByHook: true } : changed;
}

function toWanted(result: ToolResult, { block, output, context }: PostAnswer, name: string): ToolResult {
  if (block !== undefined) return withhold(result, refusal('PostToolUse', name, block));
  let changed = result;
  if (output !== undefined) {
    // With what was there before, all of it: a hook that takes a secret out means the structured content, too.
    const { structuredContent: _, ...rest } = result;
    const { content, structuredContent } = gateJson(output).value as typeof output;
    changed = { ...rest, content, ...(structuredContent !== undefined && { structuredContent }) };
  }
  if (context === undefined || context.trim() === '') return changed;
  return { ...changed, content: [...changed.content, contextBlock('PostToolUse', context)] };
}

/** What a hook adds for the model, told apart from what the tool said. */
export function contextBlock(event: HookEvent, context: string): ContentBlock {
  return { type: 'text', text: `[${event} hook] ${gateText(context, { limit: CONTEXT_LENGTH }).text}` };
}

export function refusal(event: HookEvent, name: string, reason: string): string {
  return `${event}:${name} hook error: ${gateText(reason, { limit: REASON_LENGTH }).text}`;
}

export const CONTEXT_LENGTH = 10_000;
export const REASON_LENGTH = 4096;

/** The files stay: they are on the disk whatever a hook says, and nothing that a model reads names them any more. */
function withhold({ outcome, saved, notes, attempts }: ToolResult, message: string): ToolResult {
  return {
    // What nobody knows does not become known by a hook's no.
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
