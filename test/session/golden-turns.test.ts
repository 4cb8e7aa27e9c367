import { describe, expect, test } from 'vitest';
import { InsideServer, say } from './golden/inside-server.js';
import { APIS } from './golden/script.js';
import { checkStory, openStory } from './golden/story.js';
import { NO } from '../calls/walk-scene.js';

// What a model reads while no server changes. The files are in golden/; UPDATE_GOLDEN=1 rewrites them.

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const READING = { readOnlyHint: true };
const NOTES = {
  instructions: 'Notes are numbered from 1.',
  tools: [
    {
      name: 'get',
      description: 'A note by its number',
      inputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
      annotations: READING,
    },
    {
      name: 'add',
      description: 'Adds a note',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    },
  ],
};

describe.each(APIS)('%s', (api) => {
  test('calls that read run together and those that write in order, and every answer stands behind what it answers', async () => {
    const story = await openStory(api, {
      inside: { notes: new InsideServer(NOTES) },
      entries: (scene) => ({ files: scene.journaling() }),
    });
    await story.say('What is in my first two notes?', [
      {
        say: 'I look.',
        uses: [
          ['mcp__notes__get', { number: 1 }],
          ['mcp__files__read', { key: 'two' }],
        ],
      },
      { say: 'Both are there.' },
    ]);
    await story.say('Add two more, and read the first.', [
      {
        uses: [
          ['mcp__notes__add', { text: 'three' }],
          ['mcp__files__append', { key: 'four' }],
          ['mcp__notes__get', { number: 1 }],
        ],
      },
      { uses: [['mcp__notes__get', { number: 'one' }]] },
      { say: 'Done.' },
    ]);
    await story.say('Thanks.', [{ say: 'You are welcome.' }]);
    expect(story.api.requests.length).toBe(6);
    checkStory(story, `${api}-turns`);
  });

  test('what is mentioned stands before the words that mention it', async () => {
    const resources = [
      { uri: 'note://1', name: 'the first', mimeType: 'text/plain', text: 'Buy milk.\nAnd bread.' },
      { uri: 'note://2', name: 'the second', mimeType: 'text/plain', text: '' },
    ];
    const story = await openStory(api, { inside: { notes: new InsideServer({ tools: [], resources }) } });
    await story.say('What do @notes:note://1 and @notes:note://2 say, and @notes:note://3?', [{ say: 'Milk, bread.' }]);
    await story.say('And who is @nobody?', [{ say: 'Nobody.' }]);
    checkStory(story, `${api}-mention`);
  });

  test('a prompt of a server keeps its roles, and nothing in it is looked up', async () => {
    const messages = [
      { role: 'user', content: say('How do I write a note about @notes:note://1?') },
      { role: 'assistant', content: say('With the tool add.') },
      { role: 'user', content: say('Then add: milk') },
      { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
    ];
    const prompts = [{ name: 'teach', arguments: [{ name: 'what', required: true }], messages }];
    const story = await openStory(api, { inside: { notes: new InsideServer({ ...NOTES, prompts }) } });
    await story.say('/mcp__notes__teach milk', [{ uses: [['mcp__notes__add', { text: 'milk' }]] }, { say: 'Added.' }]);
    await story.say('/mcp__notes__teach', []);
    await story.say('Thanks.', [{ say: 'You are welcome.' }]);
    checkStory(story, `${api}-prompt`);
  });

  test('an image of a result is shown where the API takes it', async () => {
    const draw = {
      name: 'draw',
      run: () => [say('One pixel:'), { type: 'image', data: PNG, mimeType: 'image/png' }],
    };
    const story = await openStory(api, { inside: { pens: new InsideServer({ tools: [draw, ...NOTES.tools] }) } });
    await story.say('Draw.', [{ uses: [['mcp__pens__draw'], ['mcp__pens__get', { number: 1 }]] }, { say: 'A dot.' }]);
    await story.say('Again.', [{ uses: [['mcp__pens__draw']] }, { say: 'Another dot.' }]);
    checkStory(story, `${api}-image`);
  });

  test('a result that is too large is in a file, and the model is told where and reads on', async () => {
    const text = Array.from({ length: 1_000 }, (_, line) => `${line} ${'x'.repeat(300)}`).join('\n');
    const story = await openStory(api, {
      inside: { logs: new InsideServer({ tools: [{ name: 'tail', run: () => [say(text)] }] }) },
    });
    await story.say('What do the logs say?', [{ uses: [['mcp__logs__tail']] }, { say: 'A lot.' }]);
    const path = /[^\s"\\]*\/results\/[^\s"\\]*/u.exec(story.api.received.at(-1)!.text)?.[0] ?? '';
    await story.say('And in line 700?', [{ uses: [['Read', { path, offset: 700, limit: 1 }]] }, { say: 'Many x.' }]);
    checkStory(story, `${api}-large`);
  });

  test('a call that fails, or is denied by the user, says so, and the rest goes on', async () => {
    const fail = { name: 'fail', run: () => ({ isError: true, content: [say('out of paper')] }) };
    const story = await openStory(api, {
      inside: { notes: new InsideServer({ tools: [...NOTES.tools, { name: 'drop' }, fail] }) },
      permissions: { mode: 'default', allow: ['mcp__notes__get', 'mcp__notes__fail'], deny: ['mcp__notes__hidden'] },
      ports: { ask: async ({ tool }) => (tool === 'drop' ? { ...NO, reason: 'I need them' } : NO) },
    });
    await story.say('Clean up.', [
      {
        uses: [
          ['mcp__notes__get', { number: 1 }],
          ['mcp__notes__drop'],
          ['mcp__notes__add', { text: 'x' }],
          ['mcp__notes__fail'],
        ],
      },
      { say: 'You said no.' },
    ]);
    await story.say('Well.', [{ say: 'Well.' }]);
    checkStory(story, `${api}-denied`);
  });

  test('thoughts go back as they came, signed where the API signs them', async () => {
    const story = await openStory(api, { inside: { notes: new InsideServer(NOTES) } });
    await story.say('Think.', [
      { think: 'Perhaps note 1?', say: 'Let me see.', uses: [['mcp__notes__get', { number: 1 }]] },
      { think: 'That is it.', say: 'Note 1.' },
    ]);
    await story.say('More.', [{ say: 'No.' }]);
    checkStory(story, `${api}-reasoning`);
  });

  test('a sub-agent reads its own task and nothing else, and what it says in the end is the result', async () => {
    const story = await openStory(api, {
      inside: { notes: new InsideServer(NOTES) },
      agents: [
        {
          name: 'reader',
          description: 'reads notes',
          prompt: 'You read, and add nothing.',
          tools: ['mcp__notes__get'],
        },
      ],
    });
    const tasks = [
      ['Agent', { description: 'read one', prompt: 'Read note 1', agent: 'reader' }],
      ['Agent', { description: 'read two', prompt: 'Add note 2' }],
    ] as const;
    await story.say('Ask others.', [
      { to: 'Ask others', uses: tasks },
      { to: 'Read note 1"', uses: [['mcp__notes__get', { number: 1 }]] },
      { to: 'Add note 2"', uses: [['mcp__notes__add', { text: 'two' }]] },
      { to: 'get {', say: 'Milk.' },
      { to: 'add {', say: 'Added.' },
      { say: 'Milk, and added.' },
    ]);
    await story.say('Thanks.', [{ say: 'You are welcome.' }]);
    checkStory(story, `${api}-agent`);
  });
});

test('what the provider of the model runs itself goes back as it came', async () => {
  const providerTools = [{ type: 'web_search_20250305', name: 'web_search' }];
  const story = await openStory('anthropic', { inside: { notes: new InsideServer(NOTES) }, providerTools });
  const hit = { type: 'web_search_result', title: 'Milk', url: 'https://example.com/', encrypted_content: 'x' };
  const blocks = [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'milk' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [hit] },
  ];
  await story.say('Search.', [{ blocks, stop: 'pause_turn' }, { say: 'Milk is white.' }]);
  await story.say('Thanks.', [{ say: 'You are welcome.' }]);
  checkStory(story, 'anthropic-provider-tool');
});
