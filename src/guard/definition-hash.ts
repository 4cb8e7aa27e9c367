import { digest } from '../edge/files/digest.js';
import { canonicalJson } from '../model/text/canonical-json.js';
import { toPinnedTool } from '../model/pins/pinned-text.js';
import type { ToolDefinition } from '../model/tool.js';

/**
 * Identifies a tool's definition in 76 characters: a hash of all of it, and short hashes of its parts, which only tell
 * what changed. The order of fields does not matter.
 */
export function definitionHash(tool: ToolDefinition): string {
  const { description, title, inputSchema, outputSchema, hints, marks } = tool;
  const parts = [[title, description], inputSchema, outputSchema ?? null, [hints, marks]];
  const whole = digest(canonicalJson(toPinnedTool(tool))).slice(0, WHOLE);
  return [whole, ...parts.map((part) => digest(canonicalJson(part)).slice(0, PART))].join('.');
}

/** What differs between two definition hashes, in words for the permission question. */
export function differences(before: string, after: string): readonly string[] {
  const old = before.split('.').slice(1);
  const now = after.split('.').slice(1);
  const changed = PARTS.filter((_, index) => old[index] !== now[index]);
  return changed.length === 0 ? ['what it says of itself'] : changed;
}

const PARTS = ['its title or description', 'its input schema', 'its output schema', 'its hints'];
// 40 hex digits (160 bits): a server that writes both versions could find a collision with half as many.
const WHOLE = 40;
const PART = 8;
