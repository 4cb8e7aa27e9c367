import { expect, test } from 'vitest';
import { isLoopbackAddress } from './loopback-address.js';

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['LOCALHOST', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.1.2', false],
  ['example.localhost', false],
  ['example.com', false],
  ['2130706433', false],
  ['', false],
])('only programs of this machine reach %s: %s', (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});
