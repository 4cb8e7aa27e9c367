import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolCase } from './real-server.js';

/** A program of test/servers with its arguments and environment; `{folder}` stands for its working folder. */
export interface InstalledProgram {
  readonly packageName: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files that must exist in the folder before the start. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A third-party server that is too large to be a dependency of Plugboard, and what is known of it. */
export interface InstalledServer extends InstalledProgram {
  /** The revisions that the server speaks: in the modern era, and after initialize. */
  readonly modern?: '2026-07-28';
  readonly legacy: '2025-11-25' | '2025-06-18' | '2025-03-26' | '2024-11-05';
  /** The least number of tools. */
  readonly tools: number;
  /** The server writes lines to stdout that are no messages. */
  readonly isNoisy?: true;
  /** The calls to make, in this order: some can be answered without a network, some cannot. */
  readonly calls: readonly (ToolCase & { readonly tool: string })[];
}

/** The package in which these servers are installed. */
export const SERVERS = fileURLToPath(new URL('../servers', import.meta.url));

/** The file that the package's command runs. */
export function programOf({ packageName }: InstalledProgram): string {
  const folder = join(SERVERS, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: string | object };
  return join(folder, typeof bin === 'string' ? bin : (Object.values(bin)[0] as string));
}
