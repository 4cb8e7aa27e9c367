import { expect, test } from 'vitest';
import { LEGACY_VERSIONS } from '../../wire/eras/legacy-versions.js';
import { negotiateRevision } from './revisions.js';
import { toRevision } from './to-revision.js';
import { toRevisionCapabilities } from './to-revision-capabilities.js';
import { toRevisionError } from './to-revision-error.js';

const INFO = 'io.modelcontextprotocol/serverInfo';
const text = { type: 'text', text: 'x' };

test('what a server of 2025 sends goes to a client of 2025 as the same object', () => {
  const results = [
    ['tools/call', { content: [text], structuredContent: { a: 1 }, isError: true, _meta: { own: 1 } }],
    ['tools/list', { tools: [{ name: 'a', outputSchema: { type: 'object' } }, { name: 'b' }], nextCursor: 'c' }],
    ['prompts/get', { messages: [{ role: 'user', content: text }] }],
    ['resources/read', { contents: [{ uri: 'a://b', text: 'x' }] }],
    ['completion/complete', { completion: { values: [] } }],
  ] as const;
  for (const [method, result] of results) {
    for (const revision of LEGACY_VERSIONS) expect(toRevision(method, result, revision)).toBe(result);
    expect(toRevision(method, result, '2026-07-28')).toEqual({ resultType: 'complete', ...result });
  }
});

test('a modern client is told that a result is complete, where it does not say something else', () => {
  const asked = { resultType: 'input_required', inputRequests: {} };
  expect(toRevision('tools/call', asked, '2026-07-28')).toBe(asked);
  const odd = { content: [{ type: 'audio' }], structuredContent: [1], ttlMs: 1, _meta: { [INFO]: {} } };
  expect(toRevision('tools/call', odd, '2026-07-28')).toEqual({ resultType: 'complete', ...odd });
});

test.each(LEGACY_VERSIONS)('a client of %s sees nothing that 2026-07-28 has added to results', (revision) => {
  const added = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' };
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'])
    expect(toRevision(method, { ...added, items: [], _meta: { [INFO]: {} } }, revision)).toEqual({ items: [] });
  expect(toRevision('tools/call', { ...added, content: [], _meta: { [INFO]: {}, own: 1 } }, revision)).toEqual({
    content: [],
    _meta: { own: 1 },
  });
  expect(toRevision('tools/call', { content: [], _meta: { [INFO]: {} } }, revision)).toEqual({ content: [] });
  expect(toRevision('tools/call', { ...added, content: [], _meta: {} }, revision)).toEqual({ content: [], _meta: {} });
});

test.each([[[1, 2]], ['x'], [7], [false], [null]])(
  'the structured content %j comes to a legacy client in an object',
  (value) => {
    const result = { content: [text], structuredContent: value };
    for (const method of ['tools/call', 'tasks/result'])
      expect(toRevision(method, result, '2025-11-25')).toEqual({ content: [text], structuredContent: { value } });
    expect(result.structuredContent).toBe(value);
  },
);

test('a tool that returns no object says so to a legacy client, and other tools are the same objects', () => {
  const tools = [
    { name: 'a', outputSchema: { type: 'object' } },
    {
      name: 'b',
      title: 'B',
      outputSchema: { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: {} } },
      _meta: {},
    },
  ];
  const old = toRevision('tools/list', { tools, nextCursor: 'c' }, '2025-06-18');
  expect(old).toEqual({
    tools: [
      tools[0],
      {
        ...tools[1],
        outputSchema: {
          type: 'object',
          required: ['value'],
          properties: { value: { type: 'array', items: { $ref: '#/properties/value/$defs/n' }, $defs: { n: {} } } },
        },
      },
    ],
    nextCursor: 'c',
  });
  expect((old['tools'] as unknown[])[0]).toBe(tools[0]);
});

const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav', annotations: { priority: 1 }, _meta: { a: 1 } };
const link = { type: 'resource_link', uri: 'a://b', name: 'report', description: 'd', annotations: { priority: 1 } };
const oldAudio = (number: number) => ({
  type: 'resource',
  resource: { uri: `plugboard:audio/${number}`, mimeType: 'audio/wav', blob: 'AAAA' },
  annotations: { priority: 1 },
  _meta: { a: 1 },
});
const oldLink = { type: 'text', text: 'report: a://b', annotations: { priority: 1 } };

test.each([
  ['2024-10-07', [text, oldAudio(2), oldLink]],
  ['2024-11-05', [text, oldAudio(2), oldLink]],
  ['2025-03-26', [text, audio, oldLink]],
  ['2025-06-18', [text, audio, link]],
  ['2025-11-25', [text, audio, link]],
])('a client of %s gets content that it knows', (revision, content) => {
  expect(toRevision('tools/call', { content: [text, audio, link] }, revision)).toEqual({ content });
  const messages = [text, audio, link].map((block) => ({ role: 'user', content: block }));
  expect(toRevision('prompts/get', { messages, description: 'd' }, revision)).toEqual({
    messages: content.map((block) => ({ role: 'user', content: block })),
    description: 'd',
  });
});

test('content that makes no sense goes through as it came', () => {
  for (const content of ['x', [null, 7, 'x', {}], [{ type: 'resource_link' }]]) {
    const old = toRevision('tools/call', { content }, '2024-11-05');
    expect(JSON.stringify(old)).toBe(JSON.stringify({ content }).replace('"resource_link"', '"text","text":""'));
  }
  for (const method of ['tools/list', 'prompts/get']) {
    const result = { tools: [null, 7, { outputSchema: 7 }], messages: 'x' };
    expect(toRevision(method, result, '2024-11-05')).toBe(result);
  }
});

test('a client of 2025-11-25 gets a task in the words of that revision', () => {
  const task = { taskId: 't', status: 'working', createdAt: 'c', lastUpdatedAt: 'u' };
  const modern = { ...task, ttlMs: 1000, pollIntervalMs: 500 };
  const old = { ...task, ttl: 1000, pollInterval: 500 };
  expect(toRevision('tools/call', { resultType: 'task', ...modern }, '2025-11-25')).toEqual({ task: old });
  expect(toRevision('tasks/get', { ...modern, result: {} }, '2025-11-25')).toEqual(old);
  expect(toRevision('tasks/get', { resultType: 'complete', ...task, ttlMs: null }, '2025-11-25')).toEqual({
    ...task,
    ttl: null,
  });
  expect(toRevision('tasks/cancel', { resultType: 'complete', ...old }, '2025-11-25')).toEqual(old);
  expect(toRevision('tasks/get', old, '2025-11-25')).toBe(old);
});

test.each([
  ['2024-10-07', '2024-10-07'],
  ['2025-03-26', '2025-03-26'],
  ['2025-11-25', '2025-11-25'],
  ['2026-07-28', '2025-11-25'],
  ['2030-01-01', '2025-11-25'],
  ['', '2025-11-25'],
  [undefined, '2025-11-25'],
  [20251125, '2025-11-25'],
])('a client that offers %j speaks %s', (offered, revision) => expect(negotiateRevision(offered)).toBe(revision));

const extensions = { 'io.modelcontextprotocol/tasks': {}, 'io.modelcontextprotocol/ui': { mimeTypes: [] } };
const ui = { 'io.modelcontextprotocol/ui': { mimeTypes: [] } };
const union = {
  tools: { listChanged: true },
  resources: { subscribe: true },
  logging: {},
  completions: {},
  experimental: { own: {} },
};

test.each([
  ['2024-11-05', { extensions: ui, completions: undefined }],
  ['2025-03-26', { extensions: ui }],
  ['2025-06-18', { extensions: ui }],
  ['2025-11-25', { extensions: ui, tasks: { cancel: {}, requests: {} } }],
  ['2026-07-28', { extensions }],
])('a client of %s is told of the capabilities that it knows', (revision, own) => {
  const tasks = { list: {}, cancel: {}, requests: {} };
  const told = toRevisionCapabilities({ ...union, extensions, tasks }, revision);
  expect(JSON.parse(JSON.stringify(told))).toEqual(JSON.parse(JSON.stringify({ ...union, ...own })));
});

test('no capability is told that is not there', () => {
  for (const revision of [...LEGACY_VERSIONS, '2026-07-28']) expect(toRevisionCapabilities({}, revision)).toEqual({});
  const tasksAlone = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  expect(toRevisionCapabilities(tasksAlone, '2025-11-25')).toEqual({});
});

test.each([
  ['resources/read', -32602, { uri: 'a://b' }, '2025-11-25', -32002],
  ['resources/read', -32602, undefined, '2024-11-05', -32002],
  ['resources/read', -32602, { reason: 'used' }, '2025-11-25', -32602],
  ['resources/read', -32602, undefined, '2026-07-28', -32602],
  ['resources/read', -32002, undefined, '2026-07-28', -32602],
  ['resources/read', -32002, undefined, '2025-11-25', -32002],
  ['tools/call', -32602, undefined, '2025-11-25', -32602],
  ['tools/call', -32002, undefined, '2026-07-28', -32002],
  ['tools/call', -32000, { a: 1 }, '2025-11-25', -32000],
  ['tools/call', -32042, { elicitations: [] }, '2025-11-25', -32042],
  ['tools/call', -32020, undefined, '2025-11-25', -32603],
  ['tools/call', -32022, undefined, '2025-11-25', -32603],
  ['tools/call', -32021, undefined, '2026-07-28', -32021],
])('the error of %s with %i and %j is for a client of %s %i', (method, code, data, revision, expected) => {
  const error = { code, message: 'm', ...(data && { data }) };
  const told = toRevisionError({ method, error, revision });
  expect(told).toEqual({ ...error, code: expected });
  expect(told === error).toBe(expected === code);
});

const tell = (data: unknown) =>
  toRevisionError({ method: 'tools/call', error: { code: -32021, message: 'm', data }, revision: '2025-06-18' });

test('a legacy client is told which capability it lacks', () => {
  expect(tell({ requiredCapabilities: { elicitation: { url: {} }, roots: {} } })).toMatchObject({
    code: -32603,
    message: 'Your client lacks what this request needs: elicitation (url), roots',
  });
  expect(tell(undefined).message).toBe('Your client lacks a capability that this request needs');
  expect(tell({ requiredCapabilities: { ['x'.repeat(9_000)]: {} } }).message.length).toBeLessThan(300);
});
