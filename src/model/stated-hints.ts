// ToolAnnotations: https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
import { isObject } from '../base/json.js';
import type { ServerDefinition } from './server-definition.js';
import type { Tool, ToolHints } from './tool.js';

/** The hints that a server states about a tool. Where the server leaves a hint out, `ToolHints` has the specification's default. */
export type StatedHints = Partial<ToolHints>;

/** Undefined for a tool that the host brings itself: its `hints` are what it states. Never rejects. */
export async function readStatedHints(
  tool: Pick<Tool, 'isOurs' | 'serverDefinition'>,
): Promise<StatedHints | undefined> {
  if (tool.isOurs) return undefined;
  const definition = await tool.serverDefinition?.();
  return definition ? toStatedHints(definition) : {};
}

function toStatedHints({ item, isComplete }: ServerDefinition): StatedHints {
  const annotations = isObject(item['annotations']) ? item['annotations'] : {};
  return Object.fromEntries(
    FIELDS.flatMap(([field, hint, fallback]) => {
      const value = annotations[field];
      // An incomplete definition has these defaults filled in, so only other values were stated for sure.
      return typeof value === 'boolean' && (isComplete || value !== fallback) ? [[hint, value]] : [];
    }),
  );
}

const FIELDS = [
  ['readOnlyHint', 'readOnly', false],
  ['destructiveHint', 'destructive', undefined], // written only where the server stated it
  ['idempotentHint', 'idempotent', false],
  ['openWorldHint', 'openWorld', true],
] as const;

/** `Stated by the server: only reads, reaches outside`. Says who states the hints: a server's are not to be trusted. */
export function statedLine({
  hints,
  stated,
}: {
  readonly hints: ToolHints;
  readonly stated?: StatedHints | undefined;
}): string {
  return stated ? `Stated by the server: ${statedText(stated)}` : `Stated by Plugboard: ${statedText(hints)}`;
}

/** What is stated, and which hints that matter for permission are not. */
function statedText({ readOnly, destructive, idempotent, openWorld }: StatedHints): string {
  const stated = [
    ...(readOnly === true ? ['only reads'] : []),
    ...(readOnly === false && destructive !== true ? ['changes data'] : []),
    ...(destructive === true ? ['may destroy data'] : []),
    ...(destructive === false && readOnly !== true ? ['destroys nothing'] : []),
    ...(idempotent === true && readOnly !== true ? ['may be repeated without further effect'] : []),
    ...(openWorld === undefined ? [] : [openWorld ? 'reaches outside' : 'does not reach outside']),
  ];
  const unstated = [
    ...(readOnly === undefined && destructive === undefined ? ['read-only'] : []),
    ...(destructive === undefined && readOnly !== true ? ['destructive'] : []),
    ...(openWorld === undefined ? ['outside access'] : []),
  ];
  const text = stated.length > 0 ? stated.join(', ') : 'nothing';
  return unstated.length > 0 ? `${text} (${unstated.join(', ')}: not stated)` : text;
}
