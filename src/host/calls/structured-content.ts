import type { ToolResult } from '../../model/tool.js';
import { isRepeatedInTexts } from '../../results/same-as-text.js';

/** The result's structuredContent; undefined when its text blocks repeat it, as the specification asks of servers. */
export async function structuredContentBeyondText({
  content,
  structuredContent,
}: Pick<ToolResult, 'content' | 'structuredContent'>): Promise<unknown> {
  if (structuredContent === undefined) return undefined;
  const texts = content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  return (await isRepeatedInTexts(structuredContent, texts)) ? undefined : structuredContent;
}
