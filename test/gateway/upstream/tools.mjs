import { setTimeout as pause } from 'node:timers/promises';
import { PICTURE, SOUND } from './offers.mjs';
import { askingTools } from './questions.mjs';

const none = { type: 'object', properties: {} };
const said = (text) => ({ content: [{ type: 'text', text }] });
/** Long enough for a message to be a part of the answer by itself, on its own chunk. */
const STEP_MS = 20;

/** Definitions for tools/list. */
export function toolsOf(world) {
  return all(world).map(({ run: _run, ...definition }) => definition);
}

export function toolNamed(world, wanted) {
  return all(world).find(({ name }) => name === wanted);
}

function all(world) {
  const changes = world.changes.of('tools');
  const added = changes === 0 ? [] : [{ ...contentTools[0], name: `test_added_tool_${changes}` }];
  return [...contentTools, ...askingTools, ...world.tasks.tools, ...added];
}

const give = (name, description, ...content) => ({ name, description, inputSchema: none, run: () => ({ content }) });
const picture = { type: 'image', data: PICTURE, mimeType: 'image/png' };

const contentTools = [
  // The suite calls whichever tool is listed first, and a gateway sorts.
  give('about', 'Says what this server is for', { type: 'text', text: 'It serves the official suite.' }),
  give('test_simple_text', 'Gives a text', { type: 'text', text: 'This is a simple text response for testing.' }),
  give('test_image_content', 'Gives a picture', picture),
  give('test_audio_content', 'Gives a sound', { type: 'audio', data: SOUND, mimeType: 'audio/wav' }),
  give('test_embedded_resource', 'Gives a resource', {
    type: 'resource',
    resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'The text of the resource.' },
  }),
  give(
    'test_multiple_content_types',
    'Gives a text, a picture and a resource',
    { type: 'text', text: 'Several kinds of content:' },
    picture,
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: '{"test":"data","value":123}',
      },
    },
  ),
  give('test_resource_link', 'Gives a link', {
    type: 'resource_link',
    uri: 'test://static-text',
    name: 'static-text',
    mimeType: 'text/plain',
    annotations: { priority: 1 },
  }),
  {
    name: 'test_structured_content',
    title: 'Structured',
    description: 'Gives structured content, with annotations and fields that nobody knows',
    inputSchema: { type: 'object', properties: { count: { type: 'integer' } } },
    outputSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    _meta: { 'example.com/kind': 'structured' },
    run: ({ count = 1 }) => ({
      content: [
        { type: 'text', text: `${count}`, annotations: { audience: ['assistant'] }, _meta: { 'example.com/a': 1 } },
      ],
      structuredContent: { count },
      _meta: { 'example.com/b': [1, { deep: true }] },
    }),
  },
  {
    name: 'test_error_handling',
    description: 'Fails',
    inputSchema: none,
    run: () => ({ content: [{ type: 'text', text: 'This tool always fails, on purpose.' }], isError: true }),
  },
  {
    name: 'test_tool_with_logging',
    description: 'Logs three messages',
    inputSchema: none,
    async run(_, { context: { mcpReq } }) {
      for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', words);
        await pause(STEP_MS);
      }
      return said('Three messages were logged');
    },
  },
  {
    name: 'test_logging_tool',
    description: 'Logs one message',
    inputSchema: none,
    async run(_, { context: { mcpReq } }) {
      await mcpReq.log('info', 'Sent only to whoever wants messages of this level');
      return said('One message was logged');
    },
  },
  {
    name: 'test_tool_with_progress',
    description: 'Tells its progress',
    inputSchema: none,
    async run(_, { context: { mcpReq } }) {
      const progressToken = mcpReq['_meta']?.progressToken;
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        const params = { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` };
        await mcpReq.notify({ method: 'notifications/progress', params });
        await pause(STEP_MS);
      }
      return said('Done');
    },
  },
  {
    name: 'test_reconnection',
    description: 'Breaks the stream of its own answer, where there is one, and answers later',
    inputSchema: none,
    async run(_, { context: { mcpReq }, transport }) {
      transport?.closeSSEStream(mcpReq.id);
      await pause(100);
      return said('Whoever reads this has come back');
    },
  },
  give('test_streaming_elicitation', 'Asks nothing', { type: 'text', text: 'Only a result' }),
  {
    name: 'test_x_mcp_header',
    description: 'Has a parameter that a header repeats',
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, level: { type: 'integer' } },
    },
    run: ({ region = '<none>' }) => said(`region=${region}`),
  },
  {
    name: 'json_schema_2020_12_tool',
    description: 'Has a schema with keywords of 2020-12',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: (input) => said(`Called with ${JSON.stringify(input)}`),
  },
  change('test_trigger_tool_change', 'tools'),
  change('test_trigger_prompt_change', 'prompts'),
  {
    name: 'test_touch_resource',
    description: 'Changes the resource test://watched-resource',
    inputSchema: none,
    async run(_, { world }) {
      await world.changes.change('watched');
      return said(`version ${world.changes.of('watched')}`);
    },
  },
];

/** The list is another one before anybody is told, so that whoever reads it then sees the change. */
function change(name, list) {
  const run = async (_, { world }) => {
    await world.changes.change(list);
    return said(`${list} have changed`);
  };
  return { name, description: `Changes the list of ${list}`, inputSchema: none, run };
}
