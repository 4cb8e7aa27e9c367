import type { ConnectOptions } from '../../src/connection/connect.js';

/** A server that other people made, and what each of its tools is to answer. */
export interface RealServer {
  readonly title: string;
  readonly packageName: string;
  readonly transport: 'stdio' | 'http';
  readonly args?: (folder: string) => readonly string[];
  readonly env?: (folder: string) => Readonly<Record<string, string>>;
  /** What has to lie in the folder beforehand. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly options?: Pick<ConnectOptions, 'capabilities' | 'handlers'>;
  /** All tools it lists, in the order in which they are called. */
  readonly tools: Readonly<Record<string, ToolCase>>;
}

export interface ToolCase {
  /** Instead of what is made up from its schema. */
  readonly input?: (folder: string) => { readonly [name: string]: unknown };
  /** Some of what it says; `{folder}` stands for where it works. */
  readonly says: string;
  /** What a model reads, where that is something else. */
  readonly shown?: string;
  /** Its answer is an error of its own. */
  readonly isError?: true;
  /** There is no answer: the server refuses the call. */
  readonly refuses?: true;
  /** How many steps it tells of on its way. */
  readonly progress?: number;
}

export function packageFile(packageName: string): string {
  return new URL(`../../node_modules/${packageName}/dist/index.js`, import.meta.url).pathname;
}
