import { inputRequired } from '@modelcontextprotocol/server';
import { acceptedField, form } from './questions.mjs';

/** A red pixel as PNG. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A WAV file without samples. */
export const SOUND = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQAAAAA=';

export function resources() {
  return [
    {
      uri: 'test://static-text',
      name: 'static-text',
      title: 'A text',
      description: 'A text that stays as it is',
      mimeType: 'text/plain',
      annotations: { audience: ['user'], priority: 0.5 },
    },
    { uri: 'test://static-binary', name: 'static-binary', description: 'A picture', mimeType: 'image/png' },
    {
      uri: 'test://watched-resource',
      name: 'watched-resource',
      description: 'A text that changes',
      mimeType: 'text/plain',
    },
  ];
}

export const templates = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    description: 'Data for an id',
    mimeType: 'application/json',
  },
];

export function readResource(world, uri) {
  if (uri === 'test://static-text') {
    return { uri, mimeType: 'text/plain', text: 'The text of the resource that stays as it is.' };
  }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PICTURE };
  if (uri === 'test://watched-resource')
    return { uri, mimeType: 'text/plain', text: `version ${world.changes.of('watched')}` };
  const id = /^test:\/\/template\/([^/]+)\/data$/u.exec(uri)?.[1];
  if (id === undefined) return undefined;
  return { uri, mimeType: 'application/json', text: JSON.stringify({ id, data: `The data for ${id}` }) };
}

export function prompts({ changes }) {
  const count = changes.of('prompts');
  const added = count === 0 ? [] : [{ ...simple, name: `test_added_prompt_${count}` }];
  return [simple, ...others, ...added];
}

const user = (content) => ({ role: 'user', content });
const text = (words) => user({ type: 'text', text: words });

const simple = {
  name: 'test_simple_prompt',
  title: 'A prompt',
  description: 'A prompt without arguments',
  get: () => ({ messages: [text('This is a simple prompt for testing.')] }),
};

const others = [
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two arguments',
    arguments: [
      { name: 'arg1', description: 'The first one', required: true },
      { name: 'arg2', description: 'The second one', required: true },
    ],
    get: ({ arg1, arg2 }) => ({ messages: [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt that contains a resource',
    arguments: [{ name: 'resourceUri', description: 'Its URI', required: true }],
    get: ({ resourceUri: uri }) => ({
      messages: [
        user({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'The text of the resource.' } }),
        text('Please look at this resource.'),
      ],
    }),
  },
  {
    name: 'test_prompt_with_image',
    description: 'A prompt that contains a picture',
    get: () => ({
      messages: [user({ type: 'image', data: PICTURE, mimeType: 'image/png' }), text('Please look at this picture.')],
    }),
  },
  {
    name: 'test_input_required_result_prompt',
    description: 'A prompt that asks for something first',
    get: (_, { context: { mcpReq } }) => {
      const told = acceptedField(mcpReq, 'user_context', 'context');
      if (told !== undefined) return { messages: [text(`Use the following context: ${told}`)] };
      return inputRequired({
        inputRequests: { user_context: form('Which context is the prompt to use?', { context: { type: 'string' } }) },
      });
    },
  },
];

/** Values that begin as the argument does, so that each completion shows what was asked. */
export function completions({ argument }) {
  const values = ['alpha', 'beta', 'gamma'].map((end) => `${argument.value}${end}`);
  return { completion: { values, total: values.length, hasMore: false } };
}
