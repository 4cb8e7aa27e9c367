import { describe, expect, test } from 'vitest';
import { call, promptScene, resultOf, say, toolServer, withTools } from './prompt-scene.js';
import { USER_FILE } from './sandbox.js';

// What -p tells about settings that it cannot obey, and what they stop.

const bypass = { permissions: { mode: 'bypass' } };
const malformed = [{ matcher: 'x', command: 'y' }];

test.each(['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure'])(
  'a malformed %s hook is named on stderr once, and no call is made',
  async (event) => {
    const settings = { ...bypass, hooks: { [event]: malformed } };
    const { run, api } = await promptScene([[call('mcp__t__echo', { text: 'x' })], say('done')], {
      [USER_FILE]: { mcpServers: { t: toolServer }, settings },
    });
    const { code, stderr } = await run(['-p', 'go']);
    expect(code).toBe(5);
    expect(resultOf(api)).toMatchObject({ is_error: true });
    const told = stderr.split('\n').filter((line) => line.startsWith('warning:') && line.includes(event));
    expect(told).toEqual([
      expect.stringMatching(new RegExp(`config\\.json:\\d+:\\d+: .*hooks\\.${event}\\[0\\]`, 'u')),
    ]);
  },
);

test.each(['UserPromptSubmit', 'UserPromptSubmits'])('a malformed %s hook blocks the prompt by name', async (event) => {
  const { run, api } = await promptScene([say('no')], { [USER_FILE]: { settings: { hooks: { [event]: malformed } } } });
  const { code, stderr } = await run(['-p', 'go']);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(
    /A hook does not let this prompt pass: A UserPromptSubmit hook cannot be run: .*config\.json:\d+/u,
  );
  expect(stderr).toContain(`hooks.${event}`);
  expect(api.requests).toEqual([]);
});

describe('a configuration that is no JSON', () => {
  test('is named on stderr, once, with its line, and --quiet is quiet', async () => {
    const { run } = await promptScene(() => say('ok'), { [USER_FILE]: '{\n  "settings": nonsense\n}' });
    const { code, stdout, stderr } = await run(['-p', 'go', ...withTools()]);
    expect([code, stdout]).toEqual([0, 'ok\n']);
    expect(stderr.match(/^warning: .*config\.json:2/gmu)).toHaveLength(1);
    expect(await run(['-p', 'go', '--quiet'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('is named also where the run fails, because that may be why', async () => {
    const { run } = await promptScene(() => say('ok'), { [USER_FILE]: '{ "settings": nonsense }' });
    const { code, stderr } = await run(['-p', 'go'], { env: { ANTHROPIC_API_KEY: '' } });
    expect(code).not.toBe(0);
    expect(stderr.match(/^warning: .*config\.json:1/gmu)).toHaveLength(1);
  });
});

describe('the flow guard where nobody can be asked', () => {
  const text = '0123456789abcdef'.repeat(20);
  const leak = [[call('mcp__t__large', { bytes: text.length }, 'a')], [call('mcp__u__echo', { text }, 'b')], say('ok')];

  test.each([
    ['is off, which is said once on stderr', undefined, false],
    ['denies a copy in mode ask that is set, and says what to write', 'ask', true],
  ])('%s', async (_, mode, isDenied) => {
    const settings = { permissions: { allow: ['mcp__t', 'mcp__u'] }, ...(mode !== undefined && { flow: { mode } }) };
    const files = { [USER_FILE]: { mcpServers: { t: toolServer, u: toolServer }, settings } };
    const { run, api } = await promptScene(leak, files);
    const { stdout, stderr } = await run(['-p', 'go']);
    expect(stdout).toBe('ok\n');
    const told = stderr.match(/^warning: The flow guard is off, because nobody can be asked/gmu) ?? [];
    expect(told).toHaveLength(isDenied ? 0 : 1);
    const result = JSON.stringify(resultOf(api, 'b'));
    expect(result.includes('is not called')).toBe(isDenied);
    expect(result.includes('flow.allow of the settings says what may go where')).toBe(isDenied);
    // The page that steers the model must not learn which line would let it pass.
    expect(result).not.toContain('t -> u');
  });
});
