/** Responses as APIs write them, byte for byte, for all tests of readers. */
export interface Stream {
  /** Which API or server writes this way. */
  readonly what: string;
  readonly text: string;
}

function sse(...events: readonly object[]): string {
  return events
    .map((event) => `${'type' in event ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
    .join('');
}

const usage = { input_tokens: 5, cache_creation_input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 1 };
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage };
const begin = { type: 'message_start', message };
const open = (index: number, block: object): object => ({ type: 'content_block_start', index, content_block: block });
const grow = (index: number, delta: object): object => ({ type: 'content_block_delta', index, delta });
const close = (index: number): object => ({ type: 'content_block_stop', index });
const end = (reason: string | null, more: object = {}): readonly object[] => [
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 7, ...more } },
  { type: 'message_stop' },
];
const hello = [open(0, { type: 'text', text: '' }), grow(0, { type: 'text_delta', text: 'Grüße 🌍' }), close(0)];

export const anthropicStreams: readonly Stream[] = [
  { what: 'words', text: sse(begin, { type: 'ping' }, ...hello, ...end('end_turn')) },
  {
    what: 'signed thoughts, a call in pieces and another one without arguments',
    text: sse(
      begin,
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      grow(0, { type: 'thinking_delta', thinking: 'Let me ' }),
      grow(0, { type: 'thinking_delta', thinking: 'see' }),
      grow(0, { type: 'signature_delta', signature: 'sig==' }),
      close(0),
      open(1, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }),
      grow(1, { type: 'input_json_delta', partial_json: '' }),
      grow(1, { type: 'input_json_delta', partial_json: '{"q": "a' }),
      grow(1, { type: 'input_json_delta', partial_json: '\\u00e4 b"}' }),
      close(1),
      open(2, { type: 'tool_use', id: 'toolu_2', name: 'list', input: {} }),
      close(2),
      ...end('tool_use'),
    ),
  },
  { what: 'figures that come again at the end', text: sse(begin, ...hello, ...end('max_tokens', { input_tokens: 6 })) },
  {
    what: 'a compaction, whose round the total leaves out',
    text: sse(
      begin,
      ...hello,
      ...end('end_turn', {
        iterations: [
          { type: 'compaction', input_tokens: 900, output_tokens: 30 },
          { type: 'message', input_tokens: 5, output_tokens: 7 },
        ],
      }),
    ),
  },
  {
    what: 'another model that stands in, whose rounds the total has',
    text: sse(
      begin,
      ...hello,
      ...end('end_turn', {
        iterations: [
          { type: 'message', input_tokens: 5, output_tokens: 0 },
          { type: 'fallback_message', input_tokens: 5, output_tokens: 7 },
        ],
      }),
    ),
  },
  { what: 'an answer that begins twice', text: sse(begin, begin, ...hello, ...end('end_turn')) },
  {
    what: 'a mark of the end that only others write',
    text: `${sse(begin, ...hello, ...end('refusal'))}data: [DONE]\n\n`,
  },
  {
    what: 'comments, CR LF and a byte order mark',
    text: `\ufeff: hi\r\n\r\n${sse(begin, ...hello, ...end('end_turn')).replaceAll('\n', '\r\n')}`,
  },
];

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const chunk = (delta: object | null, reason: string | null = null, more: object = {}): object => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason: reason, logprobs: null }],
  ...more,
});
const calls = (...pieces: readonly object[]): object => chunk({ tool_calls: pieces });
const cost = { prompt_tokens: 50, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 32 } };
const DONE = 'data: [DONE]\n\n';

export const openaiStreams: readonly Stream[] = [
  {
    what: 'OpenAI: words, and figures in a chunk of their own',
    text:
      sse(
        chunk({ role: 'assistant', content: '', refusal: null }),
        chunk({ content: 'Grüße' }),
        chunk({ content: ' 🌍' }),
        chunk({}, 'stop'),
        { ...head, choices: [], usage: cost },
      ) + DONE,
  },
  {
    what: 'OpenAI: calls in pieces, one in between the other',
    text:
      sse(
        chunk({ role: 'assistant', content: null }),
        calls({ index: 0, id: 'call_a', type: 'function', function: { name: 'look', arguments: '' } }),
        calls({ index: 0, function: { arguments: '{"q":' } }),
        calls({ index: 1, id: 'call_b', type: 'function', function: { name: 'list', arguments: '' } }),
        calls({ index: 1, function: { arguments: '{}' } }, { index: 0, function: { arguments: ' "ä"}' } }),
        chunk({}, 'tool_calls'),
      ) + DONE,
  },
  {
    what: 'vLLM: thoughts under one name, figures with every chunk',
    text:
      sse(
        chunk({ role: 'assistant', content: '' }, null, { usage: { ...cost, completion_tokens: 0 } }),
        chunk({ reasoning_content: 'Let me ' }, null, { usage: { ...cost, completion_tokens: 1 } }),
        chunk({ reasoning_content: 'see' }),
        chunk({ content: 'Here' }, 'stop', { usage: cost }),
      ) + DONE,
  },
  {
    what: 'gpt-oss: thoughts under the other name, and no mark of the end',
    text: sse(
      chunk({ role: 'assistant', content: '', reasoning: 'Hm' }),
      chunk({ content: 'Here' }),
      chunk({}, 'length'),
    ),
  },
  {
    what: 'Ollama: whole calls, each of index 0, with stop as the reason',
    text:
      sse(
        calls({ index: 0, id: 'call_x', type: 'function', function: { name: 'look', arguments: '{"q":"a"}' } }),
        calls({ index: 0, id: 'call_y', type: 'function', function: { name: 'look', arguments: '{"q":"b"}' } }),
        calls({ index: 0, id: 'call_z', type: 'function', function: { name: 'list', arguments: '{}' } }),
        chunk({ role: 'assistant', content: '' }, 'stop'),
      ) + DONE,
  },
  {
    what: 'Google: whole calls without an index, signed',
    text: sse(
      chunk({
        role: 'assistant',
        tool_calls: [
          {
            id: 'call_g',
            type: 'function',
            function: { name: 'look', arguments: '{"q":1}' },
            extra_content: { google: { thought_signature: 'sig' } },
          },
          { id: 'call_h', type: 'function', function: { name: 'list', arguments: '{}' } },
        ],
      }),
      chunk({}, 'tool_calls'),
    ),
  },
  {
    what: 'LM Studio: a name that is said again with every piece, a name that is empty afterwards',
    text: sse(
      calls({ index: 0, id: 'call_a', function: { name: 'look', arguments: '{"q":' } }),
      calls({ index: 0, id: 'call_a', function: { name: 'look', arguments: '"a"' } }),
      calls({ index: 0, id: '', function: { name: '', arguments: '}' } }),
      chunk({}, 'tool_calls'),
    ),
  },
  {
    what: 'llama.cpp: arguments before the name',
    text: sse(
      calls({ index: 0, id: 'call_a', function: { arguments: '{"q"' } }),
      calls({ index: 0, function: { name: 'look', arguments: ':1}' } }),
      chunk({}, 'tool_calls'),
    ),
  },
  {
    what: 'pieces that say neither index nor id',
    text: sse(
      calls({ id: 'call_a', function: { name: 'look', arguments: '{"q"' } }),
      calls({ function: { arguments: ':' } }),
      calls({ function: { arguments: '1}' } }),
      chunk({}, 'function_call'),
    ),
  },
  {
    what: 'Mistral: parts, of which some are thoughts',
    text: sse(
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
      chunk({ content: [{ type: 'text', text: 'Well' }] }),
      chunk({ content: '' }, 'content_filter'),
    ),
  },
  {
    what: 'comments that keep the line open, CR LF, a byte order mark and no blank behind the colon',
    text: `\ufeff: OPENROUTER PROCESSING\r\n\r\n${sse(chunk({ content: 'Yes' }), chunk({}, 'eos'))
      .replaceAll('data: ', 'data:')
      .replaceAll('\n', '\r\n')}data:[DONE]\r\n\r\n`,
  },
  {
    what: 'chunks without a delta, and without a choice',
    text: sse({ ...head, choices: [] }, chunk(null), chunk({ content: 'Yes' }), chunk(null, 'stop')) + DONE,
  },
];
