import { expect, test } from 'vitest';
import { adHocServer } from './ad-hoc.js';
import { parseArguments } from './arguments.js';
import { verbs } from '../verbs/all.js';

test.each([
  [['tools', '--', 'npx', '-y', '@scope/server-x@1.2.3'], 'server-x'],
  [['tools', '--', 'npx', 'weather-mcp'], 'weather-mcp'],
  [['tools', '--', 'uv', 'tool', 'run', 'mcp-git'], 'mcp-git'],
  [['tools', '--', 'node', '/home/me/weather/dist/index.js'], 'weather'],
  [['tools', '--', 'node', 'C:\\me\\weather\\build\\main.js'], 'weather'],
  [['tools', '--', './run.sh', '--fast'], 'run'],
  [['tools', '--', 'node', '-e', 'console.log(1)'], 'node'],
  [['tools', '--', 'plugboard', 'attack', 'json-bom'], 'json-bom'],
  [['tools', '--', 'plugboard'], 'plugboard-server'],
  [['tools', '--', '/'], 'server'],
  [['tools', 'https://mcp.example.com:8443/mcp?x=1'], 'mcp.example.com:8443'],
  [['call', 'echo', 'url=https://a.example/', 'http://127.0.0.1:8080/mcp'], '127.0.0.1:8080'],
])('%j is called %s', (words, name) => {
  const parsed = parseArguments(words, verbs);
  if (parsed.kind !== 'run') throw new Error(parsed.kind);
  expect(adHocServer(parsed.invocation)?.name).toBe(name);
});

test('a URL is taken out of the words, and no other server is left', () => {
  const parsed = parseArguments(['call', 'echo', 'https://a.example/mcp', 'text=x', '--mcp-server', 'b={}'], verbs);
  if (parsed.kind !== 'run') throw new Error(parsed.kind);
  const { invocation } = adHocServer(parsed.invocation)!;
  expect(invocation.positionals).toEqual(['echo', 'text=x']);
  expect(invocation.has('strict-mcp-config')).toBe(true);
  expect(invocation.values('mcp-server')).toEqual([
    'a.example={"type":"http","url":"https://a.example/mcp","headers":{}}',
  ]);
});
