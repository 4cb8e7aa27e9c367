import type { ContentBlock } from '../content/content-block.js';
import { joinResultTexts, toResultParts } from '../profiles/result-parts.js';
import type { ToolResult } from '../tool.js';
import type { FinishedCall } from './hook-call.js';

/**
 * `tool_response`: the blocks as a model gets them. A result with structured content is the JSON of that, a string, as
 * other hosts write it; the blocks are beside it then, because they are what a model reads here.
 */
export function toToolResponse({ call, result }: FinishedCall): object {
  const { content, structuredContent } = result;
  const blocks = toBlocks(content, call.name);
  // Structured content of built-in tools is for the host.
  if (structuredContent === undefined || call.server === undefined) return { tool_response: blocks };
  return { tool_response: JSON.stringify(structuredContent), tool_response_content: blocks };
}

/** The text of a failed call, as a model reads it. */
export function toErrorText({ call, result }: FinishedCall): string {
  return joinResultTexts(partsOf(result.content, call.name));
}

/** Whether a call ended because its caller gave it up. */
export function isInterrupted({ error }: ToolResult, signal: AbortSignal | undefined): boolean {
  return error?.code === 'cancelled' || signal?.aborted === true;
}

function toBlocks(content: readonly ContentBlock[], name: string): readonly object[] {
  return partsOf(content, name).map((part) =>
    part.kind === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } },
  );
}

function partsOf(content: readonly ContentBlock[], name: string): ReturnType<typeof toResultParts> {
  return toResultParts({ content, name, callId: '', outcome: 'ok' }, IMAGES);
}

const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
