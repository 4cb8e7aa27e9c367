import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, resultOf, say } from '../program/prompt-scene.js';
import { findAgentSdk } from './agent-sdk.js';
import { type Drive, drive as driveWith, type DriveOptions, Reading, Recorder, Talk, TOOLS } from './drive.js';
import { typeErrors } from './lines.js';

const sdk = await findAgentSdk();
const recorder = new Recorder();
const drive = (options: DriveOptions): ReturnType<typeof driveWith> => driveWith(sdk!, recorder, options);
const asking = { command: process.execPath, args: [join(import.meta.dirname, '../program/called-server.mjs')] };
const ID = '123e4567-e89b-42d3-a456-426614174000';

async function idOf({ all }: Drive): Promise<unknown> {
  return (await all()).at(-1)!['session_id'];
}

describe.skipIf(!sdk)('the published agent SDK', () => {
  test('goes on with a session, forks it, and is told of one that is not there', async () => {
    const first = await drive({ script: [say('one')], prompt: 'first', options: { sessionId: ID } });
    expect(await idOf(first)).toBe(ID);
    const scene = first;
    const second = await drive({ script: [say('two')], prompt: 'second', options: { resume: ID }, scene });
    expect(await idOf(second)).toBe(ID);
    expect(JSON.stringify(second.api.requests[0]!['messages'])).toMatch(/first.*one.*second/u);
    const third = await drive({ script: [say('three')], options: { continue: true, forkSession: true }, scene });
    expect(await idOf(third)).not.toBe(ID);
    expect(JSON.stringify(third.api.requests[0]!['messages'])).toMatch(/first.*one.*second.*two/u);

    const unknown = '00000000-0000-4000-8000-000000000000';
    const lost = await drive({ script: [say('never')], options: { resume: unknown }, scene });
    await expect(lost.all()).rejects.toThrow(`No conversation found with session ID: ${unknown}`);
    expect(lost.lines.at(-1)).toMatchObject({
      subtype: 'error_during_execution',
      errors: [`No conversation found with session ID: ${unknown}`],
      num_turns: 0,
    });
    expect(await lost.exit()).not.toBe(0);
    const taken = await drive({ script: [say('never')], options: { sessionId: ID }, scene });
    await expect(taken.all()).rejects.toThrow(/already in use/u);
  });

  test('answers what servers want to know, or declines at once', async () => {
    const script = [[call('mcp__n__ask', {})], say('done')];
    const options = { mcpServers: { n: asking }, allowedTools: ['mcp__n'] };
    const asked: unknown[] = [];
    const onElicitation = async (request: unknown): Promise<object> => {
      asked.push(request);
      return { action: 'accept', content: { which: 'the blue one' } };
    };
    const answering = await drive({ script, options: { ...options, onElicitation } });
    await answering.all();
    expect(asked).toMatchObject([{ serverName: 'n', message: 'Which one?' }]);
    expect(JSON.stringify(resultOf(answering.api))).toContain('the blue one');
    const silent = await drive({ script, options });
    await silent.all();
    expect(JSON.stringify(resultOf(silent.api))).toContain('decline');
  });

  test('brings sub-agents, whose messages name the call that they work for', async () => {
    const { all } = await drive({
      script: (_, { messages }) => {
        const said = JSON.stringify(messages);
        if (!said.includes('Dig'))
          return [call('Agent', { description: 'd', prompt: 'Dig', agent: 'mole' }, 'toolu_a')];
        if (said.includes('toolu_a')) return say('Dug.');
        return said.includes('toolu_b') ? say('found') : [call('mcp__t__echo', { text: 'x' }, 'toolu_b')];
      },
      options: {
        mcpServers: { t: TOOLS },
        allowedTools: ['mcp__t', 'Task'],
        agents: {
          mole: { description: 'digs', prompt: 'You dig.', tools: ['mcp__t__echo', 'Grep'], model: 'inherit' },
        },
      },
    });
    const messages = await all();
    expect(messages[0]).toMatchObject({ agents: ['mole'] });
    const parents = messages.filter(({ type }) => type === 'assistant').map((line) => line['parent_tool_use_id']);
    expect(parents).toEqual([null, 'toolu_a', 'toolu_a', null]);
  });

  test('has a long conversation shortened, and is told so', async () => {
    const talk = new Talk();
    const { query } = await drive({
      script: (_, { messages }) =>
        say(
          JSON.stringify(messages).length > 200 && JSON.stringify(messages).includes('summar') ? 'In short.' : 'Well.',
        ),
      prompt: talk,
    });
    const reading = new Reading(query);
    for (const text of ['first', 'second', 'third']) {
      talk.say(`${text} ${'words '.repeat(200)}`);
      await reading.result();
    }
    talk.say('/compact keep the names');
    expect(await reading.result()).toMatchObject({ subtype: 'success' });
    expect(reading.seen).toContainEqual(
      expect.objectContaining({
        subtype: 'compact_boundary',
        compact_metadata: { trigger: 'manual', pre_tokens: expect.any(Number), post_tokens: expect.any(Number) },
      }),
    );
    talk.end();
    await reading.rest();
  });

  test('is told of progress, of retries, and of servers that come and go', async () => {
    const talk = new Talk();
    const overloaded = { mischief: 'refuse', status: 529, headers: { 'retry-after': '0' }, body: 'busy' } as const;
    const { query } = await drive({
      script: [[call('mcp__n__slow', {})], overloaded, say('Well.'), say('I see.')],
      prompt: talk,
      options: { mcpServers: { n: asking }, allowedTools: ['mcp__n'] },
    });
    const reading = new Reading(query);
    talk.say('first');
    expect(await reading.until(({ type }) => type === 'tool_progress')).toMatchObject({
      tool_use_id: 'toolu_1',
      tool_name: 'mcp__n__slow',
      elapsed_time_seconds: expect.any(Number),
    });
    await query.interrupt();
    await reading.result();
    talk.say('second');
    await reading.result();
    expect(reading.seen).toContainEqual(
      expect.objectContaining({ subtype: 'api_retry', attempt: 1, error_status: 529, error: 'overloaded' }),
    );
    await query.setMcpServers({ more: { type: 'stdio', ...TOOLS } });
    talk.say('third');
    await reading.result();
    expect(reading.seen).toContainEqual(
      expect.objectContaining({ subtype: 'informational', tag: 'servers_changed', level: 'info' }),
    );
    talk.end();
    await reading.rest();
  });

  test('gets lines that fit its types', async () => {
    expect(recorder.lines.length).toBeGreaterThan(0);
    expect(await typeErrors(recorder)).toBe('');
  });
});
