import { expect, test } from 'vitest';
import { profiles } from '../../src/model/profiles/all.js';
import type { ModelCallResult, ProfileName } from '../../src/model/profiles/profile.js';

const PICTURE = 'aGVsbG8=';
const results: readonly ModelCallResult[] = [
  {
    callId: 'call_1',
    name: 'mcp__one__look',
    outcome: 'ok',
    content: [
      { type: 'text', text: 'Here it is' },
      { type: 'image', data: PICTURE, mimeType: 'image/png' },
      { type: 'audio', data: PICTURE, mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'file:///a', name: 'a', description: 'A file' },
      { type: 'resource', resource: { uri: 'file:///b', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///c', blob: PICTURE, mimeType: 'application/zip' } },
      { type: 'dance' },
    ],
  },
  { callId: 'call_2', name: 'mcp__one__fail', outcome: 'error', content: [{ type: 'text', text: 'No such thing' }] },
  { callId: 'call_3', name: 'mcp__one__quiet', outcome: 'ok', content: [] },
];
const words = [
  'Here it is',
  '[audio that cannot be shown: audio/wav]',
  '[Resource link: a] file:///a (A file)',
  '[Resource file:///b]\ninside',
  '[Resource file:///c that cannot be shown: application/zip]',
  '[Content of a kind that cannot be shown: dance]',
];
const quiet = '(mcp__one__quiet completed with no output)';

test('Anthropic gets a block for each call, with the images in it', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } };
  expect(told('anthropic')).toEqual([
    {
      type: 'tool_result',
      tool_use_id: 'call_1',
      is_error: false,
      content: [text(words[0]!), image, ...words.slice(1).map(text)],
    },
    { type: 'tool_result', tool_use_id: 'call_2', is_error: true, content: [text('No such thing')] },
    { type: 'tool_result', tool_use_id: 'call_3', is_error: false, content: [text(quiet)] },
  ]);
});

test('OpenAI gets all answers first, and the images after them, never as text', () => {
  expect(told('openai')).toEqual([
    { role: 'tool', tool_call_id: 'call_1', content: words.join('\n') },
    { role: 'tool', tool_call_id: 'call_2', content: '[This call has failed.]\nNo such thing' },
    { role: 'tool', tool_call_id: 'call_3', content: quiet },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Images of the result of mcp__one__look (call call_1):' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } },
      ],
    },
  ]);
});

test('Gemini gets a response for each call, with the images as parts behind it', () => {
  expect(told('gemini')).toEqual([
    { functionResponse: { id: 'call_1', name: 'mcp__one__look', response: { output: words.join('\n') } } },
    { inlineData: { mimeType: 'image/png', data: PICTURE } },
    { functionResponse: { id: 'call_2', name: 'mcp__one__fail', response: { error: 'No such thing' } } },
    { functionResponse: { id: 'call_3', name: 'mcp__one__quiet', response: { output: quiet } } },
  ]);
});

test.each(profiles)('an image of a kind that $name does not take becomes words', (profile) => {
  const content = [{ type: 'image', data: PICTURE, mimeType: 'image/tiff' }];
  const [part] = profile.toToolResults([{ callId: 'c', name: 'n', outcome: 'ok', content }]);
  expect(JSON.stringify(part)).toContain('[image that cannot be shown: image/tiff]');
  expect(JSON.stringify(part)).not.toContain(PICTURE);
});

function text(value: string): object {
  return { type: 'text', text: value };
}

function told(name: ProfileName): readonly object[] {
  return profiles.find((profile) => profile.name === name)!.toToolResults(results);
}
