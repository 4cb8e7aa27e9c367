import { describe, expect, test } from 'vitest';
import type { ServerTarget } from '../../transports/kind.js';
import { parseUrl } from '../../base/parse-url.js';
import { serverUrlOf, signatureOf } from './signature.js';

const url = (text: string): ServerTarget => ({ kind: 'url', url: text });
const command = (...argv: string[]): ServerTarget => ({ kind: 'command', argv });
const embedded = (name: string): ServerTarget => ({ kind: 'embedded', name });

/** Checks that all targets of a group have one signature, and no two groups the same. */
function check(groups: readonly (readonly ServerTarget[])[]): void {
  const signatures = groups.map((group) => [...new Set(group.map(signatureOf))]);
  expect(signatures.filter((found) => found.length !== 1)).toEqual([]);
  expect(new Set(signatures.flat()).size).toBe(groups.length);
}

test('a server is the same under every spelling of its URL, and another one under any other', () => {
  const spellings = [
    'https://mcp.company.com/tools',
    'HTTPS://Mcp.Company.COM:443/tools',
    'https://mcp.company.com./tools',
    'https://mcp.company.com/./x/../tools',
    'https://mcp.company.com/%74ools',
    'https://mcp.company.com//tools',
    'https:\\\\mcp.company.com\\tools',
    'https://user:secret@mcp.company.com/tools',
    'https://mcp.company.com/tools#part',
    ' https://mcp.company.com/tools\n',
    'https://ｍｃｐ.company.com/tools',
  ];
  check([
    spellings.map(url),
    [url('https://mcp.company.com/tools/')],
    [url('https://mcp.company.com/Tools')],
    [url('https://mcp.company.com/tools?x=1')],
    [url('https://mcp.company.com:8443/tools')],
    [url('http://mcp.company.com/tools')],
    [url('https://mcp.company.com.evil.test/tools')],
    [url('http://127.0.0.1/'), url('http://0x7f.1'), url('http://2130706433/'), url('http://[::ffff:127.0.0.1]/')],
  ]);
});

test('a server behind a proxy is the server itself', () => {
  const inner = 'https://mcp.company.com/tools?a=1&b=2';
  const wrapped = (base: string, text = inner): string => `${base}mcp_url=${encodeURIComponent(text)}`;
  check([
    [
      url(inner),
      url(wrapped('https://proxy.test/v1?')),
      url(wrapped('https://proxy.test/v1?account=7&')),
      url(wrapped('https://other.test/?', 'https://MCP.company.com:443/tools?a=1&b=2')),
      url(`https://proxy.test/?mcp%5Furl=${encodeURIComponent(inner)}`),
      url(wrapped('https://outer.test/?', wrapped('https://inner.test/?'))),
    ],
    [url('https://proxy.test/v1')],
    [url('https://proxy.test/v1?mcp_url=')],
    [url('https://proxy.test/v1?mcp_url=not+a+url')],
    [url('https://proxy.test/v1?MCP_URL=https://mcp.company.com/tools')],
  ]);
});

test('a command is its words, in their order and as they are written', () => {
  check([
    [command('npx', '-y', 'x'), { kind: 'command', argv: ['npx', '-y', 'x'], cwd: '/elsewhere' }],
    [command('npx', 'x', '-y')],
    [command('npx', '-y x')],
    [command('npx -y x')],
    [command('npx', '-y', 'x', '')],
    [command('NPX', '-y', 'x')],
    [command('npx","-y', 'x')],
    [embedded('npx')],
    [url('npx')],
  ]);
});

describe('what is no URL stays what it is', () => {
  test.each(['', '${HOST}/mcp', 'not a url', 'https://', 'https://[::1', '/mcp', 'https://h:65536/'])('%j', (text) => {
    expect(parseUrl(text)).toBeUndefined();
    expect(serverUrlOf(text)).toBe(text);
  });
});

test('proxies that point at each other without end are followed only so far', () => {
  let text = 'https://mcp.company.com/';
  for (let depth = 0; depth < 8; depth++) text = `https://p.test/?mcp_url=${encodeURIComponent(text)}`;
  expect(signatureOf(url(text))).toMatch(/^url:https:\/\//u);
});
