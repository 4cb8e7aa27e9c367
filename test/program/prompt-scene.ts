import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { type Json, openScriptedApi, type Reply, type ScriptedApi } from '../fixtures/scripted-api.js';
import { HANG_GUARD_MS } from '../hang-guard.js';
import { makeSandbox, type Run, type RunOptions, type Sandbox } from './sandbox.js';

export const toolServer = { command: process.execPath, args: [join(import.meta.dirname, 'tool-server.mjs')] };

/** A scripted model and the sandbox in which it is used. */
export interface PromptScene {
  readonly api: ScriptedApi;
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string>>;
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Run>;
}

export async function promptScene(
  script: readonly Reply<AnthropicTurn>[] | ((turn: number, body: Json) => Reply<AnthropicTurn>),
  files: Readonly<Record<string, unknown>> = {},
): Promise<PromptScene> {
  const replies = typeof script === 'function' ? script : (turn: number) => script[turn - 1] ?? say('no more');
  const api = await openScriptedApi(anthropicDialect, replies);
  onTestFinished(() => api[Symbol.asyncDispose]());
  const sandbox = makeSandbox(files);
  const env = { ...MODEL_ENV, ANTHROPIC_BASE_URL: api.url };
  const run: PromptScene['run'] = (args, options) =>
    sandbox.run(args, { ...options, env: { ...env, ...options?.env } });
  return { api, sandbox, env, run };
}

/** Waits for servers as long as they need, so that what the model is shown does not depend on timing. */
export const MODEL_ENV = {
  ANTHROPIC_API_KEY: 'key',
  ANTHROPIC_MODEL: 'scripted',
  MCP_CONNECT_TIMEOUT_MS: String(HANG_GUARD_MS),
} as const;

export function say(text: string): AnthropicTurn {
  return [{ type: 'text', text }];
}

export function call(name: string, input: object, id = 'toolu_1'): Json {
  return { type: 'tool_use', id, name, input };
}

/** `--mcp-server` for the server of tool-server.mjs. */
export function withTools(name = 't'): readonly string[] {
  return ['--mcp-server', `${name}=${JSON.stringify(toolServer)}`];
}

/** The tool result that the model got for this call. */
export function resultOf({ requests }: ScriptedApi, id = 'toolu_1'): Json | undefined {
  const blocks = requests.flatMap(({ messages }) =>
    (messages as readonly Json[]).flatMap(({ content }) => content as Json[]),
  );
  return blocks.find((block) => block['tool_use_id'] === id);
}
