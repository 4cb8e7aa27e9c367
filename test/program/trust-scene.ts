import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSandbox, type Sandbox, USER_FILE } from './sandbox.js';

export const NODE = process.execPath;
export const TOOL_SERVER = join(import.meta.dirname, 'tool-server.mjs');
/** Writes its working directory to ~/ran. */
export const MARK = `require('node:fs').writeFileSync(process.env.HOME + '/ran', process.cwd())`;
export const PYTHON_MARK = `import os\nopen(os.environ['HOME'] + '/ran', 'w').write(os.getcwd())\n`;
export const BIN = `#!/usr/bin/env node\n${MARK}\n`;
export const PROJECT = 'home/code/app';

/** A project that is not trusted; all servers are in the user's file. */
export function scene(servers: object, files: Readonly<Record<string, unknown>> = {}): Sandbox {
  return makeSandbox({ [USER_FILE]: { mcpServers: servers }, ...files }, { isTrusted: false });
}

export function ran({ home }: Sandbox): string | undefined {
  const file = join(home, 'ran');
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

export const tool = { command: NODE, args: [TOOL_SERVER] };

export function makeExecutable(file: string): void {
  chmodSync(file, 0o755);
}
