import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { withLock } from '../../src/edge/files/lock.js';
import type { Json } from '../fixtures/scripted-api.js';

const run = promisify(execFile);
const PACKAGE = join(import.meta.dirname, 'node_modules/@anthropic-ai/claude-agent-sdk');

/** As much of the published package as the scenarios use; its own types are compared in lines.ts. */
export interface AgentSdk {
  query(request: { readonly prompt: string | AsyncIterable<object>; readonly options: object }): AgentQuery;
  createSdkMcpServer(server: object): object;
  tool(name: string, description: string, schema: object, handler: (input: Json) => Promise<object>): object;
}

export interface AgentQuery extends AsyncIterable<Json> {
  interrupt(): Promise<unknown>;
  setPermissionMode(mode: string): Promise<void>;
  setModel(model?: string): Promise<void>;
  mcpServerStatus(): Promise<readonly Json[]>;
  reconnectMcpServer(name: string): Promise<void>;
  toggleMcpServer(name: string, enabled: boolean): Promise<void>;
  setMcpServers(servers: object): Promise<Json>;
  initializationResult(): Promise<Json>;
  getContextUsage(): Promise<Json>;
}

/**
 * The published agent SDK, installed into a folder of its own without its optional package, a program of 349 MB. Its
 * licence is proprietary: it is a tool of these tests, and no part of Plugboard. Undefined where it cannot be installed;
 * then the reason is printed.
 */
export async function findAgentSdk(): Promise<AgentSdk | undefined> {
  try {
    await withLock(join(import.meta.dirname, 'node_modules.lock'), install, { timeoutMs: INSTALL_LIMIT });
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    process.stderr.write(`The agent SDK is not installed, and its scenarios are skipped: ${reason}\n`);
    if (process.env['PLUGBOARD_FULL'] !== undefined) throw cause;
    return undefined;
  }
  return (await import(pathToFileURL(join(PACKAGE, 'sdk.mjs')).href)) as AgentSdk;
}

async function install(): Promise<void> {
  const folder = import.meta.dirname;
  const [lock, installed] = [join(folder, 'package-lock.json'), join(folder, 'node_modules/.package-lock.json')];
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  process.stderr.write('Installing the agent SDK for its tests (once, 65 MB) ...\n');
  const args = ['ci', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', args, { cwd: folder, timeout: INSTALL_LIMIT });
}

const INSTALL_LIMIT = 300_000;
