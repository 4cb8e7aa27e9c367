import { expect, onTestFinished, test } from 'vitest';
import type { HookCallback } from '../../src/index.js';
import { InsideServer } from './golden/inside-server.js';
import { type Answer, type LongScene, openLong } from './long-scene.js';

// The hooks of a session, as callbacks: what they are told, and what they decide.

type Event = HookCallback['event'];
type Told = { readonly [field: string]: unknown };

interface Hooked extends LongScene {
  readonly told: readonly Told[];
  of(event: Event): readonly Told[];
}

const get = { name: 'get', description: 'A note' };
const answer = (text: string): Answer =>
  text.includes('Look') ? { uses: [['mcp__notes__get', { number: 1 }]] } : { say: 'Words of the model.' };

async function open(
  answers: Partial<Record<Event, (input: Told) => unknown>>,
  events: readonly Event[],
  { mode = 'bypass', run }: { readonly mode?: 'bypass' | 'default'; readonly run?: () => object } = {},
): Promise<Hooked> {
  const told: Told[] = [];
  const hookCallbacks = events.map((event): HookCallback => ({
    event,
    label: `test ${event}`,
    ask: async (input) => {
      told.push(input as Told);
      return answers[event]?.(input as Told) ?? {};
    },
  }));
  const long = await openLong('anthropic', {
    inside: { notes: new InsideServer({ tools: [{ ...get, ...(run && { run }) }] }) },
    window: 50_000,
    answer,
    host: { hookCallbacks, permissions: { mode } },
  });
  onTestFinished(() => long.session[Symbol.asyncDispose]());
  return { ...long, told, of: (event) => told.filter((one) => one['hook_event_name'] === event) };
}

test('a prompt is shown to hooks with its session, and what they add reaches the model', async () => {
  const hooked = await open(
    {
      UserPromptSubmit: () => ({
        hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'It rains.' },
      }),
      SessionStart: () => ({
        hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'House rules.' },
      }),
    },
    ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'],
  );
  await hooked.say('How is the weather?');
  await hooked.say('And now?');
  expect(hooked.told.map((one) => one['hook_event_name'])).toEqual([
    'SessionStart',
    'UserPromptSubmit',
    'Stop',
    'UserPromptSubmit',
    'Stop',
  ]);
  expect(hooked.of('SessionStart')[0]).toMatchObject({ source: 'startup', session_id: hooked.session.id });
  const [first, second] = hooked.of('UserPromptSubmit');
  expect(first).toMatchObject({ prompt: 'How is the weather?', session_id: hooked.session.id });
  expect(first!['prompt_id']).not.toBe(second!['prompt_id']);
  expect(hooked.of('Stop')[0]).toMatchObject({
    stop_hook_active: false,
    last_assistant_message: 'Words of the model.',
  });
  const text = hooked.api.received[0]!.text;
  expect(text).toContain('[SessionStart hook] House rules.');
  expect(text).toContain('[UserPromptSubmit hook] It rains.');
  await hooked.session[Symbol.asyncDispose]();
  expect(hooked.of('SessionEnd')).toMatchObject([{ reason: 'other' }]);
});

test('a prompt that a hook blocks is not sent, and a hook that fails blocks', async () => {
  const hooked = await open(
    {
      UserPromptSubmit: ({ prompt }) => {
        if (prompt === 'break') throw new Error('I am broken');
        return { decision: 'block', reason: 'no secrets' };
      },
    },
    ['UserPromptSubmit'],
  );
  const said = await hooked.say('my key is x');
  expect(said).toMatchObject({
    kind: 'not-sent',
    error: { code: 'denied', message: expect.stringContaining('no secrets') },
  });
  expect(await hooked.say('break')).toMatchObject({ kind: 'not-sent' });
  expect(hooked.api.requests).toEqual([]);
});

test('what is written behind /compact passes the same hooks', async () => {
  const hooked = await open(
    { UserPromptSubmit: ({ prompt }) => (prompt === 'my secret' ? { decision: 'block', reason: 'no secrets' } : {}) },
    ['UserPromptSubmit'],
  );
  for (let turn = 0; turn < 3; turn++) await hooked.say('Look it up.');
  const asked = hooked.api.requests.length;
  expect(await hooked.session.compact({ instructions: 'my secret' })).toMatchObject({ kind: 'failed' });
  expect(hooked.api.requests.length).toBe(asked);
  expect(await hooked.session.compact({ instructions: 'the notes' })).toMatchObject({ kind: 'compacted' });
});

test('a file of a result that a hook has replaced is not told after a summary', async () => {
  const hooked = await open(
    {
      PostToolUse: () => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedMCPToolOutput: 'REDACTED' } }),
    },
    ['PostToolUse'],
    { run: () => ({ content: [{ type: 'text', text: 'secret '.repeat(30_000) }] }) },
  );
  for (let turn = 0; turn < 3; turn++) await hooked.say('Look it up.');
  expect(await hooked.session.compact()).toMatchObject({ kind: 'compacted' });
  await hooked.say('On.');
  expect(hooked.api.received.at(-1)!.text).not.toMatch(/results\/.*\.txt/u);
});

test('a hook at the end gives the model more to do, and not for ever', async () => {
  const hooked = await open({ Stop: () => ({ decision: 'block', reason: 'Run the tests first.' }) }, ['Stop']);
  const said = await hooked.say('Go.');
  expect(said).toMatchObject({ kind: 'sent', end: { kind: 'done' } });
  expect(hooked.api.received[1]!.text).toContain('Run the tests first.');
  expect(hooked.of('Stop').map((one) => one['stop_hook_active'])).toEqual([false, ...Array<boolean>(24).fill(true)]);
  expect(hooked.api.refused).toEqual([]);
});

test('hooks around a summary: told, and able to stop it; what SessionStart adds is told again', async () => {
  let isBlocking = true;
  const hooked = await open(
    {
      PreCompact: () => (isBlocking ? { decision: 'block', reason: 'not now' } : {}),
      SessionStart: ({ source }) => ({
        hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: `Rules at ${String(source)}.` },
      }),
    },
    ['PreCompact', 'PostCompact', 'SessionStart'],
  );
  for (let turn = 0; turn < 3; turn++) await hooked.say('Look it up.');
  expect(await hooked.session.compact()).toMatchObject({ kind: 'failed', error: { code: 'denied' } });
  isBlocking = false;
  expect(await hooked.session.compact({ instructions: 'the notes' })).toMatchObject({ kind: 'compacted' });
  expect(hooked.of('PreCompact')[1]).toMatchObject({ trigger: 'manual', custom_instructions: 'the notes' });
  expect(hooked.of('PostCompact')).toMatchObject([
    { trigger: 'manual', compact_summary: expect.stringContaining('SUMMARY') },
  ]);
  await hooked.say('On.');
  expect(hooked.api.received.at(-1)!.text).toContain('Rules at compact.');
  expect(hooked.api.refused).toEqual([]);
});

test('a hook that denies and interrupts ends the turn', async () => {
  const hooked = await open(
    {
      PermissionRequest: () => ({
        hookSpecificOutput: {
          hookEventName: 'PermissionRequest',
          decision: { behavior: 'deny', message: 'stop here', interrupt: true },
        },
      }),
    },
    ['PermissionRequest'],
    { mode: 'default' },
  );
  const said = await hooked.say('Look it up.');
  expect(said).toMatchObject({
    kind: 'sent',
    end: { kind: 'failed', isSent: true, error: { message: expect.stringContaining('stop here') } },
  });
  expect(hooked.api.requests.length).toBe(1);
  expect(await hooked.say('Something else.')).toMatchObject({ end: { kind: 'done' } });
  expect(hooked.api.refused).toEqual([]);
});
