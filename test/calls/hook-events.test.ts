import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/edge/clock.js';
import type { HookRun } from '../../src/model/hooks/hook-run.js';
import { KINDS, openHooked, own } from './hooked-scene.js';
import { ASKING, NO, ONCE, person, textOf } from './walk-scene.js';

// The hook events of calls as they are published, through a real host: commands of the settings, and callbacks.

const both = [{ event: 'PostToolUse' }, { event: 'PostToolUseFailure' }] as const;

describe.each(KINDS)('a hook that is a %s', (kind) => {
  test('reads who calls what, in which session and mode', async () => {
    const session = { id: randomUUID(), transcriptPath: '/tmp/transcript.jsonl', promptId: randomUUID() };
    await using hooked = await openHooked(kind, [{ event: 'PreToolUse' }, { event: 'PostToolUse' }], {
      permissions: { mode: 'dont-ask', allow: ['mcp__a'] },
      session: () => session,
    });
    const { host, scene, seen } = hooked;
    await host.call({ name: 'mcp__a__one', input: { key: 'k' }, callId: 'toolu_7' });
    const common = {
      session_id: session.id,
      transcript_path: session.transcriptPath,
      prompt_id: session.promptId,
      cwd: scene.project,
      permission_mode: 'dontAsk',
      tool_name: 'mcp__a__one',
      tool_input: { key: 'k' },
      tool_use_id: 'toolu_7',
      mcp_server: { name: 'a', source: 'user' },
    };
    expect(seen()).toEqual([
      { ...common, hook_event_name: 'PreToolUse' },
      {
        ...common,
        hook_event_name: 'PostToolUse',
        tool_response: [{ type: 'text', text: 'one {"key":"k"}' }],
        duration_ms: expect.any(Number) as number,
      },
    ]);
  });

  test.each([
    ['default', 'default'],
    ['auto-read', 'default'],
    ['bypass', 'bypassPermissions'],
  ] as const)('is told mode %s as %s', async (mode, word) => {
    await using hooked = await openHooked(kind, [{ event: 'PreToolUse' }], {
      permissions: { mode },
      ports: { ask: person(ONCE).ask },
    });
    await hooked.host.call({ name: 'mcp__a__one' });
    expect(hooked.seen()).toMatchObject([{ permission_mode: word }]);
  });

  test('is told how long the call took, without the hour in which a person was asked', async () => {
    let asked = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + asked };
    const ask = async (): Promise<typeof ONCE> => {
      asked += 3_600_000;
      return ONCE;
    };
    await using hooked = await openHooked(kind, both, { permissions: ASKING, ports: { ask, clock } });
    expect(await hooked.host.call({ name: 'mcp__a__one' })).toMatchObject({
      outcome: 'ok',
      askedMs: expect.any(Number),
    });
    expect(hooked.seen()[0]!['duration_ms']).toSatisfy((ms: number) => ms >= 0 && ms < 3_600_000);
  });

  test('sees pictures and structured content as other hosts write them', async () => {
    await using hooked = await openHooked(kind, both, { offered: ['picture', 'forecast'] });
    for (const tool of ['picture', 'forecast']) await hooked.host.call({ name: `mcp__a__${tool}` });
    const [picture, forecast] = hooked.seen();
    expect(picture!['tool_response']).toMatchObject([
      { type: 'text' },
      {
        type: 'image',
        source: { type: 'base64', media_type: expect.stringMatching(/^image\//u), data: expect.any(String) },
      },
    ]);
    expect(JSON.parse(forecast!['tool_response'] as string)).toEqual({ city: 'Oslo', degrees: [3, 4, 5] });
    expect(forecast!['tool_response_content']).toMatchObject([{ type: 'text' }]);
  });

  test.each([
    ['fail', 'no k today'],
    ['refuse', 'cannot find k'],
  ])('hears of a call that fails by an event of its own: %s', async (tool, text) => {
    await using hooked = await openHooked(kind, both);
    const result = await hooked.host.call({ name: `mcp__a__${tool}`, input: { key: 'k' } });
    expect(result.outcome).toBe('error');
    expect(hooked.events()).toEqual(['PostToolUseFailure']);
    const [failure] = hooked.seen();
    expect(failure).toMatchObject({
      error: expect.stringContaining(text),
      is_interrupt: false,
      tool_input: { key: 'k' },
    });
    expect(failure).toHaveProperty('duration_ms');
    expect(failure).not.toHaveProperty('tool_response');
    expect(failure!['error']).toBe(textOf(result));
  });

  test('takes a secret out of a result, and out of a failure', async () => {
    const clean = both.map(({ event }) => ({ event, answer: own(event, { updatedMCPToolOutput: 'taken out' }) }));
    await using hooked = await openHooked(kind, clean);
    for (const [tool, outcome] of [
      ['one', 'ok'],
      ['fail', 'error'],
      ['refuse', 'error'],
    ] as const) {
      const result = await hooked.host.call({ name: `mcp__a__${tool}`, input: { key: 'SECRET' } });
      expect(result).toMatchObject({ outcome, content: [{ type: 'text', text: 'taken out' }] });
      expect(JSON.stringify([result.content, result.error?.message, result.error?.detail ?? null])).not.toContain(
        'SECRET',
      );
    }
  });

  test('adds to a failure, and withholds one', async () => {
    const event = 'PostToolUseFailure';
    await using adding = await openHooked(kind, [{ event, answer: own(event, { additionalContext: 'try b' }) }]);
    const name = 'mcp__a__fail';
    expect(textOf(await adding.host.call({ name, input: { key: 'k' } }))).toBe(`no k today\n[${event} hook] try b`);
    await using blocking = await openHooked(kind, [{ event, answer: { decision: 'block', reason: 'not for you' } }]);
    expect(textOf(await blocking.host.call({ name }))).toBe(`${event}:${name} hook error: not for you`);
  });

  test('hears nothing after a call that was not made', async () => {
    const blocking = {
      event: 'PreToolUse',
      matcher: 'mcp__a__two',
      answer: { decision: 'block', reason: 'no' },
    } as const;
    const strict = { name: 'strict', inputSchema: { type: 'object', required: ['key'], properties: { key: {} } } };
    await using hooked = await openHooked(kind, [blocking, ...both], {
      offered: ['one', 'two', 'three', strict],
      servers: { dead: { command: 'plugboard-no-such-command' } },
      permissions: {
        mode: 'default',
        deny: ['mcp__a__three'],
        allow: ['mcp__a__strict', 'mcp__a__two', 'mcp__dead', 'Read'],
      },
      ports: { ask: person(NO).ask },
    });
    const { host, scene, events } = hooked;
    for (const [name, input] of [
      ['mcp__a__one', {}], // the person says no
      ['mcp__a__two', {}], // a hook
      ['mcp__a__three', {}], // a rule
      ['mcp__a__strict', {}], // the schema
      ['mcp__a__nowhere', {}],
      ['mcp__dead__tool', {}],
      ['Read', { path: 7 }],
    ] as const) {
      expect((await host.call({ name, input })).outcome).toBe('error');
    }
    expect(events()).toEqual(['PreToolUse']);
    expect(scene.journalLines()).toEqual([]);
  });

  test('is told that the caller gave up the call', async () => {
    await using hooked = await openHooked(kind, [{ event: 'PostToolUseFailure' }]);
    const stop = new AbortController();
    const calling = hooked.host.call({ name: 'mcp__a__one', input: { key: 'k', ms: 600_000 }, signal: stop.signal });
    await expect.poll(() => hooked.scene.journalLines().length).toBe(1);
    stop.abort();
    expect(await calling).toMatchObject({ error: { code: 'cancelled' } });
    expect(hooked.seen()).toMatchObject([{ hook_event_name: 'PostToolUseFailure', is_interrupt: true }]);
  });

  test('is told of to a listener, with its outcome and what it said', async () => {
    const runs: HookRun[] = [];
    const hooks = [
      { event: 'PreToolUse', answer: own('PreToolUse', { additionalContext: 'hi' }) },
      { event: 'PostToolUse', answer: [1] },
    ] as const;
    await using hooked = await openHooked(kind, hooks, { onRun: (run) => runs.push(run) });
    await hooked.host.call({ name: 'mcp__a__one' });
    expect(runs.map(({ phase, name, outcome }) => [phase, name, outcome])).toEqual([
      ['started', 'PreToolUse:mcp__a__one', undefined],
      ['ended', 'PreToolUse:mcp__a__one', 'success'],
      ['started', 'PostToolUse:mcp__a__one', undefined],
      ['ended', 'PostToolUse:mcp__a__one', 'error'],
    ]);
    expect(new Set(runs.map(({ id }) => id)).size).toBe(2);
    expect(runs[1]).toMatchObject({ output: JSON.stringify(hooks[0].answer), event: 'PreToolUse' });
    expect(runs[3]).toMatchObject(kind === 'command' ? { stdout: '[1]', stderr: '', exitCode: 0 } : {});
    expect(runs[3]!.output).toContain('answers with a list');
  });
});

describe.each(KINDS)('where a person would be asked, a %s', (kind) => {
  const event = 'PermissionRequest';
  const decide = (decision: object, matcher?: string) =>
    ({ event, answer: own(event, { decision }), ...(matcher && { matcher }) }) as const;
  const allow = decide({ behavior: 'allow' });

  test('reads the call and the rule that would allow it, after PreToolUse hooks', async () => {
    const { asked, ask } = person(ONCE);
    const change = { event: 'PreToolUse', answer: own('PreToolUse', { updatedInput: { key: 'changed' } }) } as const;
    await using hooked = await openHooked(kind, [change, { event }], { permissions: ASKING, ports: { ask } });
    expect(await hooked.host.call({ name: 'mcp__a__one', input: { key: 'k' } })).toMatchObject({ outcome: 'ok' });
    expect(asked).toMatchObject([{ input: { key: 'changed' } }]);
    expect(hooked.events()).toEqual(['PreToolUse', event]);
    const { cwd, ...request } = hooked.seen()[1]!;
    expect(request).toEqual({
      hook_event_name: event,
      permission_mode: 'default',
      tool_name: 'mcp__a__one',
      tool_input: { key: 'changed' },
      mcp_server: { name: 'a', source: 'user' },
      permission_suggestions: [
        { type: 'addRules', rules: [{ toolName: 'mcp__a__one' }], behavior: 'allow', destination: 'localSettings' },
      ],
    });
    expect(cwd).toBe(hooked.scene.project);
  });

  test('says yes in place of the person, with another input', async () => {
    const changing = decide({ behavior: 'allow', updatedInput: { key: 'mine' } });
    const { asked, ask } = person(NO);
    for (const ports of [{ ask }, {}]) {
      await using hooked = await openHooked(kind, [changing, { event: 'PostToolUse' }], { permissions: ASKING, ports });
      const result = await hooked.host.call({ name: 'mcp__a__one', input: { key: 'k' } });
      expect(textOf(result)).toBe('one {"key":"mine"}');
      expect(hooked.seen()[1]).toMatchObject({ tool_input: { key: 'mine' } });
      expect(await hooked.scene.ledgerOf(hooked.host)).toMatchObject([{ decision: 'allow', rule: 'hook' }]);
    }
    expect(asked).toEqual([]);
  });

  test('says no, and may want the turn to end', async () => {
    const { asked, ask } = person(ONCE);
    const no = decide({ behavior: 'deny', message: 'not today', interrupt: true });
    await using hooked = await openHooked(kind, [allow, no], { permissions: ASKING, ports: { ask } });
    const message = 'PermissionRequest:mcp__a__one hook error: not today';
    expect(await hooked.host.call({ name: 'mcp__a__one' })).toMatchObject({
      outcome: 'error',
      attempts: 0,
      error: { code: 'denied', message },
      isInterrupting: true,
    });
    expect(asked).toEqual([]);
    expect(hooked.scene.journalLines()).toEqual([]);
  });

  const confirming = { _meta: { 'anthropic/requiresUserInteraction': true } };
  const destroying = { annotations: { destructiveHint: true, readOnlyHint: false } };
  test.each([
    ['a rule that asks', { ask: ['mcp__a__one'] }, {}, {}],
    ['a rule that asks, in mode bypass', { mode: 'bypass', ask: ['mcp__a__one'] }, {}, {}],
    ['a tool that wants every call confirmed', {}, confirming, {}],
    ['a tool that says it destroys', { mode: 'bypass' }, destroying, {}],
    ['a PreToolUse hook that wants a person', { mode: 'bypass' }, {}, { permissionDecision: 'ask' }],
  ] as const)('does not outweigh %s', async (_, permissions, definition, pre) => {
    const { asked, ask } = person(NO);
    const before = { event: 'PreToolUse', answer: own('PreToolUse', pre) } as const;
    const offered = [{ name: 'one', ...definition }];
    const options = { offered, permissions: { mode: 'default', ...permissions } as const };
    await using hooked = await openHooked(kind, [before, allow], { ...options, ports: { ask } });
    expect(await hooked.host.call({ name: 'mcp__a__one' })).toMatchObject({ error: { code: 'denied' } });
    expect([hooked.events(), asked.length]).toEqual([['PreToolUse', event], 1]);
    await using alone = await openHooked(kind, [before, allow], options);
    expect(await alone.host.call({ name: 'mcp__a__one' })).toMatchObject({ error: { code: 'denied' } });
    expect([...hooked.scene.journalLines(), ...alone.scene.journalLines()]).toEqual([]);
  });

  test.each([
    ['a rule that denies', { deny: ['mcp__a'] }],
    ['mode dont-ask', { mode: 'dont-ask' }],
    ['mode plan', { mode: 'plan' }],
    ['a rule that allows', { allow: ['mcp__a__one'] }],
  ] as const)('is not asked where %s decides', async (_, permissions) => {
    await using hooked = await openHooked(kind, [allow], { permissions: { mode: 'default', ...permissions } });
    const { outcome } = await hooked.host.call({ name: 'mcp__a__one' });
    expect([outcome, hooked.events()]).toEqual(['allow' in permissions ? 'ok' : 'error', []]);
  });

  test('gives an input that has to fit the schema like any other', async () => {
    const strict = { name: 'strict', inputSchema: { type: 'object', required: ['key'], properties: { key: {} } } };
    const changing = decide({ behavior: 'allow', updatedInput: { other: 1 } });
    await using hooked = await openHooked(kind, [changing], { offered: [strict], permissions: ASKING });
    const result = await hooked.host.call({ name: 'mcp__a__strict', input: { key: 'k' } });
    expect(result).toMatchObject({ attempts: 0, error: { code: 'bad-input' } });
  });
});
