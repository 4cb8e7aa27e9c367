import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  blocked,
  call,
  type Command,
  fine,
  go,
  NAME,
  openHooks,
  say,
  setting,
  specific,
} from '../../test/hook-scene.js';
import { HostError } from '../base/errors.js';
import type { ToolResult } from '../model/tool.js';

test.for<[string, Command, object]>([
  ['says nothing', 'true', go()],
  ['prints what is no JSON', 'echo checked; echo "[info] fine"', go()],
  ['reads nothing of its input', 'exec 0<&-; echo fine', go()],
  [
    'allows',
    say(specific({ permissionDecision: 'allow', permissionDecisionReason: 'ok' })),
    go({ isAllowed: true, reason: 'ok' }),
  ],
  ['allows in the older words', say({ decision: 'approve' }), go({ isAllowed: true })],
  ['wants a person', say(specific({ permissionDecision: 'ask' })), go({ mustAsk: true })],
  [
    'denies',
    say(specific({ permissionDecision: 'deny', permissionDecisionReason: 'not on Fridays' })),
    blocked('not on Fridays'),
  ],
  ['denies without a reason', say({ decision: 'block' }), blocked('it gave no reason')],
  [
    'puts the call off',
    say(specific({ permissionDecision: 'defer' })),
    blocked('it puts the call off, and Plugboard cannot'),
  ],
  ['stops all', say({ continue: false, stopReason: 'enough' }), blocked('enough')],
  ['exits with 2', 'echo "drop is \\033[31mforbidden" >&2; exit 2', blocked('drop is forbidden')],
  ['changes the input', say(specific({ updatedInput: { sql: 'select 2' } })), go({ input: { sql: 'select 2' } })],
  [
    'adds context',
    say(specific({ additionalContext: 'read-only replica\u202e' })),
    go({ context: ['read-only replica'] }),
  ],
])('a command that %s is heard', async ([, command, expected]) => {
  const { hooks, problems } = openHooks([setting('PreToolUse', [command])]);
  expect(await hooks.preToolUse(call)).toEqual(expected);
  expect(problems).toEqual([]);
});

test.for<[string, Command, string]>([
  ['exits with 1', 'echo "no such rule" >&2; exit 1', 'the hook exited with code 1: no such rule'],
  ['is not there', 'plugboard-no-such-command 2>/dev/null', 'the hook exited with code 127'],
  ['is killed', 'kill -9 $$', 'the hook was ended by SIGKILL'],
  ['prints 10 MB', 'head -c 10000000 /dev/zero; sleep 600', 'the hook printed more than 1048576 bytes and was ended'],
  ['prints a list', `printf '[1]'`, 'the hook answers with a list, which has to be an object'],
  ['prints what begins like a list', 'echo "[info] fine"', 'the hook printed JSON that cannot be parsed'],
  ['prints a text as JSON', `printf '"deny"'`, 'the hook answers with "deny", which has to be an object'],
  ['misspells a field', say({ decison: 'block' }), 'the hook answers with the field "decison", which there is not'],
  ['misspells a field of the event', say(specific({ permisionDecision: 'deny' })), 'the hook says permisionDecision'],
  ['answers later', say({ async: true }), 'the hook answers later (async), and its decision is needed now'],
  ['prints half of an answer', `printf '{"decision":'`, 'the hook printed JSON that cannot be parsed'],
  [
    'prints something before its answer',
    `echo loaded; ${say(specific({ permissionDecision: 'deny' }))}`,
    'the hook printed something else around its JSON',
  ],
  [
    'decides beside the place for it',
    say({ permissionDecision: 'deny' }),
    'the hook says permissionDecision outside hookSpecificOutput',
  ],
  ['decides in the older words inside it', say(specific({ decision: 'block' })), 'the hook says decision inside'],
  [
    'decides what there is not',
    say(specific({ permissionDecision: 'DENY' })),
    'the hook says "DENY" for permissionDecision, which has to be allow, deny, ask, defer',
  ],
  [
    'lies about a type',
    say(specific({ updatedInput: ['x'] })),
    'the hook says a list for updatedInput, which has to be an object',
  ],
  [
    'answers to another event',
    say(specific({}, 'PostToolUse')),
    'the hook answers to "PostToolUse" and was asked about PreToolUse',
  ],
  ['has no end in time', { command: 'sleep 600', timeout: 0.2 }, 'the hook did not answer within 0.2 s and was ended'],
  ['cannot even be started', { command: 'true\0' }, 'the hook could not be started: '],
])('a command that %s has failed, and the call is stopped unless it may pass', async ([, command, message]) => {
  const given = typeof command === 'string' ? { command } : command;
  const { hooks, problems } = openHooks([
    setting('PreToolUse', [given], 'mcp__db__*'),
    setting('PreToolUse', [{ ...given, failOpen: true }], 'open'),
  ]);
  const verdict = await hooks.preToolUse(call);
  expect(verdict).toMatchObject({ kind: 'block', reason: expect.stringContaining(message) });
  expect(verdict).toMatchObject({ reason: expect.stringContaining(`PreToolUse:${NAME} hook error: the hook `) });
  expect(await hooks.preToolUse({ ...call, name: 'open', server: undefined, tool: 'open' })).toEqual(go());
  expect(problems).toHaveLength(2);
  expect(problems[0]).toMatchObject({ event: 'PreToolUse', hook: expect.stringContaining('(config.json:7)') });
});

test('an answer that nests without end has failed', async () => {
  const deep = `printf '{"a":'; head -c 100000 /dev/zero | tr '\\0' '['; head -c 100000 /dev/zero | tr '\\0' ']'; printf '}'`;
  const { hooks } = openHooks([setting('PreToolUse', [deep])]);
  expect(await hooks.preToolUse(call)).toMatchObject(blocked('the hook nests its answer more than 512 deep'));
});

test('a command reads what the call is about, and is told where it is', async () => {
  const { hooks, folder } = openHooks(
    [
      setting('PreToolUse', ['cat > pre.json; echo "$PLUGBOARD_PROJECT_DIR $CLAUDE_PROJECT_DIR $FOLDER" > env']),
      setting('PostToolUse', ['cat > post.json']),
      setting('Elicitation', ['cat > ask.json']),
    ],
    { session: () => ({ id: 'session-1' }) },
  );
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  await hooks.preToolUse(call);
  const about = { session_id: 'session-1', cwd: folder };
  const tool = {
    ...about,
    permission_mode: 'default',
    tool_name: NAME,
    tool_input: { sql: 'select 1' },
    tool_use_id: 'toolu_1',
    mcp_server: { name: 'db', source: 'project' },
  };
  expect(read('pre.json')).toEqual({ ...tool, hook_event_name: 'PreToolUse' });
  expect(readFileSync(join(folder, 'env'), 'utf8')).toBe(`${folder} ${folder} ${folder}\n`);
  await hooks.postToolUse(call, fine, 12.4);
  expect(read('post.json')).toEqual({
    ...tool,
    hook_event_name: 'PostToolUse',
    tool_response: '{"rows":1}',
    tool_response_content: fine.content,
    duration_ms: 12,
  });
  await hooks.elicit({ server: 'db', mode: 'form', message: 'Sure?', requestedSchema: { type: 'object' } });
  expect(read('ask.json')).toEqual({
    ...about,
    hook_event_name: 'Elicitation',
    mcp_server_name: 'db',
    mcp_server: { name: 'db' },
    mode: 'form',
    message: 'Sure?',
    requested_schema: { type: 'object' },
  });
});
test.for<[string, string, Partial<ToolResult>]>([
  ['says nothing', 'true', {}],
  [
    'replaces the output by a text',
    say(specific({ updatedMCPToolOutput: 'masked\u0007' }, 'PostToolUse')),
    { content: [{ type: 'text', text: 'masked' }], structuredContent: undefined },
  ],
  [
    'replaces it by blocks',
    say(specific({ updatedMCPToolOutput: [{ type: 'text', text: 'b' }] }, 'PostToolUse')),
    { content: [{ type: 'text', text: 'b' }], structuredContent: undefined },
  ],
  [
    'replaces all of it',
    say(specific({ updatedMCPToolOutput: { content: [], structuredContent: { rows: 0 } } }, 'PostToolUse')),
    { content: [], structuredContent: { rows: 0 } },
  ],
  [
    'adds context',
    say(specific({ additionalContext: 'cached' }, 'PostToolUse')),
    { content: [...fine.content, { type: 'text', text: '[PostToolUse hook] cached' }] },
  ],
  [
    'replaces it by a picture, in the form that it was shown one',
    say(
      specific(
        { updatedToolOutput: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }] },
        'PostToolUse',
      ),
    ),
    { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }], structuredContent: undefined },
  ],
  ['answers later', say({ async: true }), {}],
])('after a call, a command that %s is heard', async ([, command, expected]) => {
  const { hooks, problems } = openHooks([setting('PostToolUse', [command])]);
  const { structuredContent, ...rest } = { ...fine, ...expected };
  expect(await hooks.postToolUse(call, fine, 1)).toEqual({
    ...rest,
    ...(structuredContent !== undefined && { structuredContent }),
  });
  expect(problems).toEqual([]);
});

test.for([
  'echo secret inside >&2; exit 2',
  say({ decision: 'block', reason: 'secret inside' }),
  say({ continue: false, stopReason: 'secret inside' }),
])('a result that %s says no to is withheld', async (command) => {
  const { hooks } = openHooks([setting('PostToolUse', [command])]);
  const text = `PostToolUse:${NAME} hook error: secret inside`;
  const result = await hooks.postToolUse(call, fine, 1);
  expect(result).toMatchObject({
    outcome: 'error',
    content: [{ type: 'text', text }],
    error: { code: 'denied', message: text },
  });
  expect(result).not.toHaveProperty('structuredContent');
});

test.for(['error', 'unknown'] as const)('a call that ends as %s has an event of its own', async (outcome) => {
  const { hooks, folder } = openHooks([
    setting('PostToolUse', ['touch never']),
    setting('PostToolUseFailure', [
      `cat > failed.json; ${say(specific({ updatedToolOutput: 'gone' }, 'PostToolUseFailure'))}`,
    ]),
  ]);
  const error = new HostError('bad-answer', 'password=x', { detail: { kind: 'rpc', code: 1, message: 'password=x' } });
  const result = await hooks.postToolUse(call, { ...fine, outcome, error }, 7);
  expect(result).toMatchObject({ outcome, content: [{ type: 'text', text: 'gone' }], error: { message: 'gone' } });
  expect(result.error?.detail).toBeUndefined();
  expect(() => readFileSync(join(folder, 'never'))).toThrow('ENOENT');
  const said = JSON.parse(readFileSync(join(folder, 'failed.json'), 'utf8')) as object;
  expect(said).toMatchObject({
    hook_event_name: 'PostToolUseFailure',
    tool_use_id: 'toolu_1',
    error: 'one row',
    is_interrupt: false,
    duration_ms: 7,
  });
  expect(said).not.toHaveProperty('tool_response');
});

test.for<[string, string, unknown]>([
  [
    'accepts',
    say(specific({ action: 'accept', content: { name: 'x' } }, 'Elicitation')),
    { action: 'accept', content: { name: 'x' } },
  ],
  ['accepts in the short form', say({ action: 'accept', content: {} }), { action: 'accept', content: {} }],
  ['declines', say({ action: 'decline' }), { action: 'decline' }],
  ['exits with 2', 'exit 2', { action: 'decline' }],
  ['has no answer', 'true', undefined],
  ['fails', 'exit 1', undefined],
  ['lies', say({ action: 'yes' }), undefined],
])('when a server asks, a command that %s is heard', async ([, command, expected]) => {
  const { hooks } = openHooks([
    setting('Elicitation', [command], 'db'),
    setting('Elicitation', [say({ action: 'cancel' })], 'other'),
  ]);
  expect(hooks.matches('Elicitation', { name: 'db' })).toBe(true);
  expect(await hooks.elicit({ server: 'db', mode: 'form', message: 'Sure?' })).toEqual(expected);
});
