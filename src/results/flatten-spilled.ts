import type { JsonObject } from '../base/json.js';
import { Spilled, spilledIn, spilledPlaces } from '../model/spilled.js';
import type { ContentBlock } from '../model/content/content-block.js';
import type { SavedFile, ToolResult } from '../model/tool.js';
import { toSavedFile, withoutSpilled } from '../model/without-spilled.js';
import type { Shaping, UnshapedResult } from './shaping.js';
import { type Findings, gateInTurns, gateSlice } from './text-slices.js';

/**
 * A result as the server sent it, not shaped for a model. A `Spilled` is replaced by its beginning and the path of its
 * file, and the file says where its content belongs. Searched only when `saved` names files.
 */
export function flattenSpilled(result: UnshapedResult): ToolResult {
  const { content, structuredContent, ...rest } = result;
  if (result.saved.length === 0) return result as ToolResult;
  const found = spilledPlaces({ content, structuredContent });
  return {
    ...rest,
    content: content.map((block) => withoutSpilled(block) as ContentBlock),
    // Left out: the beginning of a JSON value is not JSON.
    ...(structuredContent !== undefined &&
      !(structuredContent instanceof Spilled) && { structuredContent: withoutSpilled(structuredContent) }),
    saved: [
      ...filesBeside(
        result,
        found.map(({ spilled }) => spilled),
      ),
      ...found.map(({ at, spilled }) => ({ ...toSavedFile(spilled), at })),
    ],
  };
}

/** Files that a result names, without those of these `Spilled` values. */
export function filesBeside({ saved }: UnshapedResult, found: readonly Spilled[]): readonly SavedFile[] {
  if (saved.length === 0) return saved;
  const places = new Set(found.map(({ place }) => place));
  return saved.filter(({ path }) => !places.has(path));
}

/** A block for the user only: its texts pass the text gate, its binary data stays unchanged. */
export async function flattenBlock(block: JsonObject, { saved, findings }: Shaping): Promise<ContentBlock> {
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
