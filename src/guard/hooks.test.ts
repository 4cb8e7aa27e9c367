import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.js';
import { blocked, call, fine, go, openHooks, say, setting } from '../../test/hook-scene.js';
import type { HookCall } from '../model/hooks/hook-call.js';
import type { HookSubject } from './hook-list.js';
import type { HookFunctions } from './hook-functions.js';

/** A command that appends a word to its input. */
const append = (word: string): string =>
  `node -e 'const i=JSON.parse(require("fs").readFileSync(0)).tool_input;console.log(JSON.stringify({hookSpecificOutput:{updatedInput:{sql:i.sql+" ${word}"}}}))'`;

test('hooks are asked in order, each sees what the last one left, and a no is the last word', async () => {
  const { hooks, folder } = openHooks(
    [
      setting('PreToolUse', [append('one'), append('two')]),
      setting('PreToolUse', ['cat > seen.json; echo no >&2; exit 2', 'touch never']),
    ],
    { functions: { preToolUse: [{ run: ({ input }) => ({ input: { sql: `${String(input['sql'])} zero` } }) }] } },
  );
  expect(await hooks.preToolUse(call)).toEqual(blocked('no'));
  expect(JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'))).toMatchObject({
    tool_input: { sql: 'select 1 zero one two' },
  });
  expect(() => readFileSync(join(folder, 'never'))).toThrow('ENOENT');
});

test.for<[readonly ('allow' | 'ask' | 'deny')[], object]>([
  [['allow', 'ask'], go({ mustAsk: true, reason: 'ask' })],
  [['ask', 'allow'], go({ mustAsk: true, reason: 'ask' })],
  [['ask', 'allow', 'deny'], blocked('deny')],
  [['allow', 'allow'], go({ isAllowed: true, reason: 'allow' })],
])('of %j deny weighs most and allow least', async ([decisions, expected]) => {
  const preToolUse = decisions.map((decision) => ({ run: () => ({ decision, reason: decision }) }));
  expect(openHooks([], { functions: { preToolUse } }).hooks.preToolUse(call)).toEqual(expected);
});

test('functions that answer at once are asked without a promise, and what nobody changes stays the same object', () => {
  const functions: HookFunctions = {
    preToolUse: [{ run: () => undefined }, { matcher: 'mcp__db', run: () => ({ context: 'a' }) }],
    postToolUse: [{ run: () => undefined }],
  };
  const { hooks } = openHooks([], { functions });
  const verdict = hooks.preToolUse(call);
  expect(verdict).toEqual(go({ context: ['a'] }));
  expect((verdict as { input: unknown }).input).toBe(call.input);
  expect(hooks.postToolUse(call, fine, 1)).toBe(fine);
});

test('a function that throws, lies or never answers stops the call as a command does', async () => {
  const clock = new FakeClock();
  const lie = { decision: 'DENY' } as unknown as { decision: 'deny' };
  const other = { permissionDecision: 'deny' } as object;
  const cases: readonly [HookFunctions['preToolUse'], string][] = [
    [
      [
        {
          run: () => {
            throw new Error('boom');
          },
        },
      ],
      'the hook failed: boom',
    ],
    [[{ run: () => Promise.reject(new Error('later')) }], 'the hook failed: later'],
    [[{ run: () => lie }], 'the hook decides DENY, which has to be allow, deny or ask'],
    [[{ run: async () => lie }], 'the hook decides DENY, which has to be allow, deny or ask'],
    [[{ run: () => other }], 'the hook says permissionDecision inside its answer, where it means nothing'],
    [[{ run: () => [] as object }], 'the hook answers with a list'],
    [[{ run: () => new Promise(() => {}), timeoutMs: 500 }], 'the hook did not answer within 500 ms'],
  ];
  for (const [preToolUse, message] of cases) {
    const { hooks, problems } = openHooks([], { functions: { preToolUse: preToolUse! }, clock });
    const verdict = hooks.preToolUse(call);
    await clock.pass(600);
    expect(await verdict).toMatchObject(blocked(message));
    expect(problems).toHaveLength(1);
  }
});
test('a matcher that cannot be read stops calls and names itself, also that of a hook for results', async () => {
  const { hooks, problems } = openHooks([
    setting('PreToolUse', [say({ decision: 'approve' })], 'mcp__db__[a-'),
    setting('PreToolUse', [{ failOpen: true }], '(a)\\1'),
    setting('PostToolUse', ['exit 2'], '('),
    setting('SessionStart', ['exit 2'], '['),
  ]);
  expect(await hooks.preToolUse(call)).toMatchObject(
    blocked(
      'the hook cannot be used: its matcher is no regular expression that can be used here: it leaves a class open',
    ),
  );
  expect(await hooks.postToolUse(call, fine, 1)).toMatchObject({ outcome: 'error', error: { code: 'denied' } });
  expect(problems.map(({ message }) => message.replace(/.*: it /u, ''))).toEqual([
    'leaves a class open',
    'refers back to what it matched',
    'leaves a group open',
    'leaves a class open',
    'leaves a class open',
    'leaves a group open',
  ]);
  const [post] = [openHooks([setting('PostToolUse', ['true'], '(')])];
  expect(await post.hooks.preToolUse(call)).toMatchObject({ kind: 'block' });
});

async function askForUser(about: HookCall, decision: 'allow' | 'deny'): Promise<string> {
  const permissionRequest = [{ matcher: 'mcp__db', run: () => ({ decision, input: { sql: 'x' } }) }];
  const { hooks } = openHooks([], { functions: { permissionRequest } });
  return (await hooks.permissionRequest({ call: about, reason: 'mode', rule: undefined })).kind;
}

test('a yes in place of the user for a server is none for its accounts; a no is', async () => {
  const account = { ...call, name: 'mcp__db_work__query', server: 'db@work', accountOf: 'db' };
  expect([await askForUser(call, 'allow'), await askForUser(account, 'allow')]).toEqual(['allow', 'ask']);
  expect([await askForUser(call, 'deny'), await askForUser(account, 'deny')]).toEqual(['deny', 'deny']);
});

test('a call that is given up ends its hook, which has not failed', async () => {
  const { hooks, problems, folder } = openHooks([
    setting('PreToolUse', ['touch pre; sleep 600']),
    setting('PostToolUse', ['touch post; sleep 600']),
    setting('Elicitation', ['touch ask; sleep 600']),
  ]);
  const during = async <T>(file: string, start: (signal: AbortSignal) => T): Promise<Awaited<T>> => {
    const stop = new AbortController();
    const answer = start(stop.signal);
    await expect.poll(() => existsSync(join(folder, file))).toBe(true);
    stop.abort();
    return await answer;
  };
  expect(await during('pre', (signal) => hooks.preToolUse({ ...call, signal }))).toEqual({
    kind: 'block',
    reason: 'the call was given up',
  });
  const text = 'PostToolUse:mcp__db__query hook error: the hook was ended, because the call was given up';
  expect(await during('post', (signal) => hooks.postToolUse({ ...call, signal }, fine, 1))).toMatchObject({
    outcome: 'error',
    content: [{ type: 'text', text }],
  });
  const question = { server: 'db', mode: 'form', message: 'Sure?' } as const;
  expect(await during('ask', (signal) => hooks.elicit(question, signal))).toBeUndefined();
  expect(problems).toEqual([]);
});

test('64 calls at once have their hooks one after the other, and closing ends them all', async () => {
  const { hooks, runner } = openHooks([
    setting('PreToolUse', ['true'], 'quick'),
    setting('PreToolUse', ['sleep 600'], 'slow'),
  ]);
  const quick = Array.from({ length: 64 }, async () => hooks.preToolUse({ ...call, name: 'quick' }));
  expect(new Set((await Promise.all(quick)).map(({ kind }) => kind))).toEqual(new Set(['go']));
  const slow = Array.from({ length: 20 }, async () => hooks.preToolUse({ ...call, name: 'slow' }));
  await runner[Symbol.asyncDispose]();
  expect(new Set((await Promise.all(slow)).map(({ kind }) => kind))).toEqual(new Set(['block']));
});

test('hooks that there are not cost nothing and change nothing', () => {
  const { hooks } = openHooks([setting('PreToolUse', ['true'], 'Read')]);
  const [Read, Write] = ['Read', 'Write'].map((tool) => ({ name: tool, tool })) as [HookSubject, HookSubject];
  expect([hooks.matches('PreToolUse', Read), hooks.matches('PreToolUse', Write)]).toEqual([true, false]);
  expect(hooks.matches('PostToolUse', Read)).toBe(false);
  expect([hooks.preToolUse(call), hooks.postToolUse(call, fine, 1)]).toEqual([go(), fine]);
});
