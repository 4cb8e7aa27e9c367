import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, resultOf, say } from '../program/prompt-scene.js';
import { findAgentSdk } from './agent-sdk.js';
import { drive as driveWith, type DriveOptions, Recorder, TOOLS } from './drive.js';
import { typeErrors } from './lines.js';

const sdk = await findAgentSdk();
const recorder = new Recorder();
const drive = (options: DriveOptions): ReturnType<typeof driveWith> => driveWith(sdk!, recorder, options);
const t = { mcpServers: { t: TOOLS } };
const allowed = { ...t, allowedTools: ['mcp__t'] };
const failing = (): Promise<object> => Promise.reject(new Error('broken'));
const echo = [[call('mcp__t__echo', { text: 'x' })], say('done')];

describe.skipIf(!sdk)('the published agent SDK', () => {
  test('has hooks asked at every event, with the JSON that is published', async () => {
    const asked: Record<string, unknown>[] = [];
    const hook = async (input: Record<string, unknown>): Promise<object> => {
      asked.push(input);
      return {};
    };
    const events = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Stop', 'SubagentStop'];
    const { all, stderr } = await drive({
      script: [[call('mcp__t__echo', { text: 'x' }, 'a')], [call('mcp__t__fail', {}, 'b')], say('done')],
      options: {
        ...allowed,
        includeHookEvents: true,
        hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]])),
      },
    });
    const messages = await all();
    expect(messages.at(-1)).toMatchObject({ result: 'done' });
    const { session_id: id } = messages.at(-1)!;
    expect(asked.map((input) => input['hook_event_name'])).toEqual([
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PreToolUse',
      'PostToolUseFailure',
      'Stop',
    ]);
    expect(new Set(asked.map((input) => input['session_id']))).toEqual(new Set([id]));
    expect(existsSync(String(asked[1]!['transcript_path']))).toBe(true);
    expect(asked[1]).toMatchObject({
      tool_name: 'mcp__t__echo',
      tool_input: { text: 'x' },
      tool_use_id: 'a',
      permission_mode: 'default',
      mcp_server: { name: 't', source: 'dynamic' },
    });
    expect(asked[2]).toMatchObject({ tool_response: [{ type: 'text', text: '{"text":"x"}' }] });
    expect(asked[4]).toMatchObject({ error: 'the disk is full' });
    // The line that describes the session comes after the hooks of the prompt.
    const order = messages.map(({ type, subtype }) => subtype ?? type);
    expect(order.indexOf('init')).toBeGreaterThan(order.indexOf('hook_response'));
    expect(order.filter((word) => word === 'hook_started')).toHaveLength(6);
    expect(stderr()).toContain('hooks of these events never run here: SubagentStop');
  });

  test.each<[string, () => Promise<object>, object, string]>([
    [
      'denies',
      async () => ({
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'not on Fridays',
        },
      }),
      {},
      'not on Fridays',
    ],
    ['throws', () => Promise.reject(new Error('I am broken')), {}, 'I am broken'],
    ['throws, and is to block', () => Promise.reject(new Error('broken')), { onFailure: 'block' }, 'broken'],
  ])('has a call blocked by a hook that %s', async (_, hook, more, reason) => {
    const { all, api } = await drive({
      script: echo,
      options: { ...allowed, hooks: { PreToolUse: [{ matcher: 'mcp__t__echo', hooks: [hook], ...more }] } },
    });
    expect((await all()).at(-1)).toMatchObject({ result: 'done' });
    expect(JSON.stringify(resultOf(api))).toContain(reason);
    expect(resultOf(api)).toMatchObject({ is_error: true });
  });

  test('has a call go on after a hook that fails where it says so', async () => {
    const { all, api } = await drive({
      script: echo,
      options: { ...allowed, hooks: { PreToolUse: [{ hooks: [failing], onFailure: 'continue' }] } },
    });
    await all();
    expect(resultOf(api)).toMatchObject({ is_error: false });
  });

  test('asks hooks before it is asked itself, and not where a hook has allowed', async () => {
    const order: string[] = [];
    const decide = (permissionDecision: string) => async (): Promise<object> => {
      order.push('hook');
      return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } };
    };
    const canUseTool = async (_: string, input: object): Promise<object> => {
      order.push('canUseTool');
      return { behavior: 'allow', updatedInput: input };
    };
    const run = async (word: string): Promise<readonly string[]> => {
      order.splice(0);
      const hooks = { PreToolUse: [{ hooks: [decide(word)] }] };
      await (await drive({ script: echo, options: { ...t, canUseTool, hooks } })).all();
      return [...order];
    };
    expect(await run('ask')).toEqual(['hook', 'canUseTool']);
    expect(await run('allow')).toEqual(['hook']);
  });

  test('gives permissions and hooks as settings of this run', async () => {
    const settings = {
      permissions: {
        allow: ['mcp__t', 'Bash(ls)'],
        deny: ['mcp__t__add', 'Read(./secrets/**)'],
        defaultMode: 'acceptEdits',
      },
      hooks: { PostToolUse: [{ hooks: [{ type: 'command', command: 'cat > "$HOME/seen.json"' }] }] },
      env: { A: 'b' },
    };
    const { all, home, stderr } = await drive({ script: echo, options: { ...t, settings } });
    const messages = await all();
    expect(messages[0]!['tools']).not.toContain('mcp__t__add');
    expect(messages.at(-1)).toMatchObject({ result: 'done', permission_denials: [] });
    expect(JSON.parse(readFileSync(join(home, 'seen.json'), 'utf8'))).toMatchObject({ tool_name: 'mcp__t__echo' });
    expect(stderr()).toMatch(/without effect: env/u);

    const bad = await drive({ script: echo, options: { ...t, settings: { permissions: { deny: 'mcp__t' } } } });
    await expect(bad.all()).rejects.toThrow(/array of rules/u);
    const denied = await drive({
      script: [say('done')],
      options: { ...allowed, settings: { deniedMcpServers: [{ serverName: 't' }] } },
    });
    expect((await denied.all())[0]).toMatchObject({ mcp_servers: [{ name: 't', status: 'disabled' }] });
  });

  test('hands over how the model is to work, and names what has no effect', async () => {
    const { all, api, stderr } = await drive({
      script: [say('done')],
      options: {
        effort: 'low',
        thinking: { type: 'enabled', budgetTokens: 2048 },
        fallbackModel: 'spare',
        outputFormat: { type: 'json_schema', schema: { type: 'object' } },
      },
    });
    await all();
    expect(api.requests[0]).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 2048 } });
    expect(stderr().match(/json-schema has no effect|jsonSchema has no effect/gu)).toEqual([
      'json-schema has no effect',
    ]);
  });

  test('gets lines that fit its types', async () => {
    expect(recorder.lines.length).toBeGreaterThan(0);
    expect(await typeErrors(recorder)).toBe('');
  });
});
