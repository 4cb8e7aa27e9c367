import { expect, test } from 'vitest';
import { call, promptScene, say, withTools } from './prompt-scene.js';

// The cost of a result is reported where it arises, and an unusable number where it would have taken effect.

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const LONG = 'note: mcp__t__large: The result is long: about 1';

test('-p tells of a result that costs more than 10,000 tokens, once for each tool', async () => {
  const large = call('mcp__t__large', { bytes: 60_000 });
  const { run } = await promptScene([[large], [{ ...large, id: 'toolu_2' }], say('ok')]);
  const { code, stderr } = await run(['-p', 'go', '--allow', 'mcp__t', ...withTools()]);
  expect(code).toBe(0);
  expect(stderr.split(LONG)).toHaveLength(2);
  const quiet = await promptScene([[large], say('ok')]);
  expect((await quiet.run(['-p', 'go', '--allow', 'mcp__t', '--quiet', ...withTools()])).stderr).toBe('');
});

test('a result that is shorter is told of by nobody', async () => {
  const { run } = await promptScene([[call('mcp__t__large', { bytes: 16_000 })], say('ok')]);
  expect((await run(['-p', 'go', '--allow', 'mcp__t', ...withTools()])).stderr).toBe('');
});

test.each([
  ['MAX_MCP_OUTPUT_TOKENS', 'abc'],
  ['MAX_MCP_OUTPUT_TOKENS', '-1'],
  ['MAX_MCP_OUTPUT_TOKENS', '25k'],
  ['MCP_TOOL_TIMEOUT', '1.5'],
  ['MCP_TIMEOUT', '30s'],
])('%s=%s is not used, and told', async (name, value) => {
  const env = { [name]: value };
  const told = `${name} is "${value}", which is not used`;
  const { run } = await promptScene([say('ok')]);
  const verbs = [
    ['-p', 'go', ...withTools()],
    ['call', 't.echo', 'text=x', ...withTools()],
    ['tools', ...withTools()],
    ['list', ...withTools()],
  ];
  // All verbs read the variables in one place, so only the full run tries every combination.
  for (const args of FULL || value === 'abc' ? verbs : verbs.slice(-1)) {
    const { code, stderr } = await run(args, { env });
    expect([args[0], code, stderr.split(told).length]).toEqual([args[0], 0, 2]);
    expect(stderr).toContain(`such as ${name}=`);
  }
  const { json } = await run(['doctor', '--json', ...withTools()], { env });
  expect(json?.data?.['findings']).toContainEqual(
    expect.objectContaining({ severity: 'warning', code: 'odd-variable', message: expect.stringContaining(told) }),
  );
});

test('numbers, and a variable that says nothing, are told of by nobody', async () => {
  const env = { MAX_MCP_OUTPUT_TOKENS: ' 25000 ', MCP_TIMEOUT: '' };
  const { run } = await promptScene([say('ok')]);
  expect((await run(['-p', 'go', ...withTools()], { env })).stderr).toBe('');
});
