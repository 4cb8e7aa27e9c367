import type { SavedFile, ToolResult } from '../model/tool.js';
import type { JsonObject } from '../base/json.js';
import { gateLine } from '../model/text/text-gate.js';
import { Spilled } from '../model/spilled.js';
import type { ImageResizer } from './binary/image-resizer.js';
import type { ResultStore } from './result-store.js';
import type { Findings } from './text-slices.js';

/** A result whose blocks are as the server, a hook or a tool of the embedder gave them: nothing is certain of them. */
export type UnshapedResult = Omit<ToolResult, 'content'> & { readonly content: readonly JsonObject[] };

export interface ShapeOptions {
  /** The tool's name as the model knows it. */
  readonly name: string;
  /** The tool's server; undefined for a built-in tool. */
  readonly server: string | undefined;
  /** The tool's `_meta["anthropic/maxResultSizeChars"]`: replaces the limit in tokens, up to 500,000. */
  readonly maxResultChars?: number | undefined;
  /** Maximum that a model is shown; 25,000 unless MAX_MCP_OUTPUT_TOKENS is set. */
  readonly tokenLimit: number;
  /** Undefined when there is no folder to write to: then texts are truncated, and binaries only named. */
  readonly store: ResultStore | undefined;
  readonly images: ImageResizer;
  readonly signal?: AbortSignal | undefined;
}

/** A part of a result on its way to the model. */
export type Part =
  /** Server text that has not passed the text gate yet. */
  | { readonly kind: 'text'; readonly text: string }
  /** Plugboard's own text, clean. */
  | { readonly kind: 'line'; readonly text: string }
  /** Server text in a file. */
  | { readonly kind: 'spilled'; readonly spilled: Spilled }
  | { readonly kind: 'image'; readonly data: string; readonly mimeType: string };

/** State while one result is shaped. */
export interface Shaping {
  readonly options: ShapeOptions;
  readonly findings: Findings;
  readonly saved: SavedFile[];
  readonly notes: string[];
  /** Number of images shown. */
  images: number;
}

export function textPart(text: string): Part {
  return { kind: 'text', text };
}

export function linePart(text: string): Part {
  return { kind: 'line', text };
}

/** A short server text, cleaned for use inside a line of Plugboard's own. */
export function shortTextOf(value: unknown, limit = WORD_LIMIT): string | undefined {
  const text = value instanceof Spilled ? value.preview : value;
  return typeof text === 'string' ? gateLine(text, { limit }).text : undefined;
}

/** For instance `Audio from weather`. */
export function from(what: string, server: string | undefined): string {
  return server === undefined ? what : `${what} from ${shortTextOf(server, 100)}`;
}

const WORD_LIMIT = 500;
