import type { ContentBlock, ToolDefinition, ToolResult } from '../tool.js';

/** One API that models are reached by: how it wants tools, instructions and results to be written. */
export interface ModelProfile {
  readonly name: ProfileName;
  /**
   * `native`: the API itself can keep a definition from the model until a search has found it. `by-call`: such a tool is
   * not in the block at all, and is called by its name through another.
   */
  readonly defers: 'native' | 'by-call';
  /** How many tools a request may hold. */
  readonly toolLimit: number;
  /** Contract: never throws, never changes the definition, and never copies a schema that the API takes as it is. */
  toTool(definition: ToolDefinition): Profiled;
  /** The same tool, for the model to find by searching. Only asked where `defers` is `native`. */
  toDeferred(tool: object): object;
  /** What a request has under `tools`. */
  toBlock(tools: readonly object[]): readonly object[];
  /** The results of all calls of one turn, in the order in which the API wants their parts. */
  toToolResults(results: readonly ModelCallResult[]): readonly object[];
}

export type ProfileName = 'anthropic' | 'openai' | 'gemini';

/**
 * A definition in an API's shape with what had to be changed for that, or why it cannot be shown to such a model. `parts`: how much had
 * to be written anew, where a small schema can become a large one.
 */
export type Profiled =
  | { readonly kind: 'tool'; readonly tool: object; readonly repairs: readonly string[]; readonly parts?: number }
  | { readonly kind: 'aside'; readonly reason: string; readonly parts?: number };

/** What came of a call, as far as it matters to a model. */
export interface ModelCallResult {
  /** The API's own name of the call. */
  readonly callId: string;
  readonly name: string;
  /** What the model called, where that is another name: a tool that it called by CallMcpTool. */
  readonly calledAs?: string;
  readonly outcome: ToolResult['outcome'];
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  /** Whether the block has a tool of that name: the API refuses references to others. All of them unless said. */
  readonly isInBlock?: (name: string) => boolean;
}
