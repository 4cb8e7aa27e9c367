import type { ContentBlock, ForModelOptions, SavedFile } from '../index.js';

/** What the adapters for agent frameworks take besides the host. */
export type AdapterOptions = ForModelOptions;

/** The result of a call as plain JSON, for the program around the framework. The model reads less. */
export interface ToolOutput {
  /** `unknown`: the server may have executed the call. */
  readonly outcome: 'ok' | 'error' | 'unknown';
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly saved: readonly SavedFile[];
  /** The server and its name for the tool; missing for a built-in tool. */
  readonly server?: string;
  readonly tool?: string;
  readonly ms: number;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}
