import { cleanSchema } from '../profiles/clean-schema.js';
import type { ModelProfile } from '../profiles/profile.js';
import { HIDING } from '../profiles/text-definition.js';
import { toTokenCount } from '../text/tokens.js';
import type { ToolDefinition } from '../tool.js';
import type { ViewedTool } from './model-view-server.js';

/** Whose tools are viewed. */
export interface ViewedFrom {
  /** Undefined for built-in tools. */
  readonly server: string | undefined;
  readonly alwaysLoad: boolean;
}

/** A definition in the form of an API, or why a model cannot be shown it. `parts`: as in `Profiled`. */
export type ToolView =
  | {
      readonly kind: 'tool';
      readonly viewed: ViewedTool;
      readonly tool: object;
      readonly repairs: readonly string[];
      readonly parts?: number | undefined;
    }
  | { readonly kind: 'aside'; readonly reason: string; readonly parts?: number | undefined };

export function viewTool(definition: ToolDefinition, profile: ModelProfile, from: ViewedFrom): ToolView {
  const profiled = toProfiled(definition, profile);
  if (profiled.kind === 'aside') return profiled;
  const { tool, repairs, parts } = profiled;
  const text = JSON.stringify(tool);
  const { alwaysLoad: isMarked } = definition.marks;
  return {
    kind: 'tool',
    tool,
    repairs,
    parts,
    viewed: {
      name: definition.name,
      server: from.server,
      tokens: toTokenCount(text.length),
      bytes: Buffer.byteLength(text),
      print: toPrint(text),
      isAlwaysLoaded: from.alwaysLoad || isMarked,
      isMarked,
    },
  };
}

/** The definition in the API's form, for a tool that was viewed before. */
export function toProfiled(definition: ToolDefinition, profile: ModelProfile): ReturnType<ModelProfile['toTool']> {
  const inputSchema = cleanSchema(definition.inputSchema);
  if (!inputSchema) return { kind: 'aside', reason: HIDING };
  const isClean = inputSchema === definition.inputSchema;
  return profile.toTool(isClean ? definition : { ...definition, inputSchema });
}

/** A checksum that detects changes for the news. Not cryptographic: security checks use pins. */
export function toPrint(text: string): number {
  let one = 0x811c9dc5;
  let other = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other + unit, 0x2c1b3c6d) ^ (other >>> 15);
  }
  return (one >>> 0) * 0x20_0000 + (other >>> 11);
}
