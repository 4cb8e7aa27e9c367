import type { ToolResult } from '../../model/tool.js';
import { isRepeatedInTexts } from '../../results/same-as-text.js';

/** The structured content of a result as it came, unless its texts say the same. */
export async function structuredContentBeyondText({
  content,
  structuredContent,
}: Pick<ToolResult, 'content' | 'structuredContent'>): Promise<unknown> {
  if (structuredContent === undefined) return undefined;
  const texts = content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  return (await isRepeatedInTexts(structuredContent, texts)) ? undefined : structuredContent;
}
