import { Spilled, spilledIn } from '../model/spilled.js';
import type { ContentBlock, SavedFile, ToolResult } from '../model/tool.js';
import { toSavedFile, withoutSpilled } from '../model/without-spilled.js';
import type { Shaping } from './shaping.js';
import { type Findings, gateInTurns, gateSlice } from './text-slices.js';

/**
 * A result as it came, for whoever wants all of it and no model's view: only where a value went to a file because it was too large
 * for memory, its beginning stands, and where the rest is. What is in files is named in `saved`: without that nobody looks.
 */
export function flattenSpilled(result: ToolResult): ToolResult {
  const { content, structuredContent, ...rest } = result;
  if (result.saved.length === 0) return result;
  const found = spilledIn([content, structuredContent]);
  return {
    ...rest,
    content: content.map((block) => withoutSpilled(block) as ContentBlock),
    // A beginning of it would be no JSON.
    ...(structuredContent !== undefined &&
      !(structuredContent instanceof Spilled) && { structuredContent: withoutSpilled(structuredContent) }),
    saved: [...filesBeside(result, found), ...found.map(toSavedFile)],
  };
}

/** Those that a result names, without what stands in it as Spilled. */
export function filesBeside({ saved }: ToolResult, found: readonly Spilled[]): readonly SavedFile[] {
  if (saved.length === 0) return saved;
  const places = new Set(found.map(({ place }) => place));
  return saved.filter(({ path }) => !places.has(path));
}

/** A block that no model sees, as a person may: its words through the gate, its data as it is. */
export async function flattenBlock(block: ContentBlock, { saved, findings }: Shaping): Promise<ContentBlock> {
  saved.push(...spilledIn(block).map(toSavedFile));
  return (await gateFields(withoutSpilled(block), findings)) as ContentBlock;
}

async function gateFields(value: unknown, findings: Findings): Promise<unknown> {
  if (typeof value === 'string') return gateInTurns(value, findings);
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value);
  const fields: [string, unknown][] = [];
  for (const [key, one] of Object.entries(value)) {
    const isData = !isList && (key === 'data' || key === 'blob') && typeof one === 'string';
    fields.push([gateSlice(key, findings), isData ? one : await gateFields(one, findings)]);
  }
  return isList ? fields.map(([, one]) => one) : Object.fromEntries(fields);
}
