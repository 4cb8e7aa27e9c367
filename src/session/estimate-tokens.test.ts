import { expect, test } from 'vitest';
import { estimateTokens, type TokenCounts } from './estimate-tokens.js';
import type { Message } from './message.js';

const data = 'A'.repeat(2_000_000);
const user = (text: string): Message => ({ role: 'user', parts: [{ kind: 'text', text }] });
const ofMessages = (...messages: readonly Message[]): number => estimateTokens({ tools: [], system: [], messages });

test('a text of 4,000 characters is a thousand tokens, wherever it stands', () => {
  const text = 'four'.repeat(1_000);
  const tools = [{ name: 'a', description: text }];
  const answer: Message = { role: 'assistant', parts: [{ kind: 'text', text }] };
  const reasoning: Message = { role: 'assistant', parts: [{ kind: 'reasoning', text, extra: { signature: 'x' } }] };
  const call: Message = { role: 'assistant', parts: [{ kind: 'call', id: 'a', name: 'b', input: { text } }] };
  const results: Message = { role: 'results', results: [{ type: 'tool_result', content: [{ type: 'text', text }] }] };
  const estimates = [
    estimateTokens({ tools, system: [], messages: [] }),
    estimateTokens({ tools: [], system: [text], messages: [] }),
    ...[user(text), answer, reasoning, call, results].map((message) => ofMessages(message)),
  ];
  for (const tokens of estimates) {
    expect(tokens).toBeGreaterThanOrEqual(1_000);
    expect(tokens).toBeLessThan(1_040);
  }
});

test('an image costs 1,600 tokens in every format, and not what its file has', () => {
  const url = `data:image/png;base64,${data}`;
  const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
  const images: readonly Message[] = [
    { role: 'user', parts: [{ kind: 'image', mimeType: 'image/png', data }] },
    { role: 'results', results: [{ type: 'tool_result', tool_use_id: 'a', content: [block] }] },
    { role: 'results', results: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] },
  ];
  for (const image of images) expect(Math.abs(ofMessages(image) - 1_600)).toBeLessThan(50);
});

test('the arguments of a call count once', () => {
  const input = { text: 'four'.repeat(1_000) };
  const extra = { arguments: JSON.stringify(input) };
  const call: Message = { role: 'assistant', parts: [{ kind: 'call', id: 'a', name: 'b', input, extra }] };
  expect(ofMessages(call)).toBeLessThan(1_040);
});

test('what was counted before is not read again', () => {
  let reads = 0;
  const message: Message = {
    role: 'user',
    get parts() {
      reads++;
      return [{ kind: 'text' as const, text: 'four' }];
    },
  };
  const tool = { name: 'a' };
  const counts: TokenCounts = new WeakMap();
  const request = { tools: [tool], system: ['Be brief'], messages: [message] };
  const first = estimateTokens(request, counts);
  expect([estimateTokens({ ...request, messages: [...request.messages] }, counts), reads]).toEqual([first, 1]);
  expect(counts.has(tool)).toBe(true);
});

test('an estimate for JSON is what its text would cost', () => {
  const results = [{ type: 'tool_result', content: [{ a: [1, 2.5, null, true], b: { c: 'd' } }], is_error: false }];
  const exact = JSON.stringify(results).length / 4;
  expect(Math.abs(ofMessages({ role: 'results', results }) - exact)).toBeLessThan(10);
});
