import type { SavedFile } from '../model/tool.js';
import { gateLine } from '../model/text/text-gate.js';
import { Spilled } from '../model/spilled.js';
import type { ImageResizer } from './binary/image-resizer.js';
import type { ResultStore } from './result-store.js';
import type { Findings } from './text-slices.js';

export interface ShapeOptions {
  /** Of the tool, as the model knows it. */
  readonly name: string;
  /** Whose tool it is; undefined for one that is built in. */
  readonly server: string | undefined;
  /** What the tool asks for by `_meta["anthropic/maxResultSizeChars"]`: in place of the limit in tokens, up to 500,000. */
  readonly maxResultChars?: number | undefined;
  /** What a model is shown at most; 25,000 unless MAX_MCP_OUTPUT_TOKENS says otherwise. */
  readonly tokenLimit: number;
  /** Undefined where there is no folder to write to: then texts are cut, and binaries are only named. */
  readonly store: ResultStore | undefined;
  readonly images: ImageResizer;
  readonly signal?: AbortSignal | undefined;
}

/** A piece of a result on its way to the model. */
export type Part =
  /** The server's words, not yet through the gate. */
  | { readonly kind: 'text'; readonly text: string }
  /** Our own, clean. */
  | { readonly kind: 'line'; readonly text: string }
  /** The server's words, in a file. */
  | { readonly kind: 'spilled'; readonly spilled: Spilled }
  | { readonly kind: 'image'; readonly data: string; readonly mimeType: string };

/** What is gathered while one result is shaped. */
export interface Shaping {
  readonly options: ShapeOptions;
  readonly findings: Findings;
  readonly saved: SavedFile[];
  readonly notes: string[];
  /** Pictures that are shown. */
  images: number;
}

export function textPart(text: string): Part {
  return { kind: 'text', text };
}

export function linePart(text: string): Part {
  return { kind: 'line', text };
}

/** A short text of the server inside a line of ours. */
export function shortTextOf(value: unknown, limit = WORD_LIMIT): string | undefined {
  const text = value instanceof Spilled ? value.preview : value;
  return typeof text === 'string' ? gateLine(text, { limit }).text : undefined;
}

/** `Audio from weather`: what it is, and whose. */
export function from(what: string, server: string | undefined): string {
  return server === undefined ? what : `${what} from ${shortTextOf(server, 100)}`;
}

/** 1,234,567. Not by toLocaleString, whose first use loads 10 ms of tables. */
export function groupDigits(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');
}

const WORD_LIMIT = 500;
