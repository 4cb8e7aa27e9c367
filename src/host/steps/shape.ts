import type { ShapeOptions } from '../../results/shaping.js';
import { shapeResult } from '../../results/shape-result.js';
import { flattenSpilled } from '../../results/flatten-spilled.js';
import type { ToolResult } from '../../model/tool.js';
import type { CallStep, ToolCall } from '../calls/pipeline.js';

/** What holds for every result of a host. */
export type ShapeSettings = Omit<ShapeOptions, 'name' | 'server' | 'maxResultChars' | 'signal'>;

/** A result becomes what a model can take, or stays as it came for whoever wants it so. */
export function shapeStep(options: ShapeSettings): CallStep {
  const { tokenLimit, store, images } = options;
  const shape = async (result: ToolResult, { tool, context, isRaw }: ToolCall): Promise<ToolResult> => {
    if (isRaw) return flattenSpilled(result);
    // What a tool of ours gives as data is for the host; a model reads it in words, and not twice.
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
  return (call, next) =>
    next(call).then((result) => {
      // Most results are a line of text: no limit that a tool could ask for is that short.
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
