import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { HostError } from '../../base/errors.js';
import { errorCodes } from '../../base/error-codes.js';
import { randomUUID } from '../../edge/random-hex.js';
import type { CallResult } from '../../host/host-options.js';
import type { ContentBlock } from '../../model/content/content-block.js';
import type { StoredItem } from '../journal.js';
import type { AssistantPart, ToolCallPart } from '../message.js';
import { SessionStore } from './session-store.js';
import { assistantItem, callPart, callResult, userItem } from './store-fixtures.js';

let state: string;
let failures: string[];
beforeEach(() => {
  state = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-sessions-')));
  failures = [];
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const ID = '11111111-1111-4111-8111-111111111111';

async function openStore(cwd = '/work'): Promise<SessionStore> {
  const store = new SessionStore({
    state,
    cwd,
    now: () => new Date('2026-11-18T12:00:00Z'),
    onFailure: (reason) => failures.push(reason),
  });
  await store.prepare();
  return store;
}

test('what was said comes back, with results that are kept as soon as they are there', async () => {
  const store = await openStore();
  const journal = store.create(ID);
  const [first, second] = [
    callResult('c1'),
    callResult('c2', { outcome: 'error', error: new HostError('denied', 'No', { hint: 'ask' }) }),
  ];
  const items = [
    userItem('the servers are …', 'host'),
    userItem('do it'),
    {
      ...assistantItem({ kind: 'text', text: 'I do' }, callPart('c1'), callPart('c2')),
      model: 'model-1',
    } as StoredItem,
  ];
  for (const item of items) journal.add(item);
  journal.result(second);
  journal.result(first);
  const results: StoredItem = { kind: 'results', id: randomUUID(), results: [first, second] };
  journal.add(results);
  journal.told({ servers: ['a'] });
  journal[Symbol.dispose]();
  const restored = store.read(ID);
  expect(restored).toEqual({
    id: ID,
    flow: [],
    cwd: '/work',
    created: '2026-11-18T12:00:00.000Z',
    title: 'do it',
    model: 'model-1',
    forkedFrom: undefined,
    items: [...items, results],
    told: { servers: ['a'] },
  });
  expect(store.list()).toMatchObject([{ id: ID, title: 'do it', messages: 2 }]);
});

test('the file is a transcript that only its owner reads, and holds no result twice', async () => {
  const store = await openStore();
  const journal = store.create(ID);
  journal.add(userItem('go'));
  journal.add(assistantItem(callPart('c1')));
  const only = callResult('c1', { content: [{ type: 'text', text: 'needle' }] });
  journal.result(only);
  journal.add({ kind: 'results', id: randomUUID(), results: [only] });
  const text = readFileSync(journal.path!, 'utf8');
  expect(text.split('needle')).toHaveLength(2);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const said = lines.filter(({ type }) => type === 'user' || type === 'assistant');
  expect(said.map(({ type }) => type)).toEqual(['user', 'assistant', 'user']);
  for (const line of said) {
    expect(line).toMatchObject({
      sessionId: ID,
      cwd: '/work',
      timestamp: '2026-11-18T12:00:00.000Z',
      uuid: /^[0-9a-f-]{36}$/,
    });
  }
  expect(said.map(({ parentUuid }) => parentUuid)).toEqual([null, said[0]!['uuid'], said[1]!['uuid']]);
  expect(said[1]).toMatchObject({
    message: { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'mcp__a__b' }] },
  });
  expect(statSync(journal.path!).mode & 0o777).toBe(0o600);
  expect(statSync(join(journal.path!, '..')).mode & 0o777).toBe(0o700);
  journal[Symbol.dispose]();
});

/** Every byte of a text that JSON can say, lone surrogates and separators of lines included. */
const anyText = fc.string({ unit: anyCharacter, maxLength: 12 }).map((text) => `${text}\ud800\u2028\n`);
/** Through JSON once, which has no -0: what comes from a model or a server has been through it. */
const anyJson = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 3 })
  .map((value): unknown => JSON.parse(JSON.stringify(value)));
const anyObject = fc.dictionary(anyText, anyJson, { maxKeys: 3 });
const anyExtra = fc.option(
  anyObject.map((extra) => ({ extra })),
  { nil: {} },
);
const anyBlock: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: anyText }),
  fc.record({ type: fc.constant('image' as const), data: anyText, mimeType: anyText }),
  fc.record({
    type: fc.constant('image' as const),
    data: anyText,
    mimeType: anyText,
    source: anyJson,
    _meta: anyObject,
  }),
  anyObject.map((rest) => ({ ...rest, type: 'image' }) as unknown as ContentBlock),
  anyObject.map((rest) => ({ ...rest, type: 'block' }) as unknown as ContentBlock),
  anyObject.map((rest) => ({ ...rest, type: 'resource' }) as unknown as ContentBlock),
);
const anyPart: fc.Arbitrary<AssistantPart> = fc
  .tuple(
    fc.oneof(
      fc.record({ kind: fc.constant('text' as const), text: anyText }),
      fc.record({ kind: fc.constant('reasoning' as const), text: anyText }),
      fc.record({ kind: fc.constant('provider-call' as const), id: anyText, name: anyText, input: anyJson }),
      fc.record({
        kind: fc.constant('provider-result' as const),
        id: anyText,
        name: anyText,
        result: anyJson,
        isError: fc.boolean(),
      }),
    ),
    anyExtra,
  )
  .map(([part, extra]): AssistantPart => ({ ...part, ...extra }));
const anyCall = fc
  .tuple(
    fc.record({ id: fc.uuid(), name: anyText, input: anyObject }),
    fc.option(anyText, { nil: undefined }),
    anyExtra,
  )
  .map(([fields, fault, extra]): AssistantPart => ({
    kind: 'call',
    ...fields,
    ...(fault !== undefined && { fault }),
    ...extra,
  }));
const anyOutcome = fc.constantFrom('ok' as const, 'error' as const, 'unknown' as const);
const anyError = fc
  .tuple(fc.constantFrom(...errorCodes), anyText, fc.option(anyText, { nil: undefined }))
  .map(([code, message, hint]) => new HostError(code, message, { hint }));
const anyResult = fc
  .record(
    {
      name: anyText,
      calledAs: anyText,
      server: fc.option(anyText, { nil: undefined }),
      tool: fc.option(anyText, { nil: undefined }),
      outcome: anyOutcome,
      content: fc.array(anyBlock, { maxLength: 3 }),
      saved: fc.array(fc.record({ path: anyText, bytes: fc.nat(), mimeType: anyText }), { maxLength: 2 }),
      notes: fc.array(anyText, { maxLength: 2 }),
      attempts: fc.nat(),
      ms: fc.nat(),
      structuredContent: anyJson,
      forUser: fc.array(anyBlock, { maxLength: 2 }),
      askedMs: fc.nat(),
      error: anyError,
    },
    { requiredKeys: ['name', 'calledAs', 'server', 'tool', 'outcome', 'content', 'saved', 'notes', 'attempts', 'ms'] },
  )
  .map((fields) => fields as Omit<CallResult, 'callId'>);
const anyUserItem = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('text' as const), text: anyText }),
        fc.record({ kind: fc.constant('image' as const), mimeType: anyText, data: anyText }),
      ),
      { maxLength: 3 },
    ),
    fc.record(
      {
        from: fc.constantFrom('user' as const, 'host' as const, 'summary' as const),
        model: anyText,
        files: fc.array(anyText, { maxLength: 2 }),
        task: anyText,
      },
      { requiredKeys: [] },
    ),
  )
  .map(([parts, about]): StoredItem[] => [
    { kind: 'message', id: randomUUID(), message: { role: 'user', parts }, ...about },
  ]);
const anyTurn = fc
  .tuple(fc.array(anyPart, { maxLength: 3 }), fc.array(fc.tuple(anyCall, anyResult), { maxLength: 3 }))
  .map(([parts, calls]): StoredItem[] => {
    const results = calls.map(([part, fields]) => ({ ...fields, callId: (part as ToolCallPart).id }));
    return [
      assistantItem(...parts, ...calls.map(([part]) => part)),
      ...(results.length > 0 ? [{ kind: 'results' as const, id: randomUUID(), results }] : []),
    ];
  });

test('every conversation comes back as it was, whole and as a copy', async () => {
  const store = await openStore();
  fc.assert(
    fc.property(
      fc.array(fc.oneof(anyUserItem, anyTurn), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      (turns, isRewritten) => {
        const items = turns.flat();
        const [id, copy] = [randomUUID(), randomUUID()];
        const journal = store.create(id);
        if (isRewritten) journal.rewrite(items, 'compact');
        else
          for (const item of items) {
            if (item.kind === 'results') for (const one of item.results.toReversed()) journal.result(one);
            journal.add(item);
          }
        journal[Symbol.dispose]();
        const restored = store.read(id);
        expect(restored.items).toEqual(items);
        store.create(copy, restored)[Symbol.dispose]();
        expect(store.read(copy)).toEqual({ ...restored, id: copy, forkedFrom: id });
      },
    ),
    { numRuns: 200 },
  );
  expect(failures).toEqual([]);
  expect(readdirSync(join(state, 'sessions')).length).toBe(1);
});
