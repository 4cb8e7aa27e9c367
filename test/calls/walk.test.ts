import { describe, expect, test } from 'vitest';
import { ASKING, NO, ONCE, openWalk, person, SESSION, textOf } from './walk-scene.js';

// The walk "tool_use to result": a call by the name that a model knows, through all steps to a real server and back.

describe('who may call', () => {
  test('a tool that is not there is answered with the nearest names, and written down', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['append', 'read']) });
    const host = await scene.settle();
    const result = await host.call({ name: 'mcp__desk__apend', input: {} });
    expect(result).toMatchObject({ outcome: 'error', attempts: 0, error: { code: 'unknown-tool' } });
    expect(textOf(result)).toContain('mcp__desk__append');
    const strange = await host.call({ name: `\u001b[2J${'x'.repeat(1_000_000)}` });
    expect(strange.error?.message).toMatch(/^There is no tool "x{100,200}…?"?/u);
    expect(textOf(strange).length).toBeLessThan(1_000);
    expect(await scene.ledgerOf(host)).toMatchObject([
      { tool: 'mcp__desk__apend', decision: 'deny', outcome: 'error', code: 'unknown-tool' },
      { code: 'unknown-tool' },
    ]);
  });

  test('a rule that denies stops a call before anybody is asked, and neither hooks nor a typed call get around it', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['append']) }, { permissions: { deny: ['mcp__desk__append'] } });
    const { ask, asked } = person(SESSION);
    let hooked = 0;
    const preToolUse = [{ run: () => (hooked++, { decision: 'allow' as const, input: { key: 'other' } }) }];
    const host = await scene.settle({ ports: { ask }, hooks: { preToolUse } });
    for (const isTyped of [false, true]) {
      const result = await host.call({ name: 'mcp__desk__append', input: { key: 'a' }, isTyped });
      expect(result).toMatchObject({ outcome: 'error', attempts: 0, error: { code: 'denied' } });
      expect(result.error?.message).toContain('mcp__desk__append');
    }
    expect([asked, hooked, scene.journalLines()]).toEqual([[], 0, []]);
    // The error does not suggest a tool that the model may not use.
    expect(textOf(await host.call({ name: 'mcp__desk__apend' }))).not.toContain('mcp__desk__append');
    expect(host.permission('mcp__desk__append')).toMatchObject({ behavior: 'deny', by: { kind: 'rule' } });
    expect(await scene.ledgerOf(host)).toMatchObject([
      { decision: 'deny', rule: 'deny mcp__desk__append', outcome: 'error', code: 'denied' },
      { decision: 'deny', rule: 'deny mcp__desk__append', outcome: 'error', code: 'denied' },
      { code: 'unknown-tool' },
    ]);
  });

  test('without anybody to ask a call is denied, and says what would allow it', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['append']) });
    const host = await scene.settle({ permissions: ASKING });
    const result = await host.call({ name: 'mcp__desk__append', input: { key: 'a' } });
    expect(result).toMatchObject({ outcome: 'error', error: { code: 'denied' } });
    expect(result.error?.message).toContain('nobody can be asked');
    expect(textOf(result)).toContain('permissions: { allow: ["mcp__desk__append"] }');
    expect(scene.journalLines()).toEqual([]);
  });

  test('once is once, a session is until its end, and no is no', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['append', 'read']) });
    const { ask, asked } = person(ONCE, { ...NO, reason: 'not now' }, SESSION);
    const host = await scene.settle({ permissions: ASKING, ports: { ask } });
    const call = (key: string): ReturnType<typeof host.call> =>
      host.call({ name: 'mcp__desk__append', input: { key }, callId: `call-${key}` });
    expect(await call('1')).toMatchObject({ outcome: 'ok' });
    const denied = await call('2');
    expect(denied).toMatchObject({ outcome: 'error', error: { code: 'denied' } });
    expect(textOf(denied)).toContain('not now');
    expect(await call('3')).toMatchObject({ outcome: 'ok' });
    expect(await call('4')).toMatchObject({ outcome: 'ok' });
    expect(asked.map(({ callId, input, name, server, tool }) => [callId, input, name, server, tool])).toEqual(
      ['1', '2', '3'].map((key) => [`call-${key}`, { key }, 'mcp__desk__append', 'desk', 'append']),
    );
    expect(scene.journalLines().filter((line) => line.startsWith('begin'))).toEqual([
      'begin append 1',
      'begin append 3',
      'begin append 4',
    ]);
    expect(
      (await scene.ledgerOf(host)).map(({ id, decision, rule, outcome }) => [id, decision, rule, outcome]),
    ).toEqual([
      ['call-1', 'ask-allow', 'person', 'ok'],
      ['call-2', 'ask-deny', 'person', 'error'],
      ['call-3', 'ask-allow', 'person', 'ok'],
      ['call-4', 'allow', 'session', 'ok'],
    ]);
  });

  test('what always allows is a rule in the settings, and the next host obeys it', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['append']) });
    const { ask, asked } = person({ kind: 'allow', remember: 'always' });
    const first = await scene.settle({ permissions: {}, ports: { ask } });
    expect(await first.call({ name: 'mcp__desk__append' })).toMatchObject({ outcome: 'ok', notes: [] });
    await first[Symbol.asyncDispose]();
    const second = await scene.settle({ permissions: {} });
    expect(await second.call({ name: 'mcp__desk__append' })).toMatchObject({ outcome: 'ok' });
    expect(asked).toHaveLength(1);
    expect(await scene.ledgerOf(second)).toMatchObject([
      { decision: 'ask-allow', rule: 'person' },
      { decision: 'allow', rule: 'allow mcp__desk__append' },
    ]);
  });
});

describe('hooks', () => {
  test('who is asked sees the input as a hook has left it, and that is what is sent', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['append']) });
    const { ask, asked } = person(ONCE);
    const preToolUse = [
      { matcher: 'mcp__desk__*', run: () => ({ input: { key: 'rewritten' }, context: 'mind the key' }) },
    ];
    const host = await scene.settle({ permissions: ASKING, ports: { ask }, hooks: { preToolUse } });
    const result = await host.call({ name: 'mcp__desk__append', input: { key: 'original' } });
    expect(textOf(result)).toContain('append {"key":"rewritten"}');
    expect(textOf(result)).toContain('mind the key');
    expect(asked).toMatchObject([{ input: { key: 'rewritten' } }]);
    expect(asked[0]!.shown).toContain('rewritten');
    expect(asked[0]!.shown).not.toContain('original');
    expect(scene.journalLines()[0]).toBe('begin append rewritten');
  });

  test('an input that a hook points at a denied server is decided again', async () => {
    await using scene = openWalk();
    const settings = { permissions: { deny: ['mcp__secret'] } };
    scene.configure({ open: scene.walking([]), secret: scene.walking([]) }, settings);
    const preToolUse = [
      { run: () => ({ decision: 'allow' as const, input: { server: 'secret', uri: 'walk://map' } }) },
    ];
    const host = await scene.settle({ hooks: { preToolUse } });
    const result = await host.call({ name: 'ReadMcpResource', input: { server: 'open', uri: 'walk://map' } });
    expect(result).toMatchObject({ outcome: 'error', error: { code: 'denied' } });
    expect(textOf(result)).not.toContain('left, then right');
  });

  test('a hook that allows spares the question, one that blocks ends the call, and both are written down', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['append', 'read']) });
    const preToolUse = [
      { matcher: 'mcp__desk__append', run: () => ({ decision: 'allow' as const }) },
      { matcher: 'mcp__desk__read', run: () => ({ decision: 'deny' as const, reason: 'nothing is read today' }) },
    ];
    const host = await scene.settle({ permissions: ASKING, hooks: { preToolUse } });
    expect(await host.call({ name: 'mcp__desk__append' })).toMatchObject({ outcome: 'ok' });
    const blocked = await host.call({ name: 'mcp__desk__read' });
    expect(blocked).toMatchObject({ outcome: 'error', error: { code: 'denied' } });
    expect(textOf(blocked)).toContain('nothing is read today');
    expect(await scene.ledgerOf(host)).toMatchObject([
      { decision: 'allow', rule: 'hook', outcome: 'ok' },
      { decision: 'deny', rule: 'hook', outcome: 'error' },
    ]);
  });

  test('a hook may replace what a tool gave', async () => {
    await using scene = openWalk();
    scene.configure({ desk: scene.walking(['forecast']) });
    const postToolUse = [{ run: () => ({ output: { content: [{ type: 'text', text: 'nothing to see' }] } }) }];
    const host = await scene.settle({ hooks: { postToolUse } });
    const result = await host.call({ name: 'mcp__desk__forecast' });
    expect(textOf(result)).toBe('nothing to see');
    expect(result.structuredContent).toBeUndefined();
  });

  test('a command of the settings rewrites an input as a function does', async () => {
    await using scene = openWalk();
    const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { key: 'by command' } } };
    const command = `cat > /dev/null; printf '%s' '${JSON.stringify(answer)}'`;
    const hooks = { PreToolUse: [{ matcher: 'mcp__desk__*', hooks: [{ type: 'command', command }] }] };
    scene.configure({ desk: scene.walking(['append']) }, { hooks });
    const host = await scene.settle();
    expect(textOf(await host.call({ name: 'mcp__desk__append', input: { key: 'original' } }))).toBe(
      'append {"key":"by command"}',
    );
  });
});

test('the ledger has what was decided and how it ended, and no value of what was sent or came back', async () => {
  await using scene = openWalk();
  const properties = { key: { type: 'string' }, count: { type: 'number' } };
  const strict = { name: 'strict', inputSchema: { type: 'object', properties, additionalProperties: false } };
  scene.configure({ desk: scene.walking(['append', 'fail', 'refuse', strict]) });
  const host = await scene.settle();
  const key = 'xyzzy-4711';
  expect(await host.call({ name: 'mcp__desk__append', input: { key } })).toMatchObject({ outcome: 'ok' });
  expect(await host.call({ name: 'mcp__desk__fail', input: { key } })).toMatchObject({ outcome: 'error' });
  const refused = await host.call({ name: 'mcp__desk__refuse', input: { key } });
  expect(refused).toMatchObject({ outcome: 'error', error: { code: 'server-error' } });
  expect(textOf(refused)).toContain(`cannot find ${key}`);
  expect(await host.call({ name: 'mcp__desk__strict', input: { count: key } })).toMatchObject({
    error: { code: 'bad-input' },
  });
  expect(await host.call({ name: 'mcp__desk__strict', input: { [key]: 1 } })).toMatchObject({
    error: { code: 'bad-input' },
  });
  const lines = await scene.ledgerOf(host);
  expect(lines.map(({ tool, decision, rule, outcome, code }) => [tool, decision, rule, outcome, code])).toEqual([
    ['mcp__desk__append', 'allow', 'mode bypass', 'ok', undefined],
    ['mcp__desk__fail', 'allow', 'mode bypass', 'error', undefined],
    ['mcp__desk__refuse', 'allow', 'mode bypass', 'error', 'server-error'],
    ['mcp__desk__strict', 'allow', 'mode bypass', 'error', 'bad-input'],
    ['mcp__desk__strict', 'allow', 'mode bypass', 'error', 'bad-input'],
  ]);
  for (const line of lines)
    expect(line).toMatchObject({ server: 'desk', bytesIn: expect.any(Number), pid: process.pid });
  expect(scene.ledgerText()).not.toContain(key);
});

test('a call never rejects, whatever is asked for, and the next one is answered', async () => {
  await using scene = openWalk();
  scene.configure({ desk: scene.walking(['append']) });
  const host = await scene.settle();
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const requests: readonly (readonly [request: object, code: unknown])[] = [
    [{}, 'unknown-tool'],
    [{ name: 7 }, 'unknown-tool'],
    [{ name: '__proto__' }, 'unknown-tool'],
    [{ name: 'mcp__desk__append', input: 'text' }, 'bad-input'],
    [{ name: 'mcp__desk__append', input: [1] }, 'bad-input'],
    [{ name: 'mcp__desk__append', input: null }, undefined],
    [{ name: 'mcp__desk__append', input: { count: 1n } }, expect.any(String)],
    [{ name: 'mcp__desk__append', input: circle }, expect.any(String)],
    [{ name: 'CallMcpTool', input: null }, 'bad-input'],
    [{ name: 'Read', input: 'text' }, 'bad-input'],
  ];
  for (const [request, code] of requests) {
    const result = await host.call(request as never);
    expect([request, result.error?.code]).toEqual([request, code]);
  }
  expect(await host.call({ name: 'mcp__desk__append' })).toMatchObject({ outcome: 'ok' });
});
