import { describe, expect, test } from 'vitest';
import type { ServerTarget } from '../../transports/kind.js';
import { decidePolicy, parsePolicy } from './policy.js';
import { matchesUrl } from './url-pattern.js';

/** Checks what an entry does on an allow list, and on a deny list. */
function check(
  entry: object,
  target: ServerTarget,
  expected: { readonly allows: boolean; readonly denies: boolean },
): void {
  const decide = (list: string): string =>
    decidePolicy([parsePolicy({ [list]: [entry] }, { file: 'f', by: 'user' })], { name: 'any', target }).kind;
  expect({
    allows: decide('allowedMcpServers') === 'admitted',
    denies: decide('deniedMcpServers') === 'denied',
  }).toEqual(expected);
}

const both = { allows: true, denies: true };
const neither = { allows: false, denies: false };
const onlyDenies = { allows: false, denies: true };

const checkUrl = (serverUrl: string, url: string, expected: typeof both): void =>
  check({ serverUrl }, { kind: 'url', url }, expected);
const checkCommand = (serverCommand: readonly string[], argv: readonly string[], expected: typeof both): void =>
  check({ serverCommand }, { kind: 'command', argv }, expected);

const COMPANY = 'https://mcp.company.com/*';
const TOOLS = 'https://mcp.company.com/tools/*';

describe('a URL pattern means the server, however its URL is spelt', () => {
  test.each([
    [COMPANY, 'https://mcp.company.com/tools'],
    [COMPANY, 'https://mcp.company.com'],
    [COMPANY, 'HTTPS://Mcp.Company.COM:443/tools'],
    [COMPANY, 'https://mcp.company.com./tools'],
    [COMPANY, 'https://mcp.company.com:/tools'],
    [COMPANY, 'https://mcp.company.com#@evil'],
    [COMPANY, 'https://mcp.company.com?x=https://evil.test'],
    [COMPANY, 'https://user:pw@mcp.company.com/'],
    [COMPANY, 'https:\\\\mcp.company.com\\tools'],
    [COMPANY, 'https://mcp.com\tpany.com/\ntools'],
    [COMPANY, ' https://mcp.company.com/ '],
    [COMPANY, 'https://ｍｃｐ.company.com/'],
    [COMPANY, 'https://mcp。company。com/'],
    [COMPANY, 'https://%6dcp.company.com/'],
    ['HTTPS://MCP.Company.com:443/*', 'https://mcp.company.com/tools'],
    ['https://mcp.company.com./*', 'https://mcp.company.com/tools'],
    ['https://mcp.company.com:/*', 'https://mcp.company.com/tools'],
    ['https://mcp.company.com:0443/*', 'https://mcp.company.com/tools'],
    ['mcp.company.com', 'https://mcp.company.com/tools'],
    ['mcp.company.com', 'http://mcp.company.com/tools'],
    ['mcp.company.com:443', 'https://mcp.company.com/tools'],
    ['mcp.company.com/tools', 'https://mcp.company.com/tools?x=1'],
    ['http*://mcp.company.com/*', 'https://mcp.company.com/tools'],
    ['*://mcp.company.com/*', 'wss://mcp.company.com/tools'],
    ['https://mcp.company.com', 'https://mcp.company.com/any/path?query'],
    ['https://*.company.com/*', 'https://a.b.company.com/x'],
    ['https://*.company.com./*', 'https://a.b.company.com/x'],
    ['https://mcp-*.company.com/*', 'https://mcp-7.company.com/x'],
    ['http://localhost:*/*', 'http://localhost:3000/mcp'],
    ['http://localhost:3000', 'http://localhost:3000/mcp'],
    ['*', 'https://anything.test:8443/x'],
    ['https://*', 'https://anything.test:8443/x'],
    ['https://*/*', 'https://anything.test:8443/x'],
    ['https://münchen.test/*', 'https://xn--mnchen-3ya.test/x'],
    ['https://xn--mnchen-3ya.test/*', 'https://MÜNCHEN.test/x'],
    ['https://*.münchen.test/*', 'https://a.münchen.test/x'],
    ['http://127.0.0.1/*', 'http://0x7f.1/'],
    ['http://127.0.0.1/*', 'http://0177.0.0.1/'],
    ['http://127.0.0.1/*', 'http://2130706433/'],
    ['http://127.0.0.1/*', 'http://127.1/'],
    ['http://127.0.0.1/*', 'http://[::ffff:127.0.0.1]/'],
    ['http://[::ffff:127.0.0.1]/*', 'http://127.0.0.1/'],
    ['http://0x7f.1/*', 'http://127.0.0.1/'],
    ['http://10.*/*', 'http://10.1.2.3/'],
    ['http://10.*.*.1/*', 'http://10.1.2.1/'],
    ['http://[::1]/*', 'http://[0:0:0:0:0:0:0:1]/'],
    ['http://[::1]:3000/*', 'http://[::1]:3000/mcp'],
    [TOOLS, 'https://mcp.company.com/tools/a'],
    [TOOLS, 'https://mcp.company.com/%74ools/a'],
    [TOOLS, 'https://mcp.company.com//tools//a'],
    [TOOLS, 'https://mcp.company.com/x/%2e%2e/tools/a'],
    ['https://mcp.company.com/%74ools/*', 'https://mcp.company.com/tools/a'],
    ['https://mcp.company.com/x/../tools/*', 'https://mcp.company.com/tools/a'],
    ['https://mcp.company.com/mcp?team=a%62c', 'https://mcp.company.com/mcp?team=abc'],
    ['https://mcp.company.com/mcp?team=*', 'https://mcp.company.com/mcp?team=%61bc'],
  ])('%j is %j', (pattern, url) => checkUrl(pattern, url, both));
});

describe('a URL that only looks like the pattern is another server', () => {
  test.each([
    [COMPANY, 'https://mcp.company.com@evil.test/'],
    [COMPANY, 'https://mcp.company.com:443@evil.test/'],
    [COMPANY, 'https://mcp.company.com%2f@evil.test/'],
    [COMPANY, 'https://evil.test/?https://mcp.company.com/*'],
    [COMPANY, 'https://evil.test/https://mcp.company.com/'],
    [COMPANY, 'https://evil.test#https://mcp.company.com/'],
    [COMPANY, 'https://evil.test\\.mcp.company.com/'],
    [COMPANY, 'https://mcp.company.com.evil.test/'],
    [COMPANY, 'https://evilmcp.company.com/'],
    [COMPANY, 'https://mcpxcompany.com/'],
    [COMPANY, 'http://mcp.company.com/'],
    [COMPANY, 'https://mcp.cοmpany.com/'],
    [COMPANY, 'https://mcp.company.com:65536/'],
    [COMPANY, 'https://[mcp.company.com]/'],
    [COMPANY, 'not a url'],
    [COMPANY, '${URL}'],
    [COMPANY, 'data:https://mcp.company.com/'],
    [TOOLS, 'https://mcp.company.com/tools/%2e%2e/admin'],
    [TOOLS, 'https://mcp.company.com/tools/../admin'],
    [TOOLS, 'https://mcp.company.com/tools/..;/admin'],
    [TOOLS, 'https://mcp.company.com/tools/%2e%2e;x/admin'],
    [TOOLS, 'https://mcp.company.com\\tools\\..\\admin'],
    [TOOLS, 'https://mcp.company.com/tools'],
    [TOOLS, 'https://mcp.company.com/?/tools/a'],
    ['https://*.company.com/*', 'https://company.com/x'],
    ['https://*.company.com/*', 'https://evil.test/.company.com/'],
    ['https://*.company.com/*', 'https://evil.test?.company.com/'],
    ['https://*.company.com/*', 'https://x.company.com@evil.test/'],
    ['https://mcp.*/*', 'https://evil.test/mcp.x'],
    ['https://*:443/', 'https://any.test:8443/'],
    ['https://host.test/a*z', 'https://host.test/a?z'],
    ['https://host.test/*?key=1', 'https://host.test/x?key=2'],
    ['https://a.c.test', 'https://abc.test'],
    ['https://host.test/a+(b)', 'https://host.test/aab'],
  ])('%j is not %j', (pattern, url) => checkUrl(pattern, url, neither));
});

describe('a server behind a proxy is denied with the server, and allowed only with the proxy', () => {
  const evil = encodeURIComponent('https://evil.test/mcp');
  const good = encodeURIComponent('https://mcp.company.com/mcp');
  test.each([
    ['https://evil.test/*', `https://proxy.test/?mcp_url=${evil}`],
    ['https://proxy.test/*', `https://proxy.test/?mcp_url=${evil}`],
    ['https://evil.test/*', `https://proxy.test/?mcp_url=${good}&mcp_url=${evil}`],
    ['https://evil.test/*', `https://proxy.test/?mcp_url=${evil}&mcp_url=${good}`],
    ['https://evil.test/*', `https://p.test/?mcp_url=${encodeURIComponent(`https://q.test/?mcp_url=${evil}`)}`],
  ])('%j on %j', (pattern, url) => checkUrl(pattern, url, onlyDenies));

  test('the proxy and the server may be on the list each by its own entry', () => {
    const policy = parsePolicy(
      { allowedMcpServers: [{ serverUrl: 'https://proxy.test/*' }, { serverUrl: COMPANY }] },
      { file: 'f', by: 'user' },
    );
    const decide = (url: string): string => decidePolicy([policy], { name: 'x', target: { kind: 'url', url } }).kind;
    expect(decide(`https://proxy.test/?mcp_url=${good}`)).toBe('admitted');
    expect(decide(`https://proxy.test/?mcp_url=${evil}`)).toBe('denied');
    expect(decide(`https://proxy.test/?mcp_url=${good}&mcp_url=${evil}`)).toBe('denied');
  });
});

const X = ['npx', '-y', '@company/x'];

describe('a command is matched word by word', () => {
  test.each<[pattern: readonly string[], argv: readonly string[]]>([
    [X, X],
    [['npx', '-y', '@company/*'], X],
    [['npx', '*', '*'], X],
    [['*', '*', '*'], X],
    [['n*x', '-y', '@*/x'], X],
    [
      ['/opt/*/bin', ''],
      ['/opt/a/b/bin', ''],
    ],
    [
      ['a*b', 'c d'],
      ['a b', 'c d'],
    ],
  ])('%j is %j', (pattern, argv) => checkCommand(pattern, argv, both));

  test.each<[pattern: readonly string[], argv: readonly string[]]>([
    [X, [...X, '--', 'evil']],
    [X, ['npx', '@company/x', '-y']],
    [X, ['npx', '-y', '-y', '@company/x']],
    [X, ['npx', '-y', '--package=evil', '@company/x']],
    [X, ['npx', '-y', '@company/x@npm:evil']],
    [X, ['npx', '-c', '@company/x']],
    [X, ['npx', '-y @company/x']],
    [X, ['npx -y @company/x']],
    [X, ['npx', '-Y', '@company/x']],
    [X, ['npx', '-y', '@company/X']],
    [X, ['npx', '-y', '@company/x', '']],
    [X, []],
    [['npx', '*'], X],
    [
      ['npx', '-y', '@company/*'],
      ['npx', '-y', '@company/x', '--registry=evil'],
    ],
    [['npx*'], X],
    [['*'], ['a', 'b']],
    [
      ['docker', 'run', 'img'],
      ['docker', 'run', '--entrypoint', 'sh', 'img'],
    ],
    [
      ['node', 'a.js'],
      ['node', 'a_js'],
    ],
    [
      ['node', '(a|b)'],
      ['node', 'a'],
    ],
  ])('%j is not %j', (pattern, argv) => checkCommand(pattern, argv, neither));

  test.each<[pattern: readonly string[], argv: readonly string[]]>([
    [X, ['/usr/bin/npx', '-y', '@company/x']],
    [X, ['/usr/bin/../bin/npx', '-y', '@company/x']],
    [X, ['C:\\Program Files\\nodejs\\npx.cmd', '-y', '@company/x']],
    [X, ['NPX', '-y', '@company/x']],
    [X, ['npx.cmd', '-y', '@company/x']],
    [X, ['env', ...X]],
    [X, ['env', 'FOO=1', ...X]],
    [X, ['/usr/bin/env', '-i', 'A=1', 'B=2', '/usr/bin/npx', '-y', '@company/x']],
    [X, ['env', '-u', 'FOO', ...X]],
    [X, ['env', '--unset=FOO', '-C', '/tmp', ...X]],
    [X, ['env', '-S', 'npx -y @company/x']],
    [X, ['env', '-S', 'A=1 npx -y', '@company/x']],
    [X, ['env', '-vSnpx -y @company/x']],
    [X, ['env', '--split-string=npx -y @company/x']],
    [X, ['env', 'env', 'env', 'A=1', ...X]],
    [X, ['cmd', '/c', ...X]],
    [X, ['C:\\Windows\\System32\\cmd.exe', '/d', '/s', '/C', 'npx.cmd', '-y', '@company/x']],
  ])('%j also denies %j, and does not allow it', (pattern, argv) => checkCommand(pattern, argv, onlyDenies));
});

test('env wrapped in env without end, or around nothing, is looked through only so far', () => {
  checkCommand(X, [...Array.from({ length: 5000 }, () => 'env'), ...X], neither);
  checkCommand(X, ['env'], neither);
  checkCommand(X, ['env', '-S'], neither);
  checkCommand(X, ['env', 'A=1', '-i'], neither);
  checkCommand(X, ['cmd', '/c'], neither);
});

test('patterns made to be slow give the right answer', () => {
  const long = 'a'.repeat(10_000);
  checkCommand(['a*a*a*b'], [long], neither);
  checkCommand([`${'a*'.repeat(40)}b`], [`${long}b`], both);
  checkUrl(`https://h.test/${'*a'.repeat(40)}*b`, `https://h.test/${long}`, neither);
  checkUrl(`https://${'*a'.repeat(40)}*.test/`, `https://${'a'.repeat(200)}.test/`, both);
  expect(matchesUrl(`https://${'*'.repeat(40)}b/`, `https://${'a.'.repeat(100)}c/`, 'allow')).toBe(false);
});

describe('in doubt a pattern stops more than it admits', () => {
  test.each([
    [COMPANY, 'https://mcp.company.com:8443/'],
    [COMPANY, 'https://mcp.company.com:0/'],
    ['https://*.company.com/*', 'https://x.company.com:8443/'],
    ['https://evil.test/mcp', 'https://evil.test/mcp/'],
    ['https://evil.test/mcp', 'https://evil.test/mcp/.'],
    ['https://evil.test/*', 'https://proxy.test/?MCP_URL=evil.test/mcp'],
    ['https://evil.test/*', 'https://proxy.test/?mcp_url=//evil.test/mcp'],
  ])('%j denies %j and does not allow it', (pattern, url) => checkUrl(pattern, url, onlyDenies));

  test.each(['..%2fadmin', '..%5cadmin', '%252e%252e/admin'])('an allowed folder is not left by %j', (path) => {
    expect(matchesUrl('https://h.test/tools/*', `https://h.test/tools/${path}`, 'allow')).toBe(false);
  });

  test.each<[readonly string[]]>([
    [['bash', '-c', 'npx -y @company/x']],
    [['sh', '-ec', ' npx -y @company/x ']],
    [['nice', '-n', '5', 'npx', '-y', '@company/x']],
    [['timeout', '10', 'npx', '-y', '@company/x']],
    [['npx ', '-y', '@company/x']],
  ])('%j is stopped by the command it wraps', (argv) => checkCommand(X, argv, onlyDenies));

  test.each(['GitHub', ' github ', 'github\u200b', 'ｇithub'])(
    'a name that reads like a denied one is denied: %j',
    (name) => {
      const policy = parsePolicy({ deniedMcpServers: [{ serverName: 'github' }] }, { file: 'f', by: 'user' });
      expect(decidePolicy([policy], { name, target: { kind: 'command', argv: ['x'] } }).kind).toBe('denied');
    },
  );
});

test('a host of dots alone neither matches nor breaks anything', () => {
  for (const url of ['http://./', 'https://a.test/?mcp_url=http://./', 'http://.../mcp.company.com']) {
    expect(matchesUrl(COMPANY, url, 'deny')).toBe(false);
  }
});
