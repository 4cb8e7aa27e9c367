import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localDialect } from '../fixtures/openai-dialect.js';
import { openScriptedApi } from '../fixtures/scripted-api.js';
import { FAR_MS } from './late-clock.js';
import { call, promptScene, resultOf, say, toolServer, withTools } from './prompt-scene.js';
import { makeSandbox, PROJECT_FILE } from './sandbox.js';

const calling = [[{ type: 'text', text: 'Let me see.' }, call('mcp__t__echo', { text: 'x' })], say('It says x.')];
const allowed = ['--allow', 'mcp__t__echo'];

test('a prompt is answered on stdout, and nothing is said on stderr', async () => {
  const { run, api } = await promptScene([say('Hello **you**.')]);
  expect(await run(['-p', 'hi'])).toMatchObject({ code: 0, stdout: 'Hello **you**.\n', stderr: '' });
  expect(api.requests[0]).toMatchObject({ model: 'scripted', messages: [{ role: 'user' }] });
  expect(api.refused).toEqual([]);
});

test.each([
  [['-p', 'explain', 'this'], undefined, 'explain this'],
  [['--print', 'list'], undefined, 'list'],
  [['explain this', '-p'], undefined, 'explain this'],
  [['-p', '--', '--json is what?'], undefined, '--json is what?'],
  [['-p'], 'from a pipe\n', 'from a pipe'],
  [['-p', 'Sum up:'], 'a\nb\n', 'Sum up:\n\na\nb'],
])('what is asked with %j and %j on stdin', async (args, stdin, expected) => {
  const { run, api } = await promptScene([say('ok')]);
  expect(await run(args, stdin === undefined ? {} : { stdin })).toMatchObject({ code: 0, stdout: 'ok\n' });
  expect(api.requests[0]!['messages']).toMatchObject([{ content: [{ text: expected }] }]);
});

test.each([
  [['-p'], 'error: -p needs a prompt, and there is none'],
  [['-p', '  '], 'error: -p needs a prompt, and there is none'],
  [['-p', 'x', '--output-format', 'xml'], 'error: --output-format must be one of: text, json, stream-json; got xml'],
  [['-p', 'x', '--input-format', 'stream-json'], 'needs --output-format stream-json'],
  [['-p', 'x', '--json', '--output-format', 'text'], '--json and --output-format text contradict each other'],
  [['-p', 'x', '--include-partial-messages'], 'needs --output-format stream-json'],
  [['-p', 'x', '--permission-mode', 'yolo'], 'error: --permission-mode must be one of: default, auto-read'],
  [['-p', 'x', '--permission-prompt-tool', 'ask'], 'must be mcp__server__tool or stdio, got ask'],
  [['-p', 'x', '--permission-prompt-tool', 'stdio'], 'needs --input-format stream-json'],
  [['-p', 'x', '--allow', 'mcp__a(b)'], 'error: --allow mcp__a(b): the rule has brackets'],
  [['-p', 'x', '--deny', 'a,b'], 'error: --deny a,b: the rule has a comma'],
  [['-p', 'x', '--max-turns', '0'], 'error: --max-turns must be a number, 1 or more; got 0'],
  [['-p', 'x', '--context-tokens', '12k'], 'error: --context-tokens must be a number of tokens, 1000 or more; got 12k'],
  [['-p', 'x', '--context-tokens', '999'], 'error: --context-tokens must be a number of tokens, 1000 or more; got 999'],
  [['-p', 'x', '--agents', '{"a":{}}'], 'error: --agents: agents.a: description: expected a text'],
  [['-p', 'x', '--agents', 'gone.json'], 'gone.json cannot be read'],
  [['-p', 'x', '--timeout', 'soon'], 'error: --timeout must be a number of milliseconds'],
  [['--output-format', 'json'], 'error: --output-format is for one prompt'],
  [['--model', 'x'], 'error: no command, and stdin is not a terminal for a session'],
  [['what is this'], "error: unknown command 'what is this'"],
])('%j is refused as usage: %s', async (args, message) => {
  const { run, api } = await promptScene([]);
  const { code, stderr, stdout, json } = await run(args);
  const told = json ? [`error: ${json.error!.message}`, json.error!.hint] : stderr.trim().split('\n  ');
  expect([code, told]).toEqual([2, [expect.stringContaining(message), expect.stringMatching(/./u)]]);
  expect([api.requests, json ? '' : stdout]).toEqual([[], '']);
});

test('as text only the answer is printed, not what the model said on the way; calls are told with --verbose', async () => {
  const { run, api } = await promptScene(calling);
  expect(await run(['-p', 'go', ...withTools(), ...allowed])).toMatchObject({
    code: 0,
    stdout: 'It says x.\n',
    stderr: '',
  });
  expect(resultOf(api)).toMatchObject({ is_error: false, content: [{ text: '{"text":"x"}' }] });

  const { run: again } = await promptScene(calling);
  const { stderr } = await again(['-p', 'go', '--verbose', ...withTools(), ...allowed]);
  expect(stderr).toMatch(/^→ mcp__t__echo .*"?x"?.*\n← mcp__t__echo ok, \d+ ms\n$/u);
});

test('on a terminal words come line by line, and nothing in them is obeyed', async () => {
  const { run } = await promptScene([
    [{ type: 'text', text: 'One\n\u001B[31mtwo' }, call('mcp__t__echo', { text: 'x' })],
    say('Three\n'),
  ]);
  const pieces: string[] = [];
  const onStdout = (text: string): boolean => (pieces.push(text), true);
  const args = ['-p', 'go', ...withTools(), ...allowed];
  const { stdout } = await run(args, { isTerminal: true, answers: [], onStdout });
  expect([stdout, pieces[0]]).toEqual(['One\ntwo\n\nThree\n', 'One\n']);
});

test('a model that is not there is told before any server is started', async () => {
  const sandbox = makeSandbox();
  const mark = join(sandbox.root, 'started');
  const entry = { command: 'touch', args: [mark] };
  const words = ['-p', 'hi', '--mcp-server', `t=${JSON.stringify(entry)}`];
  const { code, json } = await sandbox.run([...words, '--json']);
  expect([code, json]).toMatchObject([1, { ok: false, error: { code: 'no-model' } }]);
  expect(json?.error?.hint).toContain('ANTHROPIC_API_KEY');
  expect(existsSync(mark)).toBe(false);

  const { stdout, stderr } = await sandbox.run([...words, '--output-format', 'stream-json']);
  expect(JSON.parse(stdout)).toMatchObject({ type: 'result', is_error: true, error: { code: 'no-model' } });
  expect(stderr).toContain('ANTHROPIC_API_KEY');
});

test('with --json there is one envelope with the answer and what happened', async () => {
  const { run } = await promptScene(calling);
  const { code, json } = await run(['-p', 'go', '--json', ...withTools(), ...allowed]);
  expect([code, json]).toMatchObject([
    0,
    {
      ok: true,
      data: {
        result: 'It says x.',
        sessionId: expect.stringMatching(/^[\w-]{36}$/u),
        model: 'scripted',
        turns: 2,
        stop: 'done',
        usage: { input: 2, output: 2 },
        calls: [{ name: 'mcp__t__echo', outcome: 'ok', ms: expect.any(Number) }],
        denials: [],
        servers: [{ name: 't', status: 'connected' }],
        ms: expect.any(Number),
      },
    },
  ]);
});

test('a call that no rule allows is denied: the model hears it, the answer is printed, and the rule is named', async () => {
  const { run, api } = await promptScene(calling);
  const { code, stdout, stderr } = await run(['-p', 'go', ...withTools()], { answers: ['y', 'y'], isTerminal: true });
  expect([code, stdout]).toEqual([5, expect.stringContaining('It says x.')]);
  expect(stderr).toContain('nobody can be asked');
  expect(stderr).toContain('--allow mcp__t__echo');
  expect(resultOf(api)).toMatchObject({ is_error: true });

  const { run: again } = await promptScene(calling);
  const { json } = await again(['-p', 'go', '--output-format', 'json', ...withTools()]);
  expect(json?.data).toMatchObject({
    stop: 'done',
    denials: [{ name: 'mcp__t__echo', reason: expect.stringContaining('nobody can be asked') }],
  });
});

test.each([
  [['--permission-mode', 'bypass'], 0, false],
  [['--permission-mode', 'auto-read'], 5, true],
  [['--permission-mode', 'plan'], 5, true],
  [['--permission-mode', 'dont-ask'], 5, true],
  [['--permission-mode', 'dont-ask', '--allow', 'mcp__t'], 0, false],
  [['--allow', 'mcp__t__*'], 0, false],
])('%j ends with %i', async (flags, expected, isError) => {
  const { run, api } = await promptScene(calling);
  const { code } = await run(['-p', 'go', ...withTools(), ...flags]);
  expect([code, resultOf(api)?.['is_error']]).toEqual([expected, isError]);
});

test('what --deny names the model does not even see', async () => {
  const { run, api } = await promptScene([say('ok')]);
  expect((await run(['-p', 'go', ...withTools(), '--deny', 'mcp__t__echo'])).code).toBe(0);
  const names = (api.requests[0]!['tools'] as { name: string }[]).map(({ name }) => name);
  expect(names).toContain('mcp__t__add');
  expect(names).not.toContain('mcp__t__echo');
});

test("a project's server stays off until somebody approves it, if only for this run", async () => {
  const { run, api } = await promptScene([say('ok'), say('ok')], { [PROJECT_FILE]: { mcpServers: { t: toolServer } } });
  const names = (at: number): string[] => (api.requests[at]!['tools'] as { name: string }[]).map(({ name }) => name);
  const { json } = await run(['-p', 'go', '--json']);
  expect(json?.data).toMatchObject({ servers: [{ name: 't', status: 'unapproved' }] });
  expect(names(0)).not.toContain('mcp__t__echo');
  await run(['-p', 'go', '--approve-project-servers']);
  expect(names(1)).toContain('mcp__t__echo');
});

test('a model with the other API is asked in its own way', async () => {
  await using api = await openScriptedApi(localDialect, (turn) =>
    turn === 1 ? { calls: [{ id: 'c1', name: 'mcp__t__echo', arguments: '{"text":"x"}' }] } : { content: 'It says x.' },
  );
  const sandbox = makeSandbox();
  const env = { OPENAI_BASE_URL: `${api.url}/v1` };
  const args = ['-p', 'go', '--model', 'llama', ...withTools(), ...allowed];
  expect(await sandbox.run(args, { env })).toMatchObject({ code: 0, stdout: 'It says x.\n', stderr: '' });
  expect(api.requests[1]).toMatchObject({ model: 'llama' });
});

test.each([
  ['max-turns', ['--max-turns', '1'], calling[0]!, 'still not done after 1 turn'],
  ['length', [], { mischief: 'say' as const, text: cutAnswer() }, 'The answer is cut'],
])('an answer that is none for %s ends with 1, and what there is is printed', async (stop, flags, reply, message) => {
  const { run } = await promptScene([reply, reply]);
  const words = ['-p', 'go', ...withTools(), ...allowed, ...flags];
  const { code, stderr, stdout } = await run(words);
  expect([code, stderr, stdout]).toEqual([
    1,
    expect.stringContaining(message),
    expect.stringMatching(/^(?:Let|Half)/u),
  ]);
  expect((await run([...words, '--json'])).json).toMatchObject({ ok: true, data: { stop } });
});

/** A stream that ends because the model has reached its token limit. */
function cutAnswer(): string {
  const events = [
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'max_tokens', stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

test('a model that breaks off has failed, and what it said so far is lost to nobody', async () => {
  const turn = say('Half of what there is to say, and then the line is cut in the middle of it all.');
  const { run } = await promptScene(() => ({ mischief: 'cut', turn, share: 0.75 }));
  const { code, stdout, stderr } = await run(['-p', 'go']);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^Half of /u)]);
  expect(stderr).not.toBe('');
  const { json } = await run(['-p', 'go', '--json']);
  expect(json).toMatchObject({
    ok: false,
    error: { code: 'model-failed' },
    data: { stop: 'failed', result: expect.stringMatching(/^Half of /u) },
  });
});

test('a model that refuses the request is told with its reason', async () => {
  const { run } = await promptScene(() => ({
    mischief: 'refuse',
    status: 401,
    body: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
  }));
  const { code, stderr, stdout } = await run(['-p', 'go']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('invalid x-api-key');
});

test('--timeout bounds the whole run', async () => {
  const { run, api } = await promptScene(() => undefined);
  const late = { at: () => api.asked(1) };
  const { code, json } = await run(['-p', 'go', '--json', '--timeout', FAR_MS], { late });
  expect([code, json]).toMatchObject([
    124,
    { ok: false, error: { code: 'call-timeout' }, data: { stop: 'cancelled' } },
  ]);
  await api.left(1);
});

test('Ctrl-C stops the model and the call that is under way, and leaves with 130', async () => {
  const leaving = new AbortController();
  const { run, api } = await promptScene(() => undefined);
  const ran = run(['-p', 'go'], { interrupted: leaving.signal });
  await api.asked(1);
  leaving.abort();
  expect(await ran).toMatchObject({ code: 130, stdout: '', stderr: expect.stringContaining('Stopped') });
  await api.left(1);

  const later = new AbortController();
  const calls = await promptScene([[call('mcp__t__never', {})], say('no')]);
  const args = ['-p', 'go', '--verbose', ...withTools(), '--allow', 'mcp__t'];
  const onStderr = (text: string): void => void (text.startsWith('→') && later.abort());
  expect(await calls.run(args, { interrupted: later.signal, onStderr })).toMatchObject({ code: 130 });
});

test('a prompt of a server that is not there is told, and nobody is asked', async () => {
  const { run, api } = await promptScene([say('no')]);
  const { code, stderr } = await run(['-p', '/mcp__nobody__greet']);
  expect([code, api.requests]).toEqual([1, []]);
  expect(stderr).toContain('mcp__nobody__greet');
});

test('what is mentioned and cannot be read is told on stderr, and the rest is asked', async () => {
  const { run } = await promptScene([say('ok')]);
  const { code, stdout, stderr } = await run(['-p', 'read @t:file:///x', ...withTools()]);
  expect([code, stdout, stderr]).toEqual([0, 'ok\n', expect.stringContaining('file:///x')]);
});

test('a sub-agent of --agents works, and what it calls is told', async () => {
  const { run, api } = await promptScene((_, { messages }) => {
    const said = JSON.stringify(messages);
    if (!said.includes('Dig'))
      return [call('Agent', { description: 'dig', prompt: 'Dig', agent: 'digger' }, 'toolu_a')];
    if (said.includes('toolu_a')) return say('Dug.');
    return said.includes('toolu_b') ? say('found x') : [call('mcp__t__echo', { text: 'x' }, 'toolu_b')];
  });
  const agents = { digger: { description: 'digs', prompt: 'You dig.', tools: ['mcp__t__echo'] } };
  const args = ['-p', 'go', '--json', '--agents', JSON.stringify(agents), ...withTools(), ...allowed];
  const { code, json } = await run(args);
  expect([api.refused, code, json?.data]).toMatchObject([
    [],
    0,
    { result: 'Dug.', calls: [{ name: 'mcp__t__echo', agent: 'digger' }, { name: 'Agent' }] },
  ]);
});

test('a server that the last run knew is not waited for, one that nobody knows for as long as a variable says', async () => {
  const { run, api, sandbox } = await promptScene(() => say('ok'));
  const script = sandbox.write('server.mjs', readFileSync(toolServer.args[0]!, 'utf8'));
  await run(['-p', 'go', ...serverOf(script)]);
  const silent = 'setInterval(() => {}, 1e9);';
  sandbox.write('server.mjs', silent);
  // With these timeouts a run that waited for the server would exceed the test's timeout.
  const { json } = await run(['-p', 'go', '--json', ...serverOf(script)], {
    env: { MCP_CONNECT_TIMEOUT_MS: '600000', MCP_TIMEOUT: '600000' },
  });
  expect(json?.data).toMatchObject({ result: 'ok', servers: [{ name: 't', status: 'pending' }] });
  const names = (api.requests[1]!['tools'] as { name: string }[]).map(({ name }) => name);
  expect(names).toContain('mcp__t__echo');

  const env = { MCP_CONNECT_TIMEOUT_MS: '200' };
  const unknown = await run(['-p', 'go', '--json', ...serverOf(sandbox.write('other.mjs', silent))], { env });
  expect(unknown.json?.data).toMatchObject({ result: 'ok', servers: [{ name: 't', status: 'pending' }] });
});

function serverOf(file: string): readonly string[] {
  return ['--mcp-server', `t=${JSON.stringify({ command: process.execPath, args: [file] })}`];
}

const approver = { command: process.execPath, args: [join(import.meta.dirname, 'approver-server.mjs')] };
const TOOL = ['--permission-prompt-tool', 'mcp__a__decide'];
const servers = [...withTools(), '--mcp-server', `a=${JSON.stringify(approver)}`];
const callingWith = (text: string): Parameters<typeof promptScene>[0] => [
  [call('mcp__t__echo', { text })],
  say('done'),
];

test.each([
  ['yes', '{"text":"yes"}'],
  ['change', '{"text":"changed"}'],
])('a tool says %s, and the call is made with %s', async (text, sent) => {
  const { run, api } = await promptScene(callingWith(text));
  expect(await run(['-p', 'go', ...servers, ...TOOL])).toMatchObject({ code: 0, stdout: 'done\n', stderr: '' });
  expect(resultOf(api)).toMatchObject({ is_error: false, content: [{ text: sent }] });
});

test.each([
  ['no', 'no to mcp__t__echo toolu_1'],
  ['strange', 'says neither allow nor deny'],
  ['wrong', 'an updatedInput that is no object'],
  ['nonsense', 'answers with what is no JSON'],
  ['fail', 'was to decide about it, and failed: sure'],
])('a tool that says %s is a no, with the reason', async (text, reason) => {
  const { run, api } = await promptScene(callingWith(text));
  const { code, stdout, stderr } = await run(['-p', 'go', ...servers, ...TOOL]);
  expect([code, stdout]).toEqual([5, 'done\n']);
  expect(stderr).toContain(reason);
  expect(resultOf(api)).toMatchObject({ is_error: true, content: [{ text: expect.stringContaining(reason) }] });
  expect(stderr).not.toContain('PreToolUse');
});

test('a no that is meant for everything stops the turn', async () => {
  const { run, api } = await promptScene(callingWith('stop'));
  const { code, json } = await run(['-p', 'go', '--json', ...servers, ...TOOL]);
  expect([code, json]).toMatchObject([5, { ok: false, error: { code: 'denied' }, data: { stop: 'cancelled' } }]);
  expect(json?.error?.message).toContain('all of it');
  expect(api.requests).toHaveLength(1);
});

test('what rules decide the tool is not asked about', async () => {
  const { run, api } = await promptScene(callingWith('no'));
  const ran = await run(['-p', 'go', ...servers, ...TOOL, '--allow', 'mcp__t__echo']);
  expect([ran.code, resultOf(api)]).toMatchObject([0, { is_error: false }]);

  const planned = await promptScene(callingWith('yes'));
  const { code } = await planned.run(['-p', 'go', ...servers, ...TOOL, '--permission-mode', 'plan']);
  expect([code, resultOf(planned.api)]).toMatchObject([5, { is_error: true }]);
});

test('a rule that asks every time is answered by the tool as well, and once', async () => {
  const settings = { settings: { permissions: { ask: ['mcp__t__echo'], allow: ['mcp__t'] } } };
  const { run, api } = await promptScene(callingWith('change'), { 'home/.config/plugboard/config.json': settings });
  const { code } = await run(['-p', 'go', ...servers, ...TOOL]);
  expect([code, resultOf(api)]).toMatchObject([0, { content: [{ text: '{"text":"changed"}' }] }]);
});

test('a tool that there is not is a mistake in the command line', async () => {
  const { run, api } = await promptScene([say('no')]);
  const { code, stderr } = await run(['-p', 'go', ...servers, '--permission-prompt-tool', 'mcp__a__decid']);
  expect([code, api.requests]).toEqual([2, []]);
  expect(stderr).toContain('mcp__a__decid: no server has such a tool');
  expect(stderr).toContain('Did you mean mcp__a__decide?');
});

test('flags of a session count for other commands as nothing', async () => {
  const { code, stderr } = await makeSandbox().run(['list', '--allow', 'mcp__t']);
  expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--allow'")]);
});
