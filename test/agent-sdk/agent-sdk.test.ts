import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, resultOf, say } from '../program/prompt-scene.js';
import { findAgentSdk } from './agent-sdk.js';
import { drive as driveWith, type DriveOptions, PROGRAM, Reading, Recorder, Talk, TOOLS } from './drive.js';
import { typeErrors } from './lines.js';

const sdk = await findAgentSdk();
const recorder = new Recorder();
const drive = (options: DriveOptions): ReturnType<typeof driveWith> => driveWith(sdk!, recorder, options);
const t = { mcpServers: { t: TOOLS } };

interface Asked {
  readonly suggestions: readonly unknown[];
  readonly decisionReason?: string;
}

describe.skipIf(!sdk)('the published agent SDK', () => {
  test.each([
    ['as a script', false],
    ['as an executable', true],
  ])('asks one prompt of the program, started %s, without a shim', async (_, isExecutable) => {
    const scene = await drive({ script: [say('Hello.')], executable: PROGRAM });
    expect((await scene.all()).at(-1)).toMatchObject({ result: 'Hello.' });
    if (!isExecutable) return;
    const executable = join(scene.home, 'plugboard');
    symlinkSync(PROGRAM, executable);
    const { all } = await drive({ script: [say('Hello again.')], executable });
    expect(await all()).toMatchObject([
      {
        type: 'system',
        subtype: 'init',
        model: 'scripted',
        apiKeySource: 'ANTHROPIC_API_KEY',
        permissionMode: 'default',
      },
      { type: 'assistant', message: { content: [{ type: 'text', text: 'Hello again.' }] } },
      { type: 'result', subtype: 'success', result: 'Hello again.', total_cost_usd: 0, is_error: false },
    ]);
  });

  test('gives a system prompt that replaces our introduction, and the servers keep their section', async () => {
    const script = [say('Aye.')];
    const instructions = 'Desks have drawers.';
    const options = (): object => ({
      mcpServers: { desk: sdk!.createSdkMcpServer({ name: 'desk', version: '1', instructions, tools: [] }) },
    });
    const systems: string[] = [];
    for (const systemPrompt of [
      undefined,
      'You are a pirate.',
      { type: 'preset', preset: 'claude_code', append: 'Be brief.' },
    ]) {
      const { all, api } = await drive({ script, options: { systemPrompt, ...options() } });
      await all();
      systems.push(JSON.stringify(api.requests[0]!['system']));
    }
    const [none, text, preset] = systems;
    for (const system of systems) expect(system).toContain(instructions);
    expect(none).toContain('You are Plugboard');
    expect(text).toContain('You are a pirate.');
    expect(text).not.toContain('You are Plugboard');
    expect(text).toContain('Surroundings');
    expect(preset).toContain('You are Plugboard');
    expect(preset).toContain('Be brief.');
  });

  test('serves tools from its own process, and allows them by name', async () => {
    const lookedUp: unknown[] = [];
    const server = sdk!.createSdkMcpServer({
      name: 'desk',
      version: '1.0.0',
      tools: [
        sdk!.tool('look_up', 'Looks up', {}, async (input) => {
          lookedUp.push(input);
          return { content: [{ type: 'text', text: 'found' }] };
        }),
      ],
    });
    const { all, api } = await drive({
      script: [[call('mcp__desk__look_up', {})], say('Found it.')],
      options: { mcpServers: { desk: server }, allowedTools: ['mcp__desk__look_up', 'Bash(git log:*)', 'Edit'] },
    });
    const messages = await all();
    expect(messages.at(-1)).toMatchObject({ result: 'Found it.', permission_denials: [] });
    expect(lookedUp).toHaveLength(1);
    expect(resultOf(api)).toMatchObject({ is_error: false, content: [{ text: 'found' }] });
    expect(messages.find(({ type }) => type === 'user')).toMatchObject({ tool_use_result: [{ text: 'found' }] });
  });

  test('decides about calls: another input, a no, and a rule for the rest of the session', async () => {
    const asked: { name: string; options: { suggestions: unknown[] } }[] = [];
    const decisions = [
      { behavior: 'allow', updatedInput: { text: 'y' } },
      { behavior: 'deny', message: 'not that one' },
    ];
    const canUseTool = async (name: string, input: object, options: { suggestions: unknown[] }): Promise<object> => {
      asked.push({ name, options });
      return decisions.shift() ?? { behavior: 'allow', updatedInput: input, updatedPermissions: options.suggestions };
    };
    const script = ['a', 'b', 'c', 'd'].map((id) => [call('mcp__t__echo', { text: id }, id)]);
    const { all, api } = await drive({ script: [...script, say('done')], options: { canUseTool, ...t } });
    expect((await all()).at(-1)).toMatchObject({
      result: 'done',
      permission_denials: [{ tool_name: 'mcp__t__echo', tool_use_id: 'b', tool_input: { text: 'b' } }],
    });
    expect(asked).toHaveLength(3);
    expect(asked[0]!.options.suggestions).toEqual([
      { type: 'addRules', rules: [{ toolName: 'mcp__t__echo' }], behavior: 'allow', destination: 'localSettings' },
    ]);
    expect(resultOf(api, 'a')).toMatchObject({ content: [{ text: '{"text":"y"}' }] });
    expect(JSON.stringify(resultOf(api, 'b'))).toContain('not that one');
    expect(resultOf(api, 'd')).toMatchObject({ content: [{ text: '{"text":"d"}' }] });
  });

  test('is asked about what would leave though a rule allows the tool, and is told why', async () => {
    const asked: object[] = [];
    const canUseTool = async (name: string, _: object, { suggestions, ...more }: Asked): Promise<object> => {
      asked.push({ name, suggestions, reason: more.decisionReason });
      return { behavior: 'deny', message: 'not that' };
    };
    const text = '0123456789abcdef'.repeat(20);
    const { all, api } = await drive({
      script: [
        [call('mcp__t__large', { bytes: text.length }, 'a')],
        [call('mcp__u__echo', { text }, 'b')],
        say('done'),
      ],
      options: { canUseTool, mcpServers: { t: TOOLS, u: TOOLS }, allowedTools: ['mcp__t', 'mcp__u'] },
    });
    expect((await all()).at(-1)).toMatchObject({ result: 'done' });
    const reason = 'its argument "text" repeats text that t.large gave one turn ago';
    expect(asked).toEqual([{ name: 'mcp__u__echo', suggestions: [], reason }]);
    expect(JSON.stringify(resultOf(api, 'b'))).toContain('not that');
  });

  test('ends the turn with a no that interrupts, and withdraws a question that is interrupted', async () => {
    const ending = await drive({
      script: [[call('mcp__t__echo', { text: 'x' })], say('never')],
      options: { canUseTool: async () => ({ behavior: 'deny', message: 'stop it', interrupt: true }), ...t },
    });
    await expect(ending.all()).rejects.toThrow('stop it');

    const talk = new Talk();
    let withdrawn: (() => void) | undefined;
    const isWithdrawn = new Promise<void>((resolve) => (withdrawn = resolve));
    let asked: (() => void) | undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const canUseTool = (_: string, __: object, { signal }: { signal: AbortSignal }): Promise<object> => {
      signal.addEventListener('abort', () => withdrawn!());
      asked!();
      return new Promise(() => {});
    };
    const { query } = await drive({
      script: [[call('mcp__t__echo', { text: 'x' })], say('again')],
      prompt: talk,
      options: { canUseTool, ...t },
    });
    const reading = new Reading(query);
    talk.say('first');
    const result = reading.result();
    await isAsked;
    expect(await query.interrupt()).toMatchObject({ still_queued: [] });
    await isWithdrawn;
    expect(await result).toMatchObject({ subtype: 'error_during_execution' });
    talk.say('second');
    expect(await reading.result()).toMatchObject({ result: 'again' });
    talk.end();
    await reading.rest();
  });

  test('changes the permission mode: plan denies, and bypass only by its flag', async () => {
    const talk = new Talk();
    const script = [
      [call('mcp__t__echo', { text: 'x' }, 'a')],
      say('one'),
      [call('mcp__t__echo', { text: 'x' }, 'b')],
      say('two'),
    ];
    const options = { permissionMode: 'bypassPermissions', ...t };
    const first = await drive({ script, prompt: talk, options });
    const reading = new Reading(first.query);
    talk.say('first');
    expect(await reading.result()).toMatchObject({ permission_denials: [{ tool_use_id: 'a' }] });
    expect(reading.seen[0]).toMatchObject({ subtype: 'init', permissionMode: 'default' });
    await expect(first.query.setPermissionMode('bypassPermissions')).rejects.toThrow(
      /because the session was not launched/u,
    );
    await first.query.setPermissionMode('plan');
    talk.say('second');
    expect(await reading.result()).toMatchObject({ permission_denials: [{ tool_use_id: 'b' }] });
    expect(reading.seen).toContainEqual(expect.objectContaining({ subtype: 'status', permissionMode: 'plan' }));
    talk.end();
    await reading.rest();
    expect(first.stderr()).toContain('bypassPermissions has no effect without');

    const { all } = await drive({
      script: [[call('mcp__t__echo', { text: 'x' })], say('done')],
      options: { ...options, allowDangerouslySkipPermissions: true },
    });
    expect((await all()).at(-1)).toMatchObject({ result: 'done', permission_denials: [] });
  });

  test('looks at servers, and switches them off, on and over', async () => {
    const talk = new Talk();
    const { query } = await drive({ script: [say('one'), say('two')], prompt: talk, options: t });
    const reading = new Reading(query);
    talk.say('first');
    await reading.result();
    const statuses = await query.mcpServerStatus();
    recorder.statuses.push(...statuses);
    expect(statuses).toMatchObject([
      {
        name: 't',
        status: 'connected',
        serverInfo: { name: 'tools', version: '1' },
        tools: expect.arrayContaining([
          {
            name: 'add',
            description: 'Adds two numbers\nand says so',
            annotations: { readOnly: true, destructive: false, openWorld: true },
          },
        ]),
      },
    ]);
    await query.toggleMcpServer('t', false);
    expect(await query.mcpServerStatus()).toMatchObject([{ name: 't', status: 'disabled' }]);
    await query.toggleMcpServer('t', true);
    await query.reconnectMcpServer('t');
    expect(await query.mcpServerStatus()).toMatchObject([{ name: 't', status: 'connected' }]);
    await expect(query.reconnectMcpServer('nobody')).rejects.toThrow('Server not found: nobody');
    expect(
      await query.setMcpServers({ more: { type: 'stdio', ...TOOLS }, bad: { type: 'stdio' }, t: TOOLS }),
    ).toMatchObject({
      added: ['more', 'bad'],
      removed: [],
      errors: { t: expect.any(String), bad: expect.any(String) },
    });
    expect(await query.mcpServerStatus()).toMatchObject([
      { name: 't' },
      { name: 'more', status: 'connected' },
      { name: 'bad', status: 'failed' },
    ]);
    expect(await query.setMcpServers({})).toMatchObject({ added: [], removed: ['more', 'bad'] });
    const desk = sdk!.createSdkMcpServer({ name: 'desk', version: '1', tools: [] });
    expect(await query.setMcpServers({ desk })).toEqual({ added: ['desk'], removed: [], errors: {} });
    expect(await query.mcpServerStatus()).toMatchObject([{ name: 't' }, { name: 'desk', status: 'connected' }]);
    await query.setMcpServers({});
    expect(await query.mcpServerStatus()).toMatchObject([{ name: 't' }]);
    talk.end();
    await reading.rest();
  });

  test('asks several prompts, changes the model, and gets what streams', async () => {
    const talk = new Talk();
    const { query, api, args } = await drive({
      script: [say('one'), say('two')],
      prompt: talk,
      options: { includePartialMessages: true },
    });
    const reading = new Reading(query);
    expect(args).not.toContain('-p');
    talk.say([{ type: 'text', text: 'Read this first.' }], { shouldQuery: false });
    talk.say('first');
    await reading.result();
    await query.setModel('other');
    talk.say('second');
    expect(await reading.result()).toMatchObject({ modelUsage: { other: { contextWindow: 200_000 } } });
    expect(JSON.stringify(api.requests[0]!['messages'])).toContain('Read this first.');
    expect(api.requests[1]).toMatchObject({ model: 'other' });
    expect(reading.seen.filter(({ subtype }) => subtype === 'init')).toHaveLength(2);
    expect(reading.seen.some(({ type }) => type === 'stream_event')).toBe(true);
    expect(await query.getContextUsage()).toMatchObject({ maxTokens: 200_000, model: 'other' });
    expect(await query.initializationResult()).toMatchObject({ hook_on_failure_supported: true });
    talk.end();
    await reading.rest();
  });

  test('limits turns, and is told what went wrong', async () => {
    const calls = await drive({
      script: ['a', 'b'].map((id) => [call('mcp__t__add', { a: 1 }, id)]),
      options: { maxTurns: 2, allowedTools: ['mcp__t'], ...t },
    });
    await expect(calls.all()).rejects.toThrow('Reached maximum number of turns (2)');
    expect(calls.lines.at(-1)).toMatchObject({ subtype: 'error_max_turns', is_error: true, num_turns: 2 });
    expect(await calls.exit()).not.toBe(0);

    const broken = await drive({ script: [{ mischief: 'refuse', status: 400 }] as never });
    await expect(broken.all()).rejects.toThrow('HTTP 400');
    expect(broken.lines.at(-1)).toMatchObject({ subtype: 'error_during_execution', is_error: true });

    const costly = await drive({ script: [say('never')], options: { maxBudgetUsd: 1 } });
    await expect(costly.all()).rejects.toThrow(/--max-budget-usd cannot be obeyed/u);
  });

  test('restricts tools: denied ones, and no built-in ones', async () => {
    const { all, api, stderr } = await drive({
      script: [say('done')],
      options: {
        tools: [],
        disallowedTools: ['mcp__t__echo', 'Bash(rm *)', 'WebFetch'],
        outputFormat: undefined,
        ...t,
      },
    });
    const [init] = await all();
    expect(init!['tools']).toEqual(expect.arrayContaining(['mcp__t__add']));
    expect(init!['tools']).not.toContain('mcp__t__echo');
    expect(init!['tools']).not.toContain('Agent');
    expect(JSON.stringify(api.requests[0]!['tools'])).not.toContain('"Agent"');
    expect(stderr()).toBe('');
  });

  test('chooses which files are read', async () => {
    const files = {
      '.config/plugboard/config.json': {
        mcpServers: { mine: TOOLS },
        settings: { permissions: { deny: ['mcp__mine__echo'] } },
      },
      'project/.mcp.json': { mcpServers: { theirs: TOOLS } },
    };
    const names = async (options: object): Promise<unknown> => {
      const { all } = await drive({ script: [say('done')], files, options });
      return ((await all())[0]!['mcp_servers'] as { name: string }[]).map(({ name }) => name);
    };
    expect(await names({})).toEqual(['theirs', 'mine']);
    expect(await names({ settingSources: ['project'] })).toEqual(['theirs']);
    expect(await names({ settingSources: [] })).toEqual([]);
  });

  test('ends the program when it is aborted', async () => {
    const abortController = new AbortController();
    const { query, api, exit, lines } = await drive({ script: () => undefined, options: { abortController } });
    const reading = new Reading(query).rest().catch((error: unknown) => String(error));
    await api.asked(1);
    abortController.abort();
    expect(await reading).toContain('abort');
    expect(await exit()).toBe(130);
    expect(lines.at(-1)).toMatchObject({ type: 'result', error: { code: 'cancelled' } });
  });

  test('gets lines that fit its types', async () => {
    expect(recorder.lines.length).toBeGreaterThan(0);
    expect(await typeErrors(recorder)).toBe('');
  });
});
