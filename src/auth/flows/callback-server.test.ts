import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parsePastedAddress, readCallback } from './authorization-response.js';
import { type CallbackPage, toCallbackPage } from './callback-page.js';
import { type CallbackServer, openCallbackServer } from './callback-server.js';

interface Scene {
  readonly server: CallbackServer;
  readonly taken: string[];
}

async function openScene(page: CallbackPage = 'signed-in', name = 'db'): Promise<Scene> {
  const taken: string[] = [];
  const server = await openCallbackServer({
    name,
    async take(query) {
      taken.push(query.toString());
      return page;
    },
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { server, taken };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

/** Uses `node:http`, because fetch does not allow setting the Host header. */
async function get(
  port: number,
  path: string,
  { host = `localhost:${port}`, method = 'GET', address = '127.0.0.1' } = {},
): Promise<Answer> {
  const sent = request({ host: address, port, path, method, headers: { host } });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return { status: response.statusCode, headers: response.headers, text: Buffer.concat(pieces).toString() };
}

describe('a browser that comes back', () => {
  test('gets a page that runs nothing, keeps nothing and shows nothing of the address', async () => {
    const { server, taken } = await openScene();
    const { status, headers, text } = await get(server.port, '/callback?code=the-code&state=the-state');
    expect(status).toBe(200);
    expect(taken).toEqual(['code=the-code&state=the-state']);
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
    });
    expect(text).toContain('Plugboard is signed in to <strong>db</strong>. You can close this window.');
    expect(text).not.toMatch(/the-code|the-state|<script|src=|href=/);
  });

  test('is met under both addresses of localhost', async () => {
    const { server } = await openScene();
    expect(server.redirectUri).toBe(`http://localhost:${server.port}/callback`);
    for (const [address, host] of [
      ['127.0.0.1', `127.0.0.1:${server.port}`],
      ['::1', `[::1]:${server.port}`],
    ] as const)
      expect((await get(server.port, '/callback?a=b', { address, host })).status).toBe(200);
  });

  test.each<[what: string, path: string, options: { host?: string; method?: string }, status: number]>([
    ['another name for this machine', '/callback?code=a', { host: 'evil.test' }, 400],
    ['its own name at another port', '/callback?code=a', { host: 'localhost:1' }, 400],
    ['another path', '/favicon.ico', {}, 404],
    ['a path that only begins like it', '/callback/x?code=a', {}, 404],
    ['a form', '/callback?code=a', { method: 'POST' }, 405],
  ])('is turned away: %s', async (_, path, options, status) => {
    const { server, taken } = await openScene();
    expect((await get(server.port, path, options)).status).toBe(status);
    expect(taken).toEqual([]);
  });

  test('with headers beyond all measure is turned away', async () => {
    const { server, taken } = await openScene();
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `GET /callback?code=a HTTP/1.1\r\nhost: localhost:${server.port}\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`,
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 431/);
    expect(taken).toEqual([]);
    socket.destroy();
  });

  test('is let in though others have taken all the places and say nothing', async () => {
    const { server, taken } = await openScene();
    const idlers = Array.from({ length: 40 }, () => connect(server.port, '127.0.0.1').on('error', () => {}));
    onTestFinished(() => idlers.forEach((idler) => idler.destroy()));
    await Promise.all(idlers.map((idler) => once(idler, 'connect')));
    expect((await get(server.port, '/callback?code=a')).status).toBe(200);
    expect(taken).toEqual(['code=a']);
  });

  test('keeps its place while it waits for its page', async () => {
    const asked = new EventEmitter();
    const server = await openCallbackServer({
      name: 'db',
      take: () => new Promise((resolve) => void asked.emit('take', resolve)),
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const answer = get(server.port, '/callback?code=a');
    const [show] = (await once(asked, 'take')) as [(page: CallbackPage) => void];
    const idlers = Array.from({ length: 40 }, () => connect(server.port, '127.0.0.1').on('error', () => {}));
    onTestFinished(() => idlers.forEach((idler) => idler.destroy()));
    await once(idlers[0]!.resume(), 'close');
    show('signed-in');
    expect((await answer).status).toBe(200);
  });

  test('finds nobody once it is over', async () => {
    const { server } = await openScene();
    await server[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await expect(get(server.port, '/callback')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('the port', () => {
  test('that is wished for is given up when it is taken', async () => {
    const { server: first } = await openScene();
    const second = await openCallbackServer({ name: 'db', preferredPort: first.port, take: async () => 'signed-in' });
    onTestFinished(() => second[Symbol.asyncDispose]());
    expect(second.port).not.toBe(first.port);
    await first[Symbol.asyncDispose]();
    const third = await openCallbackServer({ name: 'db', preferredPort: first.port, take: async () => 'signed-in' });
    onTestFinished(() => third[Symbol.asyncDispose]());
    expect(third.port).toBe(first.port);
  });

  test.each(['127.0.0.1', '::1'])('that is fixed is an error when somebody has it on %s', async (address) => {
    const blocker = createServer();
    onTestFinished(() => void blocker.close());
    blocker.listen(0, address);
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    await expect(
      openCallbackServer({ name: 'db', fixedPort: port, take: async () => 'signed-in' }),
    ).rejects.toMatchObject({
      code: 'sign-in-failed',
      message: `Cannot sign in to server "db": port ${port} is in use`,
    });
  });
});

test('the name of a server cannot write into its page', () => {
  const page = toCallbackPage('refused', `<img src=x onerror=alert(1)> $& "quoted" 'too'`);
  expect(page).toContain('<strong>&#60;img src=x onerror=alert(1)&#62; $&#38; &#34;quoted&#34; &#39;too&#39;</strong>');
});

describe('what came back', () => {
  test.each<[query: string, expected: string | undefined]>([
    ['code=c&state=s', 'code c'],
    ['error=access_denied&state=s', 'error access_denied'],
    ['code=c&state=other', undefined],
    ['code=c', undefined],
    ['code=c&state=s&state=s', undefined],
    ['code=c&code=d&state=s', undefined],
    ['state=s', undefined],
    [`code=${'c'.repeat(10_000)}&state=s`, undefined],
    [`iss=${'c'.repeat(10_000)}&code=c&state=s`, undefined],
    [`error_description=${'c'.repeat(10_000)}&error=e&state=s`, 'error e'],
  ])('%.40s', (query, expected) => {
    const answer = readCallback(new URLSearchParams(query), 's');
    const said = answer && (answer.code === undefined ? `error ${answer.error}` : `code ${answer.code}`);
    expect(said).toBe(expected);
  });

  test.each<[pasted: string, expected: string | undefined]>([
    ['http://localhost:7000/callback?code=c&state=s', 'code=c&state=s'],
    ['  "http://127.0.0.1:7000/callback?code=c&state=s"\n', 'code=c&state=s'],
    ['code=c&state=s', 'code=c&state=s'],
    ['?code=c&state=s', 'code=c&state=s'],
    ['http://localhost:7001/callback?code=c&state=s', undefined],
    ['https://evil.test:7000/callback?code=c&state=s', undefined],
    ['http://localhost:7000/other?code=c&state=s', undefined],
    ['c', undefined],
    ['code=c', undefined],
    ['', undefined],
    [`code=${'c'.repeat(20_000)}&state=s`, undefined],
  ])('as somebody copied it: %.50s', (pasted, expected) => {
    const address = parsePastedAddress(pasted, 'http://localhost:7000/callback');
    expect(address.kind === 'query' ? address.query.toString() : undefined).toBe(expected);
  });
});
