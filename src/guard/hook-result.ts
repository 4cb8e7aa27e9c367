import { HostError } from '../base/errors.js';
import { BadAnswer } from '../model/hooks/answer-fields.js';
import type { PostAnswer } from '../model/hooks/hook-call.js';
import type { HookEvent } from '../model/hooks/hook-settings.js';
import { textRedactor } from '../model/redaction/redact-text.js';
import { gateJson } from '../model/text/json-gate.js';
import { gateText } from '../model/text/text-gate.js';
import type { ContentBlock } from '../model/content/content-block.js';
import type { ToolResult } from '../model/tool.js';
import { HookFailure } from './hook.js';

interface PostSubject {
  readonly event: 'PostToolUse' | 'PostToolUseFailure';
  /** The tool's name as the model knows it. */
  readonly name: string;
}

/** Applies the answer of a hook that has seen a result. */
export function applyPost(result: ToolResult, answer: PostAnswer, subject: PostSubject): ToolResult {
  return withServerResult(result, toWanted(result, answer, subject));
}

/** The result of a call whose hook failed, without what the hook was to look at. */
export function withholdFailed(result: ToolResult, message: string, cause: unknown): ToolResult {
  return withServerResult(result, withhold(result, message, cause));
}

function withServerResult(result: ToolResult, changed: ToolResult): ToolResult {
  const { serverResult } = result;
  return serverResult && changed !== result ? { ...changed, serverResult, changedByHook: true } : changed;
}

function toWanted(
  result: ToolResult,
  { block, output, context }: PostAnswer,
  { event, name }: PostSubject,
): ToolResult {
  if (block !== undefined) return withhold(result, refusal(event, name, block));
  let changed = result;
  if (output !== undefined) {
    // The output replaces all of it: a hook that removes a secret also means structuredContent, and the error's text.
    const { structuredContent: _, error, ...rest } = result;
    const { content, structuredContent } = gateJson(output).value as typeof output;
    // Every block of a hook was checked when it answered.
    changed = {
      ...rest,
      content: content as readonly ContentBlock[],
      ...(structuredContent !== undefined && { structuredContent }),
      ...(error && { error: new HostError(error.code, firstText(content) ?? REPLACED, { hint: error.hint }) }),
    };
  }
  if (context === undefined || context.trim() === '') return changed;
  return { ...changed, content: [...changed.content, contextBlock(event, context)] };
}

const REPLACED = 'A hook has replaced what the call gave';

function firstText(content: readonly { readonly [field: string]: unknown }[]): string | undefined {
  const text = content.find(({ type }) => type === 'text')?.['text'];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** Context that a hook adds for the model, marked as the hook's. */
export function contextBlock(event: HookEvent, context: string): ContentBlock {
  return { type: 'text', text: `[${event} hook] ${gateText(context, { limit: CONTEXT_LENGTH }).text}` };
}

export function refusal(event: HookEvent, name: string, reason: string): string {
  return `${event}:${name} hook error: ${gateText(reason, { limit: REASON_LENGTH }).text}`;
}

/** Why a hook failed, for the user. Plugboard's own messages continue "the hook ..."; others are quoted. */
export function describeFailure(error: unknown): string {
  const text = error instanceof HookFailure ? withDetail(error) : ownText(error);
  return gateText(textRedactor().redact(text), { limit: MESSAGE_LENGTH }).text;
}

/** The same for a model that must not see what the hook saw: the hook's own words may quote it. */
export function describeToModel(error: unknown): string {
  if (error instanceof HookFailure) return gateText(error.message, { limit: MESSAGE_LENGTH }).text;
  return error instanceof BadAnswer ? 'gave an answer that cannot be used' : 'failed';
}

function withDetail({ message, detail }: HookFailure): string {
  return detail === '' ? message : `${message}: ${detail}`;
}

function ownText(error: unknown): string {
  if (error instanceof BadAnswer) return error.message;
  return `failed: ${error instanceof Error ? error.message : String(error)}`;
}

export const CONTEXT_LENGTH = 10_000;
export const REASON_LENGTH = 4096;
const MESSAGE_LENGTH = 2000;

/** Replaces the result by an error. Saved files stay on disk, but the model is no longer told their paths. */
function withhold({ outcome, saved, notes, attempts }: ToolResult, message: string, cause?: unknown): ToolResult {
  return {
    // An unknown outcome stays unknown when a hook blocks the result.
    outcome: outcome === 'unknown' ? outcome : 'error',
    content: [{ type: 'text', text: message }],
    saved,
    notes,
    attempts,
    error: new HostError('denied', message, {
      hint: 'The tool has run; a hook of the user withholds what it gave. Do not call it again for the same',
      cause,
    }),
  };
}
