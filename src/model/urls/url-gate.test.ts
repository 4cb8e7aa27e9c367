import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { gateUrl, type UrlGateOptions, type UrlRefusal } from './url-gate.js';

/** The href with its warnings, or the code of the refusal. */
function outcome(input: string, options: Partial<UrlGateOptions> = {}): string {
  const gated = gateUrl(input, { from: 'server', purpose: 'open', ...options });
  return gated.ok ? [gated.href, ...gated.warnings].join(' ') : gated.code;
}

const user: Partial<UrlGateOptions> = { from: 'user', purpose: 'fetch' };
const near = (origin: string, purpose: UrlGateOptions['purpose'] = 'fetch'): Partial<UrlGateOptions> => ({
  origin: new URL(origin),
  purpose,
});

test('an empty punycode label is refused, whether or not this version of node can parse it', () => {
  expect(gateUrl('https://xn--/', { from: 'server', purpose: 'fetch' }).ok).toBe(false);
});

describe('a URL that a server supplied is refused', () => {
  const refused: Readonly<Partial<Record<UrlRefusal, readonly string[]>>> = {
    scheme: [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'javascript://example.com/%0aalert(1)',
      'data:text/html,<script>',
      'vbscript:msgbox(1)',
      'file:///C:/Windows/System32/calc.exe',
      'file://host/share',
      'ftp://example.com/',
      'blob:https://example.com/1',
      'about:blank',
      'mailto:a@example.com',
      'ms-settings:',
      'ssh://example.com/',
      'view-source:https://example.com/',
      'ws://example.com/',
      'wss://example.com/',
      'example.com:443/path',
      'x'.repeat(1000) + ':y',
    ],
    malformed: [
      '',
      '/relative',
      '//example.com/',
      'example.com',
      ' https://example.com/',
      'https://example.com/ ',
      'https://example.com/\n',
      'java\nscript:alert(1)',
      '\u0001javascript:alert(1)',
      'https://exam\tple.com/',
      'https://example.com/a\nb',
      'https://example.com/\u0000',
      'https://example.com/\u001b[31m',
      'https://exam\u200bple.com/',
      'https://example.com/\u202etxt.exe',
      'https://example.com/\ud800',
      'https://example.com:65536/',
      'https://example.com:x/',
      'https://exa mple.com/',
      'https://[::1/',
      'https://1.2.3.4.5/',
      'https://exam%00ple.com/',
    ],
    host: [
      'https://',
      'https:///example.com/',
      'https:example.com',
      'https:/example.com',
      'https:\\\\example.com',
      'https://?x',
      'https://./',
      'https://a..b/',
      'https://[fe80::1%25eth0]/',
      'https://[fe80::1%eth0]/',
      `https://${'a.'.repeat(200)}test/`,
    ],
    userinfo: [
      'https://github.com@evil.test/',
      'https://mcp.company.com:443@evil.test/',
      'https://user:password@example.com/',
      'https://@example.com/',
      'https://a%40b@example.com/',
      'https://@@example.com/',
    ],
    port: [
      'https://example.com:0/',
      'https://example.com:22/',
      'https://example.com:25/',
      'https://example.com:6667/',
      'https://example.com:10080/',
      'https://example.com:00022/',
    ],
    address: [
      'https://localhost/',
      'https://LOCALHOST./',
      'https://app.localhost/',
      'https://127.0.0.1/',
      'http://127.0.0.1:8080/',
      'http://0x7f.1/',
      'http://0177.1/',
      'http://2130706433/',
      'http://127.1/',
      'http://[::1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[::127.0.0.1]/',
      'http://[64:ff9b::a00:1]/',
      'https://①②⑦.⓪.⓪.①/',
      'https://%31%32%37.0.0.1/',
      'https://0.0.0.0/',
      'https://0/',
      'https://10.1.2.3/',
      'https://172.20.0.1/',
      'https://192.168.0.1/',
      'https://100.64.0.1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://0xa9fea9fe/',
      'http://[fd00:ec2::254]/',
      'http://metadata.google.internal/',
      'https://[fe80::1]/',
      'https://[fc00::1]/',
      'https://224.0.0.1/',
      'https://255.255.255.255/',
      'https://router/',
      'https://printer.local/',
    ],
    insecure: ['http://example.com/', 'HTTP://EXAMPLE.COM:80', 'http://8.8.8.8/', 'http://127.0.0.1.nip.io/'],
    'too-long': [`https://example.com/${'a'.repeat(8192)}`, `https://example.com/${'é'.repeat(3000)}`],
  };
  const cases = Object.entries(refused).flatMap(([code, urls]) => urls.map((url) => [code, url] as const));
  test.each(cases)('%s: %j', (code, url) => {
    expect(outcome(url)).toBe(code);
    expect(outcome(url, { purpose: 'sign-in' })).toBe(code);
    expect(outcome(url, { purpose: 'fetch', origin: new URL('https://mcp.example.com/') })).toBe(code);
  });
});

describe('a URL that a server supplied is opened in its one spelling', () => {
  test.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTPS://Example.COM:443/Path', 'https://example.com/Path'],
    ['https://example.com./', 'https://example.com/'],
    ['https://example.com:8443/?a=b&c=d#e', 'https://example.com:8443/?a=b&c=d#e'],
    ['https://münchen.de/', 'https://xn--mnchen-3ya.de/ punycode'],
    ['https://\u0430pple.com/', 'https://xn--pple-43d.com/ punycode'],
    ['https://ｅxample.com/', 'https://example.com/'],
    ['https://1.1/', 'https://1.0.0.1/'],
    ['https://[2606:4700:0::1111]/', 'https://[2606:4700::1111]/'],
    ['https://example.com\\@evil.test/', 'https://example.com/@evil.test/'],
    ['https://example.com/@evil', 'https://example.com/@evil'],
    ['https://example.com#@evil', 'https://example.com/#@evil'],
    ['https://example.com?@evil', 'https://example.com/?@evil'],
    ['https://example.com/a b', 'https://example.com/a%20b'],
    ['https://example.com/%2e%2e/a', 'https://example.com/a'],
    ['https://example.com/$(id)', 'https://example.com/%24%28id%29'],
    ['https://example.com/`id`', 'https://example.com/%60id%60'],
    ['https://example.com/?`id`', 'https://example.com/?%60id%60'],
    ['https://example.com/?x=$(touch pwn)', 'https://example.com/?x=%24%28touch%20pwn%29'],
    ['https://example.com/;id', 'https://example.com/%3Bid'],
    ['https://example.com/&calc', 'https://example.com/%26calc'],
    ['https://example.com/|id', 'https://example.com/%7Cid'],
    ['https://example.com/?a=1&b=|id;x', 'https://example.com/?a=1&b=%7Cid%3Bx'],
    [`https://example.com/'"^{}<>`, 'https://example.com/%27%22%5E%7B%7D%3C%3E'],
    ['https://example.com/#`id`$(x)', 'https://example.com/#%60id%60%24%28x%29'],
  ])('%s', (input, expected) => expect(outcome(input)).toBe(expected));
});

describe('what the user configured may be near, and is still checked', () => {
  test.each([
    ['http://localhost:3000/mcp', 'http://localhost:3000/mcp'],
    ['http://0x7f.1/mcp', 'http://127.0.0.1/mcp'],
    ['http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/'],
    ['http://10.0.0.5/mcp', 'http://10.0.0.5/mcp plain-http'],
    ['http://example.com/mcp', 'http://example.com/mcp plain-http'],
    ['https://10.0.0.5/mcp', 'https://10.0.0.5/mcp'],
    ['http://0.0.0.0:3000/', 'http://0.0.0.0:3000/ plain-http'],
    [' https://example.com/mcp\n', 'https://example.com/mcp'],
    ['https://example.com/a;v=1/b&c(d)?$filter=x', 'https://example.com/a;v=1/b&c(d)?$filter=x'],
    ['https://example.com/?x=$(id)', 'https://example.com/?x=%24(id)'],
    ['https://exa\nmple.com/', 'malformed'],
    ['https://token@example.com/', 'userinfo'],
    ['http://localhost:22/', 'port'],
    ['http://localhost:0/', 'port'],
    ['file:///etc/passwd', 'scheme'],
    ['localhost:3000', 'scheme'],
    ['ws://localhost/', 'scheme'],
  ])('%j', (input, expected) => expect(outcome(input, user)).toBe(expected));

  test.each([
    ['ws://localhost:1234/', 'ws://localhost:1234/'],
    ['ws://example.com/', 'ws://example.com/ plain-http'],
    ['wss://example.com/', 'wss://example.com/'],
    ['https://example.com/', 'scheme'],
  ])('%s where a WebSocket is asked for', (input, expected) => {
    expect(outcome(input, { ...user, schemes: ['ws', 'wss'] })).toBe(expected);
  });
});

describe('a server that is near may name its neighbours', () => {
  const token = 'http://127.0.0.1:9999/token';
  test.each<[input: string, options: Partial<UrlGateOptions>, expected: string]>([
    [token, near('http://localhost:3000/mcp'), token],
    [token, near('http://localhost:3000/mcp', 'sign-in'), token],
    [token, near('http://[::1]:3000/mcp', 'open'), token],
    [token, near('https://mcp.example.com/'), 'address'],
    [token, near('http://10.0.0.5/'), 'address'],
    ['https://10.9.9.9/', near('https://192.168.0.1/'), 'https://10.9.9.9/'],
    ['https://10.9.9.9/', near('http://localhost/'), 'address'],
    ['http://10.9.9.9/', near('http://10.0.0.5/'), 'insecure'],
    ['http://10.0.0.5/messages', near('http://10.0.0.5/sse'), 'http://10.0.0.5/messages plain-http'],
    ['http://10.0.0.5/login', near('http://10.0.0.5/sse', 'open'), 'insecure'],
    ['http://10.0.0.5/login', near('http://10.0.0.5/sse', 'sign-in'), 'insecure'],
    [
      'http://mcp.example.com/messages',
      near('http://mcp.example.com/sse'),
      'http://mcp.example.com/messages plain-http',
    ],
    ['http://169.254.169.254/', near('http://169.254.1.1/'), 'address'],
    ['https://[fd00:ec2::254]/', near('https://[fd00::1]/'), 'address'],
    ['https://100.100.100.200/', near('https://10.0.0.1/'), 'address'],
    ['https://metadata.google.internal./', near('https://10.0.0.1/'), 'address'],
    ['https://224.0.0.1/', near('https://224.0.0.2/'), 'address'],
    ['http://0.0.0.0:3000/messages', near('http://0.0.0.0:3000/sse'), 'http://0.0.0.0:3000/messages plain-http'],
  ])('%s from %j is %s', (input, options, expected) => expect(outcome(input, options)).toBe(expected));
});

describe('signing in needs encryption, whoever wrote the URL', () => {
  test.each([
    ['http://example.com/authorize', 'insecure'],
    ['http://10.0.0.5/authorize', 'insecure'],
    ['http://localhost:8080/authorize', 'http://localhost:8080/authorize'],
    ['https://example.com/authorize', 'https://example.com/authorize'],
  ])('%s', (input, expected) => expect(outcome(input, { from: 'user', purpose: 'sign-in' })).toBe(expected));
});

describe('a redirect may be relative', () => {
  const base = new URL('https://mcp.example.com/a/b?c');
  test.each([
    ['/messages?id=1', 'https://mcp.example.com/messages?id=1'],
    ['next', 'https://mcp.example.com/a/next'],
    ['', 'https://mcp.example.com/a/b?c'],
    ['//other.example.com/x', 'https://other.example.com/x'],
    ['//127.0.0.1/x', 'address'],
    ['\\\\127.0.0.1/x', 'address'],
    ['//user@evil.test/x', 'userinfo'],
    ['/\\user@evil.test/x', 'userinfo'],
    ['///user@evil.test/x', 'userinfo'],
    ['javascript:alert(1)', 'scheme'],
    ['http://mcp.example.com/', 'insecure'],
    ['/a\nb', 'malformed'],
  ])('%j', (input, expected) => expect(outcome(input, { base, purpose: 'fetch' })).toBe(expected));

  test('without handing on the password of the page it came from', () => {
    expect(outcome('/x', { base: new URL('https://user:password@example.com/') })).toBe('https://example.com/x');
  });
});

test('a person sees the real host first, and a long address cut', () => {
  const gated = gateUrl(`https://\u0430pple.com/${'a'.repeat(1000)}`, { from: 'server', purpose: 'open' });
  expect(gated).toMatchObject({ ok: true, display: `https://xn--pple-43d.com/${'a'.repeat(274)}…` });
});

test.each([
  ['javascript:alert(1)', 'The URL begins with javascript:, and only http, https may be used here.'],
  [`${'a'.repeat(21)}:b`, `The URL begins with ${'a'.repeat(20)}...:, and only http, https may be used here.`],
  ['https://127.1/', 'A server may not name 127.0.0.1: that address is loopback.'],
  ['https://example.com:25/', 'Port 25 of example.com belongs to another protocol than the web.'],
  ['http://example.com/', 'A server may name example.com only with encryption.'],
])('the refusal of %s says why', (input, reason) => {
  expect(gateUrl(input, { from: 'server', purpose: 'open' })).toMatchObject({ ok: false, reason });
});

const WORDS =
  'https: http: javascript: // / \\ @ : ? # . .. %2e % [ ] ::1 127.0.0.1 0x7f.1 localhost example.com é $(id)';
const pieces = fc.constantFrom(...WORDS.split(' '), '\n', ' ', '`', '|', ';', '&', "'", '\u202e');
const letters = fc.constantFrom(...Array.from("abcxyzABCXYZ0189-._~!$&'()*+,;=:@"));
const part = fc.string({
  unit: fc.oneof(
    { weight: 10, arbitrary: letters },
    { weight: 1, arbitrary: anyCharacter.map((one) => encodeURIComponent(one)) },
  ),
});
/** Not `fc.webUrl`, which makes a table of all characters. */
const addresses = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.webAuthority(),
    fc.array(part, { maxLength: 5 }),
    fc.option(part, { nil: undefined }),
    fc.option(part, { nil: undefined }),
  )
  .map(([scheme, authority, path, query, fragment]) => {
    const more = `${query === undefined ? '' : `?${query}`}${fragment === undefined ? '' : `#${fragment}`}`;
    return `${scheme}://${authority}${path.map((one) => `/${one}`).join('')}${more}`;
  });
const inputs = fc.oneof(
  fc.array(pieces, { maxLength: 10 }).map((parts) => parts.join('')),
  fc.array(pieces, { maxLength: 8 }).map((parts) => `https://example.com/${parts.join('')}`),
  addresses,
  fc.string({ unit: anyCharacter }),
);
const purposes = fc.constantFrom<UrlGateOptions['purpose']>('fetch', 'open', 'sign-in');

function counterexample<T>(property: fc.IProperty<T>): T | null {
  return fc.check(property, { numRuns: 5000 }).counterexample;
}

test('whatever a server writes, only a clean web address far from here is opened', () => {
  const property = fc.property(inputs, purposes, (input, purpose) => {
    const gated = gateUrl(input, { from: 'server', purpose });
    if (!gated.ok) return /^[ -~]+\.$/.test(gated.reason);
    const { url, href } = gated;
    const inert = purpose === 'fetch' ? !/[`'"|^\\\s]|\$\(/.test(href) : !/[`'"|^\\\s$();]/.test(href);
    const clear =
      url.protocol === 'https:' &&
      url.username === '' &&
      !/(?:^|\.)localhost$|^127(?:\.\d+){3}$|^\[::1\]$/.test(url.hostname);
    return url.href === href && inert && clear && /^[!-~]+$/.test(href);
  });
  expect(counterexample(property)).toBeNull();
});

test('what has passed the gate passes it again unchanged', () => {
  const property = fc.property(inputs, purposes, fc.constantFrom('user', 'server'), (input, purpose, from) => {
    const gated = gateUrl(input, { from, purpose });
    return !gated.ok || outcome(gated.href, { from, purpose }) === [gated.href, ...gated.warnings].join(' ');
  });
  expect(counterexample(property)).toBeNull();
});
