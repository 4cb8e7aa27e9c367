import type { ShapeOptions } from '../../results/shaping.js';
import { shapeResult } from '../../results/shape-result.js';
import { flattenSpilled } from '../../results/flatten-spilled.js';
import type { ToolResult } from '../../model/tool.js';
import type { CallStep, ToolCall } from '../calls/pipeline.js';

/** Settings for all results of a host. */
export type ShapeSettings = Omit<ShapeOptions, 'name' | 'server' | 'maxResultChars' | 'signal'>;

/** Fits a result to a model, or leaves it as the server sent it where the call asks for that. */
export function shapeStep(options: ShapeSettings): CallStep {
  const { tokenLimit, store, images } = options;
  const shape = async (result: ToolResult, { tool, context, isRaw }: ToolCall): Promise<ToolResult> => {
    if (isRaw) return flattenSpilled(result);
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
  return (next) => (call) =>
    next(call).then((result) => {
      // Most results are one line of text, shorter than any limit that a tool could ask for.
      const { name, server } = call.tool;
      if (!call.isRaw && isShort(result)) return shapeResult(result, { name, server, tokenLimit, store, images });
      return shape(result, call);
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
