import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolCase } from './real-server.js';

/** A program of test/servers, and what it is started with; `{folder}` stands for where it works. */
export interface InstalledProgram {
  readonly packageName: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What has to lie in the folder beforehand. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A server that other people made, too large to be installed with Plugboard, and what is known of it. */
export interface InstalledServer extends InstalledProgram {
  /** The revisions it speaks: in the era without a handshake, and when it is greeted in the older way. */
  readonly modern?: '2026-07-28';
  readonly legacy: '2025-11-25' | '2025-06-18' | '2025-03-26' | '2024-11-05';
  /** How many there are at least. */
  readonly tools: number;
  /** It writes on stdout what is no message. */
  readonly isNoisy?: true;
  /** What is called, in this order: what can be answered without a network, and what cannot. */
  readonly calls: readonly (ToolCase & { readonly tool: string })[];
}

/** The package that they are installed in. */
export const SERVERS = fileURLToPath(new URL('../servers', import.meta.url));

/** The file of the package that its command is. */
export function programOf({ packageName }: InstalledProgram): string {
  const folder = join(SERVERS, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: string | object };
  return join(folder, typeof bin === 'string' ? bin : (Object.values(bin)[0] as string));
}
