import { expect, test } from 'vitest';
import { HostError } from '../../base/errors.js';
import { findProxy, type ProxyServer } from './proxy-choice.js';

type Environment = Record<string, string>;

function find(url: string, env: Environment): ProxyServer | undefined {
  return findProxy(new URL(url), { label: 'Server "x"', env });
}

test.each<[url: string, env: Environment, variable: string | undefined]>([
  ['https://a.test', {}, undefined],
  ['https://a.test', { HTTPS_PROXY: 'http://p:1' }, 'HTTPS_PROXY'],
  ['wss://a.test', { HTTPS_PROXY: 'http://p:1' }, 'HTTPS_PROXY'],
  ['http://a.test', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['http://a.test', { HTTP_PROXY: 'http://p:1' }, 'HTTP_PROXY'],
  ['ws://a.test', { HTTP_PROXY: 'http://p:1' }, 'HTTP_PROXY'],
  ['https://a.test', { HTTP_PROXY: 'http://p:1' }, undefined],
  ['https://a.test', { HTTPS_PROXY: 'http://p:1', https_proxy: 'http://p:2' }, 'https_proxy'],
  ['https://a.test', { HTTPS_PROXY: 'http://p:1', https_proxy: '' }, 'HTTPS_PROXY'],
  ['https://a.test', { HTTPS_PROXY: ' ' }, undefined],
  ['https://a.test', { ALL_PROXY: 'http://p:1' }, 'ALL_PROXY'],
  ['https://a.test', { ALL_PROXY: 'http://p:1', all_proxy: 'http://p:1' }, 'all_proxy'],
  ['https://a.test', { ALL_PROXY: 'http://p:1', HTTPS_PROXY: 'http://p:1' }, 'HTTPS_PROXY'],
  ['https://a.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a.test' }, undefined],
  ['https://a.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a.test', no_proxy: 'b.test' }, 'HTTPS_PROXY'],
  ['https://a.test', { HTTPS_PROXY: 'nonsense://', NO_PROXY: '*' }, undefined],
  ['https://localhost', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['https://a.localhost:1', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['http://127.1.2.3', { ALL_PROXY: 'http://p:1' }, undefined],
  ['http://[::1]:8080', { ALL_PROXY: 'http://p:1' }, undefined],
  ['http://[::ffff:127.0.0.1]', { ALL_PROXY: 'http://p:1' }, undefined],
  ['http://192.168.0.1', { ALL_PROXY: 'http://p:1' }, 'ALL_PROXY'],
])('%s with %j goes through %s', (url, env, variable) => {
  expect(find(url, env)?.variable).toBe(variable);
});

test.each<[value: string, host: string, port: number, isSecure: boolean, login: string | undefined]>([
  ['http://p.test:3128', 'p.test', 3128, false, undefined],
  ['http://p.test:3128/', 'p.test', 3128, false, undefined],
  ['p.test:3128', 'p.test', 3128, false, undefined],
  ['jo:pw@p.test:3128', 'p.test', 3128, false, 'jo:pw'],
  ['HTTP://p.test', 'p.test', 80, false, undefined],
  ['https://p.test', 'p.test', 443, true, undefined],
  ['http://[fd00::1]:8080', 'fd00::1', 8080, false, undefined],
  ['http://jo:pw@p.test', 'p.test', 80, false, 'jo:pw'],
  ['http://jo@p.test', 'p.test', 80, false, 'jo:'],
  ['http://j%40o:p%3Aw%2F%25@p.test', 'p.test', 80, false, 'j@o:p:w/%'],
  ['http://jö:pü@p.test', 'p.test', 80, false, 'jö:pü'],
])('%s is understood', (value, host, port, isSecure, login) => {
  const proxy = find('https://a.test', { HTTPS_PROXY: value })!;
  expect(proxy).toMatchObject({ host, port, isSecure });
  const authorization = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  expect(proxy.authorization?.reveal()).toBe(authorization);
  expect(JSON.stringify(proxy)).not.toContain('pw');
});

test.each([
  'http://',
  'http://jo:sec/ret@p.test',
  'http://jo:sec#ret@p.test',
  'http://jo:%zz@p.test',
  'http://p.test:99999',
  'http://p.test:0',
  'http://p.test/sec',
  'http://p.test?sec',
  'a b',
  'http://sec ret',
  '://sec',
])('%j is refused by the name of its variable, and not repeated', (value) => {
  const attempt = (): unknown => find('https://a.test', { https_proxy: value });
  expect(attempt).toThrow('Server "x" cannot be reached: the variable https_proxy is not the URL of a proxy');
  expect(attempt).not.toThrow(/sec|%zz|99999/u);
});

test.each(['socks5://jo:sec@p.test:1080', 'socks5h://p.test', 'ftp://p.test', 'pac+http://p.test'])(
  '%s is refused as something that cannot be used yet',
  (value) => {
    const scheme = value.slice(0, value.indexOf(':'));
    const attempt = (): unknown => find('https://a.test', { ALL_PROXY: value });
    expect(attempt).toThrow(
      new HostError('unsupported', `Server "x" cannot be reached: ALL_PROXY names a ${scheme} proxy`, {
        hint: 'Set ALL_PROXY to a proxy with http:// or https://, or unset it',
      }),
    );
  },
);
