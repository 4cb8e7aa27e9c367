import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { call, promptScene } from './prompt-scene.js';

const server = { command: process.execPath, args: [resolve(import.meta.dirname, '../calls/sampling-server.mjs')] };
const args = ['-p', 'ponder', '--mcp-server', `t=${JSON.stringify(server)}`, '--permission-mode', 'bypass'];
const TOLD = 't asked the model (7 tokens in, 3 out)';

/** The server asks for answers of ten tokens. */
function script(turn: number, body: { readonly max_tokens?: unknown }): AnthropicTurn {
  if (body.max_tokens === 10)
    return { blocks: [{ type: 'text', text: 'Blue' }], usage: { input_tokens: 7, output_tokens: 3 } };
  const blocks = turn === 1 ? [call('mcp__t__ponder', {})] : [{ type: 'text', text: 'Done' }];
  return { blocks, usage: { input_tokens: 100, output_tokens: 10 } };
}

test('what a server asks the model is told with --verbose, and not without', async () => {
  const scenes = [await promptScene(script), await promptScene(script)] as const;
  const { stderr, stdout } = await scenes[0].run([...args, '--verbose']);
  expect([stdout, stderr.split('\n').filter((line) => line === TOLD).length]).toEqual(['Done\n', 10]);
  expect(await scenes[1].run(args)).toMatchObject({ code: 0, stdout: 'Done\n', stderr: '' });
});

test('what a server asks the model is a line of stream-json, and counts in the result', async () => {
  const { run } = await promptScene(script);
  const { stdout } = await run([...args, '--output-format', 'stream-json']);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly subtype?: string });
  const told = lines.filter(({ subtype }) => subtype === 'informational');
  expect(told).toHaveLength(10);
  expect(told[0]).toMatchObject({ type: 'system', content: TOLD, level: 'info' });
  expect(lines.at(-1)).toMatchObject({ type: 'result', usage: { input_tokens: 270, output_tokens: 50 } });
});
