import type { JsonObject } from '../../base/json.js';
import type { ModelShapes } from './shapes.js';
import type { ToolDefinition, ToolResult } from '../tool.js';

/** One model API: how it wants tools, instructions and results to be written. */
export interface ModelProfile {
  readonly name: ProfileName;
  /**
   * `native`: the API can hide a definition from the model until a search has found it. `by-call`: such a tool is left
   * out of the request, and is called by name through `CallMcpTool`.
   */
  readonly defers: 'native' | 'by-call';
  /** The largest number of tools in one request. */
  readonly toolLimit: number;
  /** Contract: never throws, never changes the definition, and does not copy a schema that the API takes as it is. */
  toTool(definition: ToolDefinition): Profiled;
  /** The tool in the form that the model finds by searching. Called only if `defers` is `native`. */
  toDeferred(tool: object): object;
  /** The value of a request's `tools`. */
  toBlock(tools: readonly object[]): readonly object[];
  /** The results of all calls of one turn, in the order that the API requires. */
  toToolResults(results: readonly ModelCallResult[]): readonly object[];
}

/** The model APIs that tools are written for. */
export type ProfileName = keyof ModelShapes;

/**
 * A definition in an API's form with the repairs that were needed, or why the model cannot be shown it. `parts`: the
 * number of schema nodes written, because a small schema can become a large one.
 */
export type Profiled =
  | { readonly kind: 'tool'; readonly tool: object; readonly repairs: readonly string[]; readonly parts?: number }
  | { readonly kind: 'aside'; readonly reason: string; readonly parts?: number };

/** The result of a call, as far as a model needs it. */
export interface ModelCallResult {
  /** The API's id of the call. */
  readonly callId: string;
  /** The tool's name as the model knows it. */
  readonly name: string;
  /** The name that the model called, if it differs: `CallMcpTool`. */
  readonly calledAs?: string;
  /** All but `ok` is marked as an error, where the API has a mark. */
  readonly outcome: ToolResult['outcome'];
  /** Blocks as in `ContentBlock`; one that is malformed becomes a line of text. */
  readonly content: readonly JsonObject[];
  /** Read only for a tool search, whose `matches` some APIs take as references. */
  readonly structuredContent?: unknown;
  /** Whether the request has a tool of this name: the API refuses references to others. Default: it has all. */
  readonly isInBlock?: (name: string) => boolean;
}
