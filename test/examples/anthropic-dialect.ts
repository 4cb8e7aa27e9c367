// https://platform.claude.com/docs/en/api/messages and .../agents-and-tools/tool-use
import { isObject } from '../../src/base/json.js';
import { type Dialect, type Json, strange, toList, twice } from './scripted-api.js';

/** The blocks of one answer. */
export type AnthropicTurn = readonly Json[];

export const anthropicDialect: Dialect<AnthropicTurn> = {
  path: '/v1/messages',
  refusals(body, headers) {
    const { system, tools, messages } = body;
    return [
      ...((headers['x-api-key'] ?? headers.authorization) === undefined ? ['x-api-key: missing'] : []),
      ...(headers['anthropic-version'] === undefined ? ['anthropic-version: missing'] : []),
      ...strange(body, TOP, 'body'),
      ...(typeof body['model'] === 'string' ? [] : ['model: Field required']),
      ...(Number.isInteger(body['max_tokens']) ? [] : ['max_tokens: Field required']),
      ...(system === '' || toList(system).some(({ text }) => text === '') ? ['system: must be non-empty'] : []),
      ...ofTools(toList(tools)),
      ...ofMessages(toList(messages), toNames(body)),
    ];
  },
  misreadings(turn, body) {
    const readable = toReadable(body);
    const uses = turn.filter(({ type }) => type === 'tool_use' || type === 'server_tool_use');
    return uses.filter(({ name }) => !readable.has(name)).map(({ name }) => `the model has not read ${String(name)}`);
  },
  write(turn, body) {
    const message = toMessage(turn);
    if (body['stream'] !== true)
      return { type: 'application/json', text: JSON.stringify({ ...message, content: turn }) };
    return { type: 'text/event-stream', text: toEvents(message, turn) };
  },
  writeError: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
};

function ofTools(tools: readonly Json[]): string[] {
  const own = tools.filter(({ type }) => type === undefined || type === 'custom');
  return [
    ...twice(tools.map(({ name }) => name)).map((name) => `tools: Tool names must be unique (${String(name)})`),
    ...(tools.length > 0 && tools.every((tool) => tool['defer_loading'] === true)
      ? ['tools: All tools have defer_loading set. At least one tool must be non-deferred']
      : []),
    ...own.flatMap((tool) => {
      const { name, description, input_schema: schema } = tool;
      const where = `tools.${String(name)}`;
      return [
        ...strange(tool, TOOL, where),
        ...(/^[a-zA-Z0-9_-]{1,64}$/u.test(String(name)) ? [] : [`${where}.name: does not match`]),
        ...(description === undefined || typeof description === 'string' ? [] : [`${where}.description: no string`]),
        ...(isObject(schema) && schema['type'] === 'object' ? [] : [`${where}.input_schema.type: Field required`]),
        ...(tool['defer_loading'] === true && tool['cache_control'] ? [`${where}: deferred and cached`] : []),
      ];
    }),
  ];
}

function ofMessages(messages: readonly Json[], names: ReadonlySet<unknown>): string[] {
  const [first] = messages;
  const ids = messages.flatMap((message) => ofType(message, 'tool_use').map(({ id }) => id));
  return [
    ...(first?.['role'] === 'user' ? [] : ['messages: first message must use the user role']),
    ...(messages.at(-1)?.['role'] === 'user' ? [] : ['messages: must end with a user message']),
    ...twice(ids).map((id) => `messages: tool_use ids must be unique (${String(id)})`),
    ...messages.flatMap((message, at) => {
      const where = `messages.${at}`;
      const blocks = toBlocks(message);
      const uses = at === 0 ? [] : ofType(messages[at - 1]!, 'tool_use');
      return [
        ...strange(message, ['role', 'content'], where),
        ...(blocks.length > 0 ? [] : [`${where}.content: must be non-empty`]),
        ...ofResults(
          blocks,
          uses.map(({ id }) => id),
          where,
        ),
        ...blocks.flatMap((block, index) => ofBlock(block, names, `${where}.content.${index}`)),
      ];
    }),
  ];
}

/** Every use is answered, by the next message, before anything else in it. */
function ofResults(blocks: readonly Json[], ids: readonly unknown[], where: string): string[] {
  const answered = blocks.filter(({ type }) => type === 'tool_result').map((block) => block['tool_use_id']);
  const head = blocks.slice(0, answered.length).every(({ type }) => type === 'tool_result');
  return [
    ...ids.filter((id) => !answered.includes(id)).map((id) => `${where}: no tool_result directly after ${String(id)}`),
    ...answered.filter((id) => !ids.includes(id)).map((id) => `${where}: unexpected tool_use_id ${String(id)}`),
    ...twice(answered).map((id) => `${where}: each tool_use must have a single result (${String(id)})`),
    ...(head ? [] : [`${where}: tool_result blocks must come first`]),
  ];
}

function ofBlock(block: Json, names: ReadonlySet<unknown>, where: string): string[] {
  const known = BLOCKS[String(block['type'])];
  if (!known) return [`${where}.type: unexpected ${String(block['type'])}`];
  const wrong = strange(block, known, where);
  const { text, source, tool_name: tool, content } = block;
  if (block['type'] === 'text' && (typeof text !== 'string' || text === '')) wrong.push(`${where}: text is empty`);
  if (block['type'] === 'tool_reference' && !names.has(tool))
    wrong.push(`${where}: Tool reference '${String(tool)}' not found in available tools`);
  if (block['type'] === 'image') {
    const { media_type: media, data } = isObject(source) ? source : {};
    const isImage = /^image\/(?:png|jpeg|gif|webp)$/u.test(String(media)) && /^[\w+/]+=*$/u.test(String(data));
    if (!isImage) wrong.push(`${where}.source: no image`);
  }
  if (block['type'] === 'tool_result' && typeof content !== 'string')
    wrong.push(...toList(content).flatMap((one, at) => ofBlock(one, names, `${where}.content.${at}`)));
  return wrong;
}

/** What a model sees the definition of: what is not deferred, and what a result has referred to. */
function toReadable(body: Json): ReadonlySet<unknown> {
  const loaded = toList(body['tools']).filter((tool) => tool['defer_loading'] !== true);
  const results = toList(body['messages']).flatMap((message) => ofType(message, 'tool_result'));
  const found = results.flatMap(({ content }) => toList(content)).map((block) => block['tool_name']);
  return new Set([...loaded.map(({ name }) => name), ...found.filter((name) => name !== undefined)]);
}

function toNames(body: Json): ReadonlySet<unknown> {
  return new Set(toList(body['tools']).map(({ name }) => name));
}

function toBlocks({ content }: Json): readonly Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : toList(content);
}

function ofType(message: Json, type: string): readonly Json[] {
  return toBlocks(message).filter((block) => block['type'] === type);
}

function toMessage(turn: AnthropicTurn): Json {
  const isCalling = turn.some(({ type }) => type === 'tool_use');
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: isCalling ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

function toEvents(message: Json, turn: AnthropicTurn): string {
  const { stop_reason: reason } = message;
  const events: Json[] = [
    { type: 'message_start', message: { ...message, stop_reason: null } },
    ...turn.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: toStart(block) },
      ...toDeltas(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function toStart(block: Json): Json {
  if (block['type'] === 'text') return { ...block, text: '' };
  return 'input' in block ? { ...block, input: {} } : block;
}

function toDeltas({ text, input }: Json): readonly Json[] {
  if (typeof text === 'string') return halves(text).map((half) => ({ type: 'text_delta', text: half }));
  if (input === undefined) return [];
  return halves(JSON.stringify(input)).map((half) => ({ type: 'input_json_delta', partial_json: half }));
}

function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

const TOP =
  'model max_tokens messages system tools tool_choice stream cache_control temperature top_p top_k metadata stop_sequences'.split(
    ' ',
  );
const TOOL = ['type', 'name', 'description', 'input_schema', 'cache_control', 'defer_loading', 'strict'];
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'cache_control', 'citations'],
  image: ['type', 'source', 'cache_control'],
  tool_use: ['type', 'id', 'name', 'input', 'cache_control', 'caller'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'],
  tool_reference: ['type', 'tool_name', 'cache_control'],
  server_tool_use: ['type', 'id', 'name', 'input', 'cache_control', 'caller'],
  web_search_tool_result: ['type', 'tool_use_id', 'content', 'cache_control', 'caller'],
};
