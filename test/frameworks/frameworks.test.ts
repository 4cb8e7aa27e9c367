import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openaiDialect, type OpenaiTurn } from '../fixtures/openai-dialect.js';
import { type Dialect, openScriptedApi } from '../fixtures/scripted-api.js';
import { type Framework, openFramework, openRootFramework } from './framework.js';

// Frameworks are large: AI SDK 6 is among the development dependencies, the others are installed for the long tests.
const FULL = process.env['PLUGBOARD_FULL'] !== undefined;

const ALL_NAMES = ['fail', 'key', 'look-up', 'look_up', 'picture', 'send', 'wait'].map((name) => `mcp__desk__${name}`);
const LOOKED_UP = 'bee means something\n{"word":"bee"}';
const NOT_ASKED =
  'mcp__desk__send is not called: mode default asks about a tool that no rule allows, and nobody can be asked';
const SENT = ['send {"to":"Ann"}'];
const LEAK = 'send {"to":"AKIAIOSFODNN7EXAMPLE"}';
const CANCELLED = ['wait {}', 'cancelled wait'];
const UNFIT = expect.stringContaining('The input of mcp__desk__look-up does not fit') as unknown;
const DENIED = expect.stringContaining('mcp__desk__send is not called: rule "mcp__desk__send" in deny') as unknown;
/** Told before the second request, at one place in all later ones. */
const NEWS_AT_3 = [[], [[3, true]], [[3, true]]];
const PIXEL_START = 'iVBORw0KGgo';

test('AI SDK 6 gets tools, approvals, errors, images and news of a host', async () => {
  using framework = openRootFramework();
  checkAiSdk(await framework.check('ai-sdk'), 6);
});

test.runIf(FULL)('AI SDK 7 gets the same, on Node 22', async () => {
  using framework = await openFramework('ai-7');
  checkAiSdk(await framework.check('ai-sdk', node22(framework)), 7);
});

function checkAiSdk(checks: Readonly<Record<string, unknown>>, version: 6 | 7): void {
  const sent = [{ type: 'text', value: 'sent to Ann' }];
  const image =
    version === 6 ? { type: 'image-data', mediaType: 'image/png' } : { type: 'file-data', mediaType: 'image/png' };
  expect(checks).toEqual({
    version,
    text: {
      text: 'done',
      read: [{ type: 'text', value: LOOKED_UP }],
      output: { outcome: 'ok', structuredContent: { word: 'bee' }, server: 'desk', tool: 'look-up' },
      dynamic: true,
      journal: ['look-up {"word":"bee"}'],
    },
    system: true,
    names: ALL_NAMES,
    image: [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a dot' },
          { ...image, data: expect.stringContaining(PIXEL_START) as unknown },
        ],
      },
    ],
    error: [{ type: 'error-text', value: 'the drawer is stuck' }],
    'wrong input': { read: [{ type: 'error-text', value: UNFIT }], journal: [] },
    streamed: { text: 'done', read: [{ type: 'text', value: 'cow means something\n{"word":"cow"}' }] },
    cancelled: { thrown: 'AbortError', journal: CANCELLED },
    'no approval, nobody asked': {
      text: 'done',
      read: [{ type: 'execution-denied', reason: NOT_ASKED }],
      journal: [],
    },
    approved: { requests: 1, text: 'done', read: sent, journal: SENT },
    'approved in another process': { requests: 1, text: 'done', read: sent, journal: SENT },
    'approved through call-by-name': { requests: 1, text: 'done', read: sent, journal: SENT },
    rejected: { requests: 1, text: 'done', read: [{ type: 'execution-denied' }], journal: [] },
    'approved against a rule that denies': {
      got: [{ type: 'execution-denied', reason: DENIED }],
      text: 'done',
      journal: [],
    },
    'approved for another tool': { outcomes: ['error', 'error', 'ok'], journal: SENT },
    'asked again for the next call': { requests: 1, journal: SENT },
    'a secret leaves, though a rule allows the tool': { requests: ['mcp__desk__send'], journal: ['key {}', LEAK] },
    'the ask port answers first': { asked: ['send'], read: sent, journal: SENT },
    news: [[], [[4, true]], [[4, true]], [[4, true]]],
  });
}

test.runIf(FULL)('LangChain gets tools, approvals, errors, images and news of a host', async () => {
  using framework = await openFramework('langchain');
  const dot = [
    { type: 'text', text: 'a dot' },
    { type: 'image_url', image_url: { url: dataUrl() } },
  ];
  expect(await framework.check('langchain')).toEqual({
    text: { text: 'done', system: true, read: [success(LOOKED_UP)], journal: ['look-up {"word":"bee"}'] },
    names: ALL_NAMES,
    artifact: {
      content: LOOKED_UP,
      outcome: 'ok',
      structuredContent: { word: 'bee' },
      server: 'desk',
      alone: 'cow means something\n{"word":"cow"}',
    },
    image: [success(dot)],
    error: [failure('the drawer is stuck')],
    'wrong input': { read: [failure(UNFIT)], journal: [] },
    'a pattern that would stall': { read: ['error'], journal: [] },
    cancelled: { isThrown: true, journal: CANCELLED },
    'no approval, nobody asked': { read: [failure(expect.stringContaining(NOT_ASKED))], journal: [] },
    approved: { requests: 1, text: 'done', read: [success('sent to Ann')], journal: SENT },
    'approved in another process': { requests: 1, text: 'done', read: [success('sent to Ann')], journal: SENT },
    rejected: {
      requests: 1,
      text: 'done',
      read: [{ content: expect.stringContaining('User rejected') as unknown, status: 'error' }],
      journal: [],
    },
    'approved against a rule that denies': { requests: 1, text: 'done', read: [failure(DENIED)], journal: [] },
    'asked again for the next call': { requests: 1, journal: SENT },
    'a rule allows, nobody is asked': { requests: 0, journal: SENT },
    news: NEWS_AT_3,
  });
});

test.runIf(FULL)('the OpenAI Agents SDK gets tools, approvals, errors, images and news of a host', async () => {
  using framework = await openFramework('openai-agents');
  const names = ['fail', 'key', 'look_up', 'look_up_2', 'picture', 'send', 'wait'].map((name) => `mcp__desk__${name}`);
  const each = expect.stringMatching(/nobody can be asked.*Approve each call by itself/) as unknown;
  expect(await framework.check('openai-agents')).toEqual({
    text: { text: 'done', system: true, read: [LOOKED_UP], journal: ['look-up {"word":"bee"}'] },
    names: { names, read: ['the other one'], journal: ['look_up {}'] },
    image: [
      [
        { type: 'input_text', text: 'a dot' },
        { type: 'input_image', image: dataUrl() },
      ],
    ],
    error: ['Error: the drawer is stuck'],
    'wrong input': { read: [UNFIT], journal: [] },
    cancelled: { isThrown: true, journal: CANCELLED },
    'no approval, nobody asked': { result: expect.stringContaining(`Error: ${NOT_ASKED}`) as unknown, journal: [] },
    approved: { requests: 1, text: 'done', read: ['sent to Ann'], journal: SENT },
    'approved in another process': { requests: 1, text: 'done', read: ['sent to Ann'], journal: SENT },
    rejected: { requests: 1, text: 'done', read: ['Tool execution was not approved.'], journal: [] },
    'approved for ever': { requests: 1, text: 'done', read: [each], journal: [] },
    'approved against a rule that denies': { requests: 1, text: 'done', read: [DENIED], journal: [] },
    'asked again for the next call': { requests: 1, journal: SENT },
    news: NEWS_AT_3,
  });
});

const typed = [
  ['ai-7', 'ai-sdk-7.types.ts'],
  ['langchain', 'langchain.types.ts'],
  ['openai-agents', 'openai-agents.types.ts'],
] as const;

test.runIf(FULL).each(typed)(
  '%s: what a user writes compiles without a cast, and so does our adapter',
  async (name, program) => {
    using framework = await openFramework(name);
    expect(await framework.typeErrors({ program, resolution: 'nodenext' })).toBe('');
    expect(await framework.typeErrors({ program, resolution: 'bundler' })).toBe('');
  },
);

/** The requests are the frameworks' own: none is refused. Each response has an id, by which LangChain keeps messages. */
const anyRequest: Dialect<OpenaiTurn> = {
  ...openaiDialect,
  refusals: () => [],
  write: (turn, body) => {
    const { type, text } = openaiDialect.write(turn, body);
    return { type, text: text.replaceAll('"id":"chatcmpl-', `"id":"chatcmpl-${script.indexOf(turn)}`) };
  },
};

const script: readonly OpenaiTurn[] = [
  { calls: [{ id: 'call_1', name: 'mcp__desk__send', arguments: '{"to":"Ann"}' }] },
  { content: 'The letter is sent.' },
];

test('the example for AI SDK 6 makes a call and prints the answer', async () => {
  using framework = openRootFramework();
  await checkExample(framework, 'ai-sdk');
});

const examples = [
  ['ai-7', 'ai-sdk'],
  ['ai-7', 'mastra'],
  ['langchain', 'langchain'],
  ['openai-agents', 'openai-agents'],
] as const;

test.runIf(FULL).each(examples)('%s: the example %s makes a call and prints the answer', async (name, example) => {
  using framework = await openFramework(name);
  await checkExample(framework, example, name === 'ai-7' ? node22(framework) : undefined);
});

async function checkExample(framework: Framework, example: string, node?: string): Promise<void> {
  await using api = await openScriptedApi(anyRequest, (turn) => script[turn - 1]);
  const { stdout, journal } = await framework.runExample({ example, url: `${api.url}/v1`, node });
  expect({ stdout, journal, refused: api.refused }).toEqual({
    stdout: 'The letter is sent.\n',
    journal: SENT,
    refused: [],
  });
}

function node22({ folder }: Framework): string {
  const name = `node-${process.platform === 'darwin' && process.arch === 'arm64' ? 'bin-' : ''}${process.platform}-${process.arch}`;
  return join(folder, 'node_modules', name, 'bin/node');
}

function dataUrl(): unknown {
  return expect.stringContaining(`data:image/png;base64,${PIXEL_START}`) as unknown;
}

function success(content: unknown): object {
  return { content, status: 'success', outcome: 'ok' };
}

function failure(content: unknown): object {
  return { content, status: 'error', outcome: 'error' };
}
