import type { ShapeOptions } from '../../results/shaping.js';
import { isFine, shapeResult } from '../../results/shape-result.js';
import type { CallRetry } from './elicitation.js';
import { flattenSpilled } from '../../results/flatten-spilled.js';
import type { ToolResult } from '../../model/tool.js';
import type { CallStep, ToolCall } from '../calls/pipeline.js';

/** Settings for all results of a host. */
export type ShapeSettings = Omit<ShapeOptions, 'name' | 'server' | 'maxResultChars' | 'signal'>;

/**
 * Fits a result to a model, or leaves it as the server sent it where the call asks for that; before that the call is
 * made again where that is needed. Both in one step, because a step that waits costs every call a promise.
 */
export function shapeStep(options: ShapeSettings, again: CallRetry): CallStep {
  const { tokenLimit, store, images } = options;
  const shape = async (result: ToolResult, { tool, context, isRaw }: ToolCall): Promise<ToolResult> => {
    if (isRaw) return context.isInMemory === true ? result : flattenSpilled(result);
    // Structured content of our own tools is for the host; the model reads its text, and not both.
    const { structuredContent, ...words } = result;
    const isSaid = tool.isOurs && structuredContent !== undefined;
    const { meta } = (await tool.definition()) ?? {};
    const shaped = await shapeResult(isSaid ? words : result, {
      name: tool.name,
      server: tool.server,
      maxResultChars: meta?.maxResultChars,
      signal: context.signal,
      ...options,
    });
    return isSaid ? { ...shaped, structuredContent } : shaped;
  };
  // Most results are one line of text, shorter than any limit that a tool could ask for.
  const fit = (call: ToolCall, result: ToolResult): ToolResult | Promise<ToolResult> => {
    if (call.isRaw || !isShort(result)) return shape(result, call);
    if (isFine(result, tokenLimit)) return result;
    const { name, server } = call.tool;
    return shapeResult(result, { name, server, tokenLimit, store, images });
  };
  return (next) => (call) =>
    next(call).then((result) => {
      const retried = result.error === undefined ? undefined : again(call, result, next);
      return retried ? retried.then((later) => fit(call, later)) : fit(call, result);
    });
}

function isShort({ content, structuredContent }: ToolResult): boolean {
  const [first] = content;
  return (
    content.length === 1 &&
    structuredContent === undefined &&
    typeof first?.['text'] === 'string' &&
    first['text'].length <= SHORT
  );
}

const SHORT = 1_000;
