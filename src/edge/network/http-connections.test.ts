import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import UndiciClient from 'undici/lib/dispatcher/client.js';
import { nextTurn } from '../clock.js';
import { HttpConnections } from './http-connections.js';

/** A server that answers nothing until it is told to, and connections to it. */
async function openScene({ most, fails = 0 }: { readonly most: number; readonly fails?: number }) {
  const held: ServerResponse[] = [];
  let opened = 0;
  let left = fails;
  const server = createServer((_, response) => void held.push(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connections = new HttpConnections({
    most,
    open: () =>
      new UndiciClient(`http://127.0.0.1:${port}`, {
        pipelining: 1,
        connect: (_, tell) => {
          opened++;
          if (left-- > 0) return tell(new Error('refused'), null);
          const socket = connect(port, '127.0.0.1', () => tell(null, socket));
        },
      }),
  });
  onTestFinished(async () => {
    await connections.destroy();
    server.closeAllConnections();
    server.close();
  });
  const ask = (path: string, headers: string[] = []): Promise<string> =>
    new Promise((resolve) => {
      const handler = {
        onConnect() {},
        onHeaders: () => true,
        onData: () => true,
        onComplete: () => resolve(path),
        onError: ({ message }: Error) => resolve(`${path} ${message}`),
      };
      connections.dispatch({ method: 'GET', path, headers }, handler);
    });
  const answer = async (): Promise<void> => {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    held.shift()!.end();
  };
  return { connections, ask, answer, held, opened: () => opened };
}

test('requests beyond the number of connections wait, and are sent in order', async () => {
  const { ask, answer, held, opened } = await openScene({ most: 2 });
  const order: string[] = [];
  const all = ['/1', '/2', '/3', '/4', '/5'].map(async (path) => order.push(await ask(path)));
  await expect.poll(() => held.length).toBe(2);
  for (const _ of all) await answer();
  await Promise.all(all);
  expect(order).toEqual(['/1', '/2', '/3', '/4', '/5']);
  expect(opened()).toBe(2);
});

test('a request takes a connection that is free before it opens another', async () => {
  const { ask, answer, opened } = await openScene({ most: 10 });
  for (const path of ['/1', '/2', '/3']) {
    const asked = ask(path);
    await answer();
    expect(await asked).toBe(path);
    await nextTurn(); // undici has a connection free a turn after its response
  }
  expect(opened()).toBe(1);
});

test('what waits for a connection that cannot be made gets another', async () => {
  const { ask, answer, opened } = await openScene({ most: 1, fails: 1 });
  const asked = [ask('/1'), ask('/2'), ask('/3')];
  await answer();
  await answer();
  expect(await Promise.all(asked)).toEqual(['/1 refused', '/2', '/3']);
  expect(opened()).toBe(2);
});

test('a request that cannot be sent fails, and takes no connection from others', async () => {
  const { ask, answer, opened } = await openScene({ most: 2 });
  for (const path of ['/1', '/2', '/3'])
    expect(await ask(path, ['token', 'a\nb'])).toBe(`${path} invalid token header`);
  const first = ask('/4');
  const others = [ask('/5'), ask('/6', ['token', 'a\nb']), ask('/7')];
  for (let left = 3; left > 0; left--) await answer();
  expect(await Promise.all([first, ...others])).toEqual(['/4', '/5', '/6 invalid token header', '/7']);
  expect(opened()).toBe(2);
});

test('closing waits for the requests that were made before', async () => {
  const { connections, ask, answer } = await openScene({ most: 1 });
  const asked = [ask('/1'), ask('/2')];
  const closed = connections.close();
  await answer();
  await answer();
  await closed;
  expect(await Promise.all(asked)).toEqual(['/1', '/2']);
});

test('destroying ends the requests that wait as well as those under way', async () => {
  const { connections, ask, held } = await openScene({ most: 1 });
  const asked = [ask('/1'), ask('/2')];
  await expect.poll(() => held.length).toBe(1);
  await connections.destroy();
  expect(await Promise.all(asked)).toEqual([
    expect.stringMatching(/^\/1 ./u),
    expect.stringMatching(/^\/2 The connection was closed$/u),
  ]);
});
