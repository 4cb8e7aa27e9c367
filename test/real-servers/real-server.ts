import type { ConnectOptions } from '../../src/connection/connect.js';

/** A third-party server, and what each of its tools is to answer. */
export interface RealServer {
  readonly title: string;
  readonly packageName: string;
  readonly transport: 'stdio' | 'http';
  readonly args?: (folder: string) => readonly string[];
  readonly env?: (folder: string) => Readonly<Record<string, string>>;
  /** Files that must exist in the folder before the start. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly options?: Pick<ConnectOptions, 'capabilities' | 'handlers'>;
  /** All tools that the server lists, in the order in which they are called. */
  readonly tools: Readonly<Record<string, ToolCase>>;
}

export interface ToolCase {
  /** The arguments; by default made up from the schema. */
  readonly input?: (folder: string) => { readonly [name: string]: unknown };
  /** Part of the result's text; `{folder}` stands for the server's working folder. */
  readonly says: string;
  /** The text that a model reads, if different. */
  readonly shown?: string;
  /** The result is an error (`isError`). */
  readonly isError?: true;
  /** The server refuses the call with a JSON-RPC error. */
  readonly refuses?: true;
  /** The least number of progress notifications. */
  readonly progress?: number;
}

export function packageFile(packageName: string): string {
  return new URL(`../../node_modules/${packageName}/dist/index.js`, import.meta.url).pathname;
}
