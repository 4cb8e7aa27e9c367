import { expect, test } from 'vitest';
import type { ToolInput } from '../model/tool.js';
import { type BuiltInInputs, builtInJsonSchemas } from './built-in-json-schemas.js';
import { toTool } from './built-in.js';

const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const run = async () => ({ content: [{ type: 'text', text: 'it ran' }] });

async function check(name: keyof BuiltInInputs, input: ToolInput, expected: string): Promise<void> {
  const tool = toTool({ name, title: name, description: '', hints, run });
  const { content, error } = await tool.call(input, { callId: '1' });
  expect(tool.known.inputSchema).toBe(builtInJsonSchemas[name]);
  expect(content[0]?.['text']).toContain(expected);
  expect(error?.code).toBe(expected === 'it ran' ? undefined : 'bad-input');
}

test('a built-in tool runs with what fits its schema, and names what does not', async () => {
  const whole = { path: 'a', offset: 0, limit: 1, characters: { from: 0, count: 1 }, more: true };
  await check('Read', whole, 'it ran');
  await check('Read', {}, 'The input of Read does not fit: it');
  await check('Read', { path: '' }, '/path');
  await check('Read', { path: 'a'.repeat(4097) }, '/path');
  await check('Read', { path: 'a', limit: 0 }, '/limit');
  await check('Read', { path: 'a', offset: 1.5 }, '/offset');
  await check('Read', { path: 'a', characters: { from: 0 } }, '/characters');
  await check('Read', { path: 'a', characters: { from: 0, count: 100_001 } }, '/characters/count');
  await check('ListMcpResources', {}, 'it ran');
  await check('ListMcpResources', { server: 7 }, '/server');
  await check('ReadMcpResource', { server: 'a', uri: 'x:y' }, 'it ran');
  await check('ReadMcpResource', { server: 'a' }, 'does not fit');
  await check('ToolSearch', { query: 'a', max_results: 50 }, 'it ran');
  await check('ToolSearch', { query: 'a', max_results: 51 }, '/max_results');
  await check('CallMcpTool', { name: 'a', arguments: { b: 1 } }, 'it ran');
  await check('CallMcpTool', { name: 'a', arguments: [] }, '/arguments');
});
