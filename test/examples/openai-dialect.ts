// https://platform.openai.com/docs/api-reference/chat/create
import { isObject } from '../../src/base/json.js';
import { type Dialect, type Json, strange, toList, twice } from './scripted-api.js';

/** The message of one answer: its text, or the calls that it makes. */
export interface OpenaiTurn {
  readonly content?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
}

export const openaiDialect: Dialect<OpenaiTurn> = {
  path: '/v1/chat/completions',
  refusals(body, headers) {
    const messages = toList(body['messages']);
    return [
      ...(headers.authorization?.startsWith('Bearer ') === true ? [] : ['You did not provide an API key']),
      ...strange(body, TOP, 'body'),
      ...(typeof body['model'] === 'string' ? [] : ['you must provide a model parameter']),
      ...(messages.length > 0 ? [] : ['messages: too short']),
      ...ofTools(toList(body['tools'])),
      ...messages.flatMap((message, at) => ofMessage(message, `messages.${at}`)),
      ...ofAnswers(messages),
    ];
  },
  misreadings({ calls = [] }, body) {
    const names = new Set(toList(body['tools']).map((tool) => toFunction(tool)['name']));
    return calls.filter(({ name }) => !names.has(name)).map(({ name }) => `the model has not read ${name}`);
  },
  write({ content, calls }) {
    const toolCalls = calls?.map(({ id, ...rest }) => ({ id, type: 'function', function: rest }));
    const message = { role: 'assistant', content: content ?? null, refusal: null, annotations: [] };
    const choice = {
      index: 0,
      message: toolCalls ? { ...message, tool_calls: toolCalls } : message,
      finish_reason: toolCalls ? 'tool_calls' : 'stop',
      logprobs: null,
    };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const completion = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'scripted', usage };
    return { type: 'application/json', text: JSON.stringify({ ...completion, choices: [choice] }) };
  },
  writeError: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
};

function ofTools(tools: readonly Json[]): string[] {
  return [
    ...(tools.length > 128 ? ['tools: too long'] : []),
    ...twice(tools.map((tool) => toFunction(tool)['name'])).map((name) => `tools: ${String(name)} twice`),
    ...tools.flatMap((tool) => {
      const { name, description, parameters } = toFunction(tool);
      const where = `tools.${String(name)}`;
      return [
        ...strange(tool, ['type', 'function'], where),
        ...strange(toFunction(tool), ['name', 'description', 'parameters', 'strict'], where),
        ...(tool['type'] === 'function' ? [] : [`${where}.type: no function`]),
        ...(/^[a-zA-Z0-9_-]{1,64}$/u.test(String(name)) ? [] : [`${where}.name: does not match`]),
        ...(typeof description === 'string' && description.length <= 1024 ? [] : [`${where}.description: too long`]),
        ...(isObject(parameters) && parameters['type'] === 'object' && isObject(parameters['properties'])
          ? []
          : [`${where}.parameters: object schema missing properties`]),
      ];
    }),
  ];
}

function ofMessage(message: Json, where: string): string[] {
  const { role, content } = message;
  const known = ROLES[String(role)];
  if (!known) return [`${where}.role: unexpected ${String(role)}`];
  const parts = Array.isArray(content) ? toList(content) : undefined;
  const isText = typeof content === 'string' || (role === 'assistant' && content === null);
  return [
    ...strange(message, known, where),
    ...(isText || (parts !== undefined && parts.length > 0) ? [] : [`${where}.content: expected a string or parts`]),
    ...(parts ?? []).flatMap(({ type }) =>
      type === 'text' || (role === 'user' && type === 'image_url')
        ? []
        : [`${where}.content: no ${String(type)} there`],
    ),
    ...toList(message['tool_calls']).flatMap((call) => [
      ...strange(call, ['id', 'type', 'function'], where),
      ...strange(toFunction(call), ['name', 'arguments'], where),
    ]),
  ];
}

/** Each call of a message is answered by one of the messages that directly follow, before any other. */
function ofAnswers(messages: readonly Json[]): string[] {
  const wrong: string[] = [];
  let open: unknown[] = [];
  for (const [at, message] of messages.entries()) {
    if (message['role'] === 'tool') {
      const key = message['tool_call_id'];
      if (!open.includes(key)) wrong.push(`messages.${at}: tool message follows no tool_calls with ${String(key)}`);
      open = open.filter((id) => id !== key);
      continue;
    }
    if (open.length > 0) wrong.push(`messages.${at}: tool_call_ids without a response: ${open.join(', ')}`);
    open = toList(message['tool_calls']).map(({ id }) => id);
  }
  return open.length > 0 ? [...wrong, `tool_call_ids without a response: ${open.join(', ')}`] : wrong;
}

function toFunction(tool: Json): Json {
  return isObject(tool['function']) ? tool['function'] : {};
}

const TOP = ['model', 'messages', 'tools', 'tool_choice', 'stream', 'temperature', 'parallel_tool_calls', 'store'];
const ROLES: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'refusal', 'annotations', 'audio', 'tool_calls', 'name'],
  tool: ['role', 'content', 'tool_call_id'],
};
