import { expect, test } from 'vitest';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { openaiDialect, type OpenaiTurn } from '../fixtures/openai-dialect.js';
import { type Ran, runExample, SERVERS } from './run-example.js';
import { type Dialect, type Json, openScriptedApi, type ScriptedApi, toList } from '../fixtures/scripted-api.js';

const STEADY = [/\d+ ms/gu, 'N ms'] as const;

/** Two concurrent reads beside the provider's own search; a tool search; calls of the found tool and others. */
const anthropicScript: readonly AnthropicTurn[] = [
  [
    { type: 'text', text: 'I look around.' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'milk' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [toHit()] },
    { type: 'tool_use', id: 'toolu_1', name: 'mcp__desk__meet', input: { who: 'Ann' } },
    { type: 'tool_use', id: 'toolu_2', name: 'mcp__desk__meet', input: { who: 'Bob' } },
  ],
  [{ type: 'tool_use', id: 'toolu_3', name: 'ToolSearch', input: { query: 'add note' } }],
  [
    { type: 'tool_use', id: 'toolu_4', name: 'mcp__notes__add_note', input: { text: 'milk' } },
    { type: 'tool_use', id: 'toolu_5', name: 'mcp__desk__picture', input: {} },
    { type: 'tool_use', id: 'toolu_6', name: 'mcp__desk__meet', input: { who: 7 } },
    { type: 'tool_use', id: 'toolu_7', name: 'mcp__desk__build', input: {} },
  ],
];

/** The turns after the model has read of the new tool: it searches for the tool, calls it, and ends. */
const anthropicEnd: readonly AnthropicTurn[] = [
  [{ type: 'tool_use', id: 'toolu_8', name: 'ToolSearch', input: { query: 'lamp' } }],
  [{ type: 'tool_use', id: 'toolu_9', name: 'mcp__desk__lamp', input: {} }],
  [{ type: 'text', text: 'Milk is on the list.' }],
];

const openaiScript: readonly OpenaiTurn[] = [
  {
    content: 'I look around.',
    calls: [
      { id: 'call_1', name: 'mcp__desk__meet', arguments: '{"who":"Ann"}' },
      { id: 'call_2', name: 'mcp__desk__meet', arguments: '{"who":"Bob"}' },
    ],
  },
  { calls: [{ id: 'call_3', name: 'ToolSearch', arguments: '{"query":"add note"}' }] },
  {
    calls: [
      {
        id: 'call_4',
        name: 'CallMcpTool',
        arguments: '{"name":"mcp__notes__add_note","arguments":{"text":"milk"}}',
      },
      { id: 'call_5', name: 'mcp__desk__picture', arguments: '' },
      { id: 'call_6', name: 'mcp__desk__meet', arguments: '{"who":' },
      { id: 'call_7', name: 'mcp__desk__build', arguments: '{}' },
    ],
  },
];

const openaiEnd: readonly OpenaiTurn[] = [
  { calls: [{ id: 'call_8', name: 'ToolSearch', arguments: '{"query":"lamp"}' }] },
  { calls: [{ id: 'call_9', name: 'CallMcpTool', arguments: '{"name":"mcp__desk__lamp"}' }] },
  { content: 'Milk is on the list.' },
];

test.each(['anthropic.mjs', 'ai-sdk.mjs'])(
  '%s runs a conversation that Anthropic would take, and finds a deferred tool by a reference',
  async (example) => {
    await using api = await openScriptedApi(anthropicDialect, withNews(anthropicScript, anthropicEnd, toIdle));
    const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
    const args = ['--yes', '--web-search', '--mcp-config', SERVERS, 'Put milk on my list'];
    const ran = await runExample(example, { env, args });
    checkEnd(ran, api);
    expect(toLines(ran.stdout)).toEqual([
      'I look around.',
      '  web_search {"query":"milk"}: run by Anthropic',
      '  mcp__desk__meet {"who":"Ann"}: ok, N ms',
      '  mcp__desk__meet {"who":"Bob"}: ok, N ms',
      '  ToolSearch {"query":"add note"}: ok, N ms',
      '  mcp__notes__add_note {"text":"milk"}: ok, N ms',
      '  mcp__desk__picture {}: ok, N ms',
      '  mcp__desk__meet {"who":7}: error, N ms',
      '  mcp__desk__build {}: ok, N ms',
      '  ToolSearch {"query":"lamp"}: ok, N ms',
      '  mcp__desk__lamp {}: ok, N ms',
      'Milk is on the list.',
    ]);
    checkSame(api, ({ system }) => system);
    const [first, latest] = [api.requests[0]!, api.requests.at(-1)!].map(({ tools }) => toList(tools));
    checkSame(api, ({ tools }) => toList(tools).slice(0, first!.length));
    // The new tool is appended, so that the prompt cache stays valid.
    expect(latest!.slice(first!.length)).toMatchObject([{ name: 'mcp__desk__lamp', defer_loading: true }]);
    expect(JSON.stringify(api.requests[0]!['system'])).toContain('Two have to meet at the same time.');
    const last = toResults(api.requests.at(-1)!);
    expect(last.get('toolu_2')).toMatchObject({ content: [{ type: 'text', text: 'Ann and Bob have met' }] });
    expect(last.get('toolu_3')!['content']).toContainEqual({
      type: 'tool_reference',
      tool_name: 'mcp__notes__add_note',
    });
    expect(last.get('toolu_4')).toMatchObject({ content: [{ text: '3 notes' }] });
    expect(last.get('toolu_5')).toMatchObject({ content: [{ type: 'image', source: { media_type: 'image/png' } }] });
    expect(last.get('toolu_6')).toMatchObject({ is_error: true });
    expect(last.get('toolu_9')).toMatchObject({ content: [{ text: 'It is bright' }] });
    expect([...last.keys()]).not.toContain('srvtoolu_1');
  },
);

test('openai.mjs runs a conversation that OpenAI would take, and calls by name what it has found', async () => {
  await using api = await openScriptedApi(openaiDialect, withNews(openaiScript, openaiEnd, toPicture));
  const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${api.url}/v1` };
  const args = ['--yes', '--mcp-config', SERVERS, 'Put milk on my list'];
  const ran = await runExample('openai.mjs', { env, args });
  checkEnd(ran, api);
  expect(toLines(ran.stdout)).toEqual([
    'I look around.',
    '  mcp__desk__meet {"who":"Ann"}: ok, N ms',
    '  mcp__desk__meet {"who":"Bob"}: ok, N ms',
    '  ToolSearch {"query":"add note"}: ok, N ms',
    '  CallMcpTool {"name":"mcp__notes__add_note","arguments":{"text":"milk"}}: ok, N ms',
    '  mcp__desk__picture {}: ok, N ms',
    '  mcp__desk__meet "{\\"who\\":": error, N ms',
    '  mcp__desk__build {}: ok, N ms',
    '  ToolSearch {"query":"lamp"}: ok, N ms',
    '  CallMcpTool {"name":"mcp__desk__lamp"}: ok, N ms',
    'Milk is on the list.',
  ]);
  checkSame(api, ({ tools, messages }) => [tools, toList(messages)[0]]);
  const messages = toList(api.requests.at(-1)!['messages']);
  const answers = new Map(messages.map((message) => [message['tool_call_id'], message['content']]));
  expect(answers.get('call_2')).toBe('Ann and Bob have met');
  expect(answers.get('call_3')).toContain('mcp__notes__add_note');
  expect(answers.get('call_4')).toBe('3 notes');
  expect(answers.get('call_6')).toContain('does not fit');
  expect(answers.get('call_9')).toBe('It is bright');
  expect(messages).toContainEqual(
    expect.objectContaining({
      role: 'user',
      content: [expect.anything(), expect.objectContaining({ type: 'image_url' })],
    }),
  );
});

test('without an argument the servers of the demo are there, and what nobody can be asked about is denied', async () => {
  await using api = await openApi(anthropicDialect, [
    [{ type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: { query: 'select:mcp__notes__add_note' } }],
    [{ type: 'tool_use', id: 'toolu_2', name: 'mcp__notes__add_note', input: { text: 'milk' } }],
    [{ type: 'text', text: 'That was not allowed.' }],
  ]);
  const ran = await runExample('anthropic.mjs', { env: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url } });
  checkEnd(ran, api);
  expect(toLines(ran.stdout).slice(1)).toEqual([
    '  mcp__notes__add_note {"text":"milk"}: error, N ms',
    'That was not allowed.',
  ]);
  expect(toList(api.requests[0]!['tools']).map(({ name }) => name)).toContain('mcp__clock__now');
  expect(toResults(api.requests.at(-1)!).get('toolu_2')).toMatchObject({ is_error: true });
});

test('a model that never comes to an end is left after ten turns', async () => {
  await using api = await openScriptedApi(openaiDialect, toPicture);
  const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${api.url}/v1` };
  const ran = await runExample('openai.mjs', { env, args: ['--yes', '--mcp-config', SERVERS] });
  checkEnd(ran, api, [1, 'No answer after 10 turns\n']);
  expect(api.requests).toHaveLength(10);
});

test('Ctrl-C ends the servers, too', async () => {
  await using api = await openScriptedApi<AnthropicTurn>(anthropicDialect, () => undefined);
  const ran = await runExample('ai-sdk.mjs', {
    env: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url },
    args: ['--mcp-config', SERVERS],
    onStart: (child) => void api.asked(1).then(() => child.kill('SIGINT')),
  });
  checkEnd(ran, api, [130, 'Interrupted\n']);
});

test.each([
  ['anthropic.mjs', 'ANTHROPIC_API_KEY'],
  ['openai.mjs', 'OPENAI_API_KEY'],
  ['ai-sdk.mjs', 'ANTHROPIC_API_KEY'],
])('%s says what it needs when there is no key', async (example, variable) => {
  const { status, stdout, stderr, left } = await runExample(example, {});
  expect([status, stdout, left]).toEqual([2, '', []]);
  expect(stderr).toMatch(new RegExp(`^Set ${variable} to run this`, 'u'));
});

function openApi<Turn extends object>(dialect: Dialect<Turn>, turns: readonly Turn[]): Promise<ScriptedApi> {
  return openScriptedApi(dialect, (turn) => turns[turn - 1]);
}

/** Checks exit code and stderr, that the API refused no request, and that no process is left. */
function checkEnd({ status, stderr, left }: Ran, { refused }: ScriptedApi, end: [number, string] = [0, '']): void {
  expect({ refused, left, end: [status, stderr] }).toEqual({ refused: [], left: [], end });
}

/** Checks that a part of the prompt is the same in every request, byte by byte. */
function checkSame({ requests }: ScriptedApi, pick: (request: Json) => unknown): void {
  const texts = requests.map((request) => JSON.stringify(pick(request)));
  expect(texts.length).toBeGreaterThan(3);
  expect(new Set(texts).size).toBe(1);
}

function toResults(request: Json): ReadonlyMap<unknown, Json> {
  const blocks = toList(request['messages']).flatMap(({ content }) => toList(content));
  const results = blocks.filter(({ type }) => type === 'tool_result');
  return new Map(results.map((block) => [block['tool_use_id'], block]));
}

function toLines(text: string): string[] {
  const lines = text.replaceAll(...STEADY).split('\n');
  // The picture calls while the model waits for the news vary in number.
  const built = lines.findIndex((line) => line.includes('mcp__desk__build'));
  return lines.filter((line, at) => line !== '' && !(built >= 0 && at > built && line.includes('mcp__desk__picture')));
}

/** The turns of `begin`, harmless calls until the model has read the news, then the turns of `end`. */
function withNews<Turn>(
  begin: readonly Turn[],
  end: readonly Turn[],
  idle: (turn: number) => Turn,
): (turn: number, body: Json) => Turn | undefined {
  let told: number | undefined;
  return (turn, body) => {
    if (turn <= begin.length) return begin[turn - 1];
    if (told === undefined && JSON.stringify(body['messages']).includes('mcp__desk__lamp')) told = turn;
    return told === undefined ? idle(turn) : end[turn - told];
  };
}

function toIdle(turn: number): AnthropicTurn {
  return [{ type: 'tool_use', id: `toolu_idle_${turn}`, name: 'mcp__desk__picture', input: {} }];
}

/** A picture call with a unique id. */
function toPicture(turn: number): OpenaiTurn {
  return { calls: [{ id: `call_picture_${turn}`, name: 'mcp__desk__picture', arguments: '{}' }] };
}

function toHit(): Json {
  return {
    type: 'web_search_result',
    title: 'Milk',
    url: 'https://example.com/',
    encrypted_content: 'x',
    page_age: null,
  };
}
