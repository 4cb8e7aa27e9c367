import { describe, expect, test } from 'vitest';
import type { HookEvent } from '../../src/model/hooks/hook-settings.js';
import { hookEvents } from '../../src/model/hooks/hook-settings.js';
import { KINDS, openHooked, own } from './hooked-scene.js';

// The hook events of a session, as the program that has one runs them.

const told = (event: HookEvent, text: string) => ({ event, answer: own(event, { additionalContext: text }) });

describe.each(KINDS)('a hook of a session that is a %s', (kind) => {
  test('reads what happens, where and in which mode', async () => {
    const events = ['UserPromptSubmit', 'SessionStart', 'SessionEnd', 'Stop', 'PreCompact', 'PostCompact'] as const;
    await using hooked = await openHooked(
      kind,
      events.map((event) => ({ event })),
      { session: () => ({ id: 's1', transcriptPath: '/t.jsonl', promptId: 'p1' }), permissions: { mode: 'plan' } },
    );
    const { sessionHooks } = hooked.host;
    expect(await sessionHooks.started('resume', 'some-model')).toEqual({ context: [] });
    expect(await sessionHooks.promptSubmitted('hello')).toEqual({ kind: 'go', context: [] });
    expect(await sessionHooks.stopping({ isActive: true, lastMessage: 'done' })).toEqual({ kind: 'end' });
    expect(await sessionHooks.compacting('manual', 'keep names')).toEqual({ kind: 'go' });
    expect(await sessionHooks.compacting('auto', '')).toEqual({ kind: 'go' });
    await sessionHooks.compacted('manual', 'they met');
    await sessionHooks.ended('prompt_input_exit');
    const common = {
      session_id: 's1',
      transcript_path: '/t.jsonl',
      prompt_id: 'p1',
      cwd: hooked.scene.project,
      permission_mode: 'plan',
    };
    expect(hooked.seen()).toEqual(
      [
        { hook_event_name: 'SessionStart', source: 'resume', model: 'some-model' },
        { hook_event_name: 'UserPromptSubmit', prompt: 'hello' },
        { hook_event_name: 'Stop', stop_hook_active: true, last_assistant_message: 'done' },
        { hook_event_name: 'PreCompact', trigger: 'manual', custom_instructions: 'keep names' },
        { hook_event_name: 'PreCompact', trigger: 'auto', custom_instructions: null },
        { hook_event_name: 'PostCompact', trigger: 'manual', compact_summary: 'they met' },
        { hook_event_name: 'SessionEnd', reason: 'prompt_input_exit' },
      ].map((one) => ({ ...common, ...one })),
    );
    expect(hookEvents.filter((event) => sessionHooks.has(event))).toEqual(events);
  });

  test('tells the model something, cleaned and cut', async () => {
    await using hooked = await openHooked(kind, [
      told('UserPromptSubmit', 'it is \u202eMonday'),
      told('UserPromptSubmit', 'x'.repeat(50_000)),
      told('SessionStart', 'be kind'),
    ]);
    const { sessionHooks } = hooked.host;
    const said = await sessionHooks.promptSubmitted('hi');
    if (said.kind !== 'go') throw new Error(said.reason);
    expect(said.context[0]).toBe('it is Monday');
    expect(said.context[1]!.length).toBeLessThan(11_000);
    expect(await sessionHooks.started('startup', 'm')).toEqual({ context: ['be kind'] });
  });

  test('says no to a prompt, has the model go on, and prevents a summary; a later hook is not asked', async () => {
    const no = { decision: 'block', reason: 'because' };
    const events = ['UserPromptSubmit', 'Stop', 'PreCompact'] as const;
    await using hooked = await openHooked(
      kind,
      [...events, ...events].map((event) => ({ event, answer: no })),
    );
    const { sessionHooks } = hooked.host;
    expect(await sessionHooks.promptSubmitted('hi')).toEqual({ kind: 'block', reason: 'because' });
    expect(await sessionHooks.stopping({ isActive: false, lastMessage: '' })).toEqual({
      kind: 'go-on',
      reason: 'because',
    });
    expect(await sessionHooks.compacting('auto', '')).toEqual({ kind: 'block', reason: 'because' });
    expect(hooked.events()).toEqual(events);
  });

  test('ends everything with continue: false', async () => {
    const stop = { continue: false, stopReason: 'enough', decision: 'block', reason: 'go on' };
    await using hooked = await openHooked(kind, [
      { event: 'UserPromptSubmit', answer: stop },
      { event: 'Stop', answer: stop },
    ]);
    const { sessionHooks } = hooked.host;
    expect(await sessionHooks.promptSubmitted('hi')).toEqual({ kind: 'block', reason: 'enough' });
    expect(await sessionHooks.stopping({ isActive: false, lastMessage: '' })).toEqual({ kind: 'end' });
  });

  test('is asked about the source, the reason or the trigger that its matcher names', async () => {
    await using hooked = await openHooked(kind, [
      { event: 'SessionStart', matcher: 'startup|resume' },
      { event: 'SessionEnd', matcher: 'logout' },
      { event: 'PreCompact', matcher: 'manual' },
      { event: 'Stop', matcher: 'anything' },
    ]);
    const { sessionHooks } = hooked.host;
    await sessionHooks.started('startup', 'm');
    await sessionHooks.started('clear', 'm');
    await sessionHooks.ended('other');
    await sessionHooks.compacting('auto', '');
    await sessionHooks.compacting('manual', '');
    await sessionHooks.stopping({ isActive: false, lastMessage: '' });
    expect(hooked.events()).toEqual(['SessionStart', 'PreCompact', 'Stop']);
  });

  test('that fails at the end or beside a turn is told, and stops nothing', async () => {
    const events = ['SessionStart', 'SessionEnd', 'Stop', 'PreCompact', 'PostCompact'] as const;
    await using hooked = await openHooked(
      kind,
      events.map((event) => ({ event, answer: { nonsense: 1 } })),
    );
    const { sessionHooks } = hooked.host;
    expect(await sessionHooks.started('startup', 'm')).toEqual({ context: [] });
    await sessionHooks.ended('other');
    expect(await sessionHooks.stopping({ isActive: false, lastMessage: '' })).toEqual({ kind: 'end' });
    expect(await sessionHooks.compacting('auto', '')).toEqual({ kind: 'go' });
    await sessionHooks.compacted('auto', 's');
    expect(hooked.problems.map((problem) => problem.split(' ')[0])).toEqual(events);
  });
});

test('a command may tell the model something in plain words, and refuse by its exit code', async () => {
  const command = 'echo "it is Monday"';
  await using hooked = await openHooked('command', [
    { event: 'UserPromptSubmit', command },
    { event: 'SessionStart', command },
    { event: 'Stop', command: 'echo "the tests fail" >&2; exit 2' },
    { event: 'SessionEnd', command: 'exit 2' },
  ]);
  const { sessionHooks } = hooked.host;
  expect(await sessionHooks.promptSubmitted('hi')).toEqual({ kind: 'go', context: ['it is Monday'] });
  expect(await sessionHooks.started('startup', 'm')).toEqual({ context: ['it is Monday'] });
  const facts = { isActive: false, lastMessage: '' };
  expect(await sessionHooks.stopping(facts)).toEqual({ kind: 'go-on', reason: 'the tests fail' });
  await sessionHooks.ended('other');
  expect(hooked.problems).toMatchObject([expect.stringContaining('SessionEnd hook exited with code 2')]);
});

test('a prompt that is given up while its hook thinks is not sent', async () => {
  await using hooked = await openHooked('callback', [{ event: 'UserPromptSubmit', ask: () => new Promise(() => {}) }]);
  const stop = new AbortController();
  const said = hooked.host.sessionHooks.promptSubmitted('hi', stop.signal);
  await expect.poll(() => hooked.events()).toEqual(['UserPromptSubmit']);
  stop.abort();
  expect(await said).toMatchObject({ kind: 'block' });
  expect(hooked.problems).toEqual([]);
});

test('without hooks nothing is asked, and a sub-agent has the hooks of its host', async () => {
  await using none = await openHooked('command', []);
  expect(none.host.sessionHooks.has('Stop')).toBe(false);
  expect(await none.host.sessionHooks.promptSubmitted('hi')).toEqual({ kind: 'go', context: [] });
  await using some = await openHooked('callback', [{ event: 'Stop' }]);
  await using fork = some.host.fork();
  expect(fork.sessionHooks.has('Stop')).toBe(true);
});
