import { expect, test } from 'vitest';
import { isExempt } from './no-proxy.js';

test.each<[url: string, list: string, exempt: boolean]>([
  ['http://a.test', '*', true],
  ['http://a.test', 'a.test', true],
  ['http://A.test.', 'a.TEST', true],
  ['http://b.a.test', 'a.test', true],
  ['http://ba.test', 'a.test', false],
  ['http://a.test', '.a.test', true],
  ['http://b.a.test', '*.a.test', true],
  ['http://a.test.evil', 'a.test', false],
  ['http://c.test', 'a.test,b.test , c.test', true],
  ['http://c.test', 'a.test b.test\tc.test', true],
  ['http://c.test', '', false],
  ['http://c.test', ' , ,', false],
  ['http://c.test', '.', false],
  ['http://a.test', 'a.test:80', true],
  ['https://a.test', 'a.test:80', false],
  ['wss://a.test', 'a.test:443', true],
  ['ws://a.test', 'a.test:80', true],
  ['http://a.test:8080', 'a.test:8080', true],
  ['http://a.test:8080', 'a.test', true],
  ['http://münchen.test', 'münchen.test', true],
  ['http://10.1.2.3', '10.1.2.3', true],
  ['http://10.1.2.3', '2.3', false],
  ['http://10.1.2.3', '10.0.0.0/8', true],
  ['http://11.1.2.3', '10.0.0.0/8', false],
  ['http://[fd00::1]', 'fd00::/8', true],
  ['http://[fd00::1]', 'fd00::1', true],
  ['http://[fd00::1]', '[fd00:0::1]', true],
  ['http://[fd00::1]:81', '[fd00::1]:81', true],
  ['http://[fd00::1]:82', '[fd00::1]:81', false],
  ['http://[::ffff:10.1.2.3]', '10.0.0.0/8', true],
  ['http://10.1.2.3', '10.0.0.0/99', false],
  ['http://10.1.2.3', '10.0.0.0/', false],
  ['http://10.1.2.3', 'fd00::/8', false],
  ['http://a.test', 'a.test/8', false],
  ['http://a.test', ':80', false],
  ['http://a.test', '[', false],
  ['http://a.test', 'a.test:http', false],
])('%s against NO_PROXY=%j', (url, list, exempt) => {
  expect(isExempt(new URL(url), list)).toBe(exempt);
});

test('of a list without end only the beginning is read', () => {
  const long = 'x.test,'.repeat(20_000);
  expect(isExempt(new URL('http://a.test'), `a.test,${long}`)).toBe(true);
  expect(isExempt(new URL('http://a.test'), `${long}a.test`)).toBe(false);
});
