import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../test/fake-clock.js';
import { scene } from '../../test/peer-scene.js';
import { Peer } from './peer.js';
import type { Pipe } from './pipe.js';

test('a request that the pipe throws at fails, and is not in flight any more', async () => {
  const { pipe, seen } = scene();
  let isBroken = true;
  const send: Pipe['request'] = (message, options) => {
    if (isBroken) throw new Error('no way to write this');
    pipe.request(message, options);
  };
  const throwing = new Proxy(pipe, {
    get: (target, key) => {
      if (key === 'request') return send;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const peer = new Peer(throwing, { name: 'db', clock: new FakeClock() });
  await expect(peer.request('tools/call')).rejects.toThrow('no way to write this');
  expect(peer.requests.size).toBe(0);
  isBroken = false;
  void peer.request('tools/list');
  await turn();
  expect(seen.map(({ method }) => method)).toEqual(['tools/list']);
});
