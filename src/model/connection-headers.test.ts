import { expect, test } from 'vitest';
import { isConnectionHeader } from './connection-headers.js';

test.each([
  'Host',
  ' HOST ',
  ':authority',
  'Connection',
  'Keep-Alive',
  'Content-Length',
  'Transfer-Encoding',
  'TE',
  'Trailer',
  'Upgrade',
  'Proxy-Authorization',
  'HTTP2-Settings',
  'X-Forwarded-Host',
])('%s says where a request goes, or how it travels', (name) => {
  expect(isConnectionHeader(name)).toBe(true);
});

test.each(['Authorization', 'X-Api-Key', 'Cookie', 'Accept-Language', 'X-Hostname', 'User-Agent', 'Origin', 'Referer'])(
  '%s does not',
  (name) => {
    expect(isConnectionHeader(name)).toBe(false);
  },
);
