import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { odd, openOdd } from '../calls/odd-fields-server.js';
import { ask, openGatewayScene, refusalOf } from './gateway-scene.js';

test.each(['legacy', 'modern'] as const)(
  'results of a server of the %s era arrive with fields that nobody knows',
  async (era) => {
    const { entry } = await openOdd(era);
    await using opened = await openGatewayScene({ odd: entry });
    const endpoint = opened.endpoint();
    const { content, isError, _meta: meta, ...more } = await ask(endpoint, 'tools/call', { name: 'odd__dig' });
    expect({ content, isError, _meta: meta, 'acme/more': more['acme/more'] }).toEqual({
      ...odd.call,
      _meta: { 'acme/trace': 't-1', 'plugboard/outcome': 'ok' },
    });
    expect(await ask(endpoint, 'prompts/get', { name: 'odd__greet' })).toMatchObject(odd.prompt);
    expect(await ask(endpoint, 'resources/read', { uri: 'odd://a' })).toMatchObject(odd.resource);
    const completing = { ref: { type: 'ref/prompt', name: 'odd__greet' }, argument: { name: 'city', value: 'O' } };
    expect(await ask(endpoint, 'completion/complete', completing)).toMatchObject(odd.completion);
  },
);

test('an error of a server keeps its code and data and loses hidden characters', async () => {
  const { entry } = await openOdd('legacy');
  await using opened = await openGatewayScene({ odd: entry });
  const { code, data } = odd.error;
  const refused = { code, message: 'no gold', data };
  expect(await refusalOf(ask(opened.endpoint(), 'tools/call', { name: 'odd__fail' }))).toEqual(refused);
  expect(await refusalOf(ask(opened.endpoint(), 'prompts/get', { name: 'odd__sulk' }))).toEqual(refused);
});

test('a tool, prompt or resource that nobody has is refused by name', async () => {
  const { entry } = await openOdd('legacy');
  await using opened = await openGatewayScene({ odd: entry });
  const endpoint = opened.endpoint();
  for (const [method, params, message] of [
    ['tools/call', { name: 'odd__nothing' }, 'Unknown tool: odd__nothing'],
    ['tools/call', { name: 'mcp__odd__dig' }, 'Unknown tool: mcp__odd__dig'],
    ['prompts/get', { name: 'nothing' }, 'Unknown prompt: nothing'],
  ] as [string, JsonObject, string][]) {
    expect(await refusalOf(ask(endpoint, method, params))).toMatchObject({ code: -32602, message });
  }
  expect(await refusalOf(ask(endpoint, 'tools/nothing'))).toMatchObject({ code: -32601 });
});

test('a call of a tool that a server has not listed says why it has listed nothing', async () => {
  const broken = { command: process.execPath, args: ['-e', 'console.error("no key"); process.exit(3)'] };
  const { entry } = await openOdd('legacy');
  await using opened = await openGatewayScene({ broken, odd: entry });
  const calls: [string, string][] = [
    ['/mcp', 'broken__dig'],
    ['/mcp/broken', 'dig'],
  ];
  for (const [path, name] of calls) {
    const refusal = await refusalOf(ask(opened.endpoint(path), 'tools/call', { name }));
    expect(refusal).toMatchObject({ code: -32602, data: { 'plugboard/outcome': 'error' } });
    expect(refusal.message).toMatch(
      new RegExp(`^Unknown tool: ${name}: server "broken" has not told its tools: .*exited with code 3`, 'u'),
    );
    expect(refusal.message).toContain('plugboard doctor broken');
  }
  const other = await refusalOf(ask(opened.endpoint(), 'tools/call', { name: 'odd__nothing' }));
  expect(other.message).toBe('Unknown tool: odd__nothing');
});
