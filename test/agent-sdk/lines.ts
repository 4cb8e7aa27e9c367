import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Recorder } from './drive.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/**
 * The errors of the compiler in a program that hands every recorded line to a function with the package's own types.
 * More fields than a type has are no error; a missing one, and one of another type, is.
 */
export async function typeErrors({ lines, statuses }: Recorder): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-agent-lines-'));
  try {
    symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'lines.ts'), toProgram(lines, statuses));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], { maxBuffer: OUTPUT });
    return '';
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function toProgram(lines: Recorder['lines'], statuses: Recorder['statuses']): string {
  const checked = new Set(
    lines.map((line) => {
      const { type, request } = line as { type: string; request?: { subtype: string } };
      if (type === 'control_response') return `control(${JSON.stringify(line)});`;
      if (type === 'control_cancel_request') return '';
      // Messages between servers and their program are MCP's, not the SDK's.
      if (type === 'control_request') return request?.subtype === 'mcp_message' ? '' : `ask(${JSON.stringify(line)});`;
      return `message(${JSON.stringify(line)});`;
    }),
  );
  return [
    "import type { McpServerStatus, SDKControlRequest, SDKControlResponse, SDKMessage } from '@anthropic-ai/claude-agent-sdk';",
    'declare function message<const Line extends SDKMessage>(line: Line): void;',
    'declare function control<const Line extends SDKControlResponse>(line: Line): void;',
    'declare function ask<const Line extends SDKControlRequest>(line: Line): void;',
    'declare function status<const Status extends McpServerStatus>(status: Status): void;',
    ...checked,
    ...statuses.map((one) => `status(${JSON.stringify(one)});`),
  ].join('\n');
}

const CONFIG = {
  compilerOptions: {
    strict: true,
    target: 'ES2023',
    lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
    module: 'NodeNext',
    noEmit: true,
    // The package's own declarations do not all compile.
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  },
  files: ['lines.ts'],
};
const OUTPUT = 16_777_216;
