import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readRecording } from './recording.js';
import { serveReplay } from './replay.js';

const HEAD = { plugboard: 'recording', format: 1, version: '0.1.0', at: '2026-11-15T12:00:00.000Z' };

/** Writes a recording of these lines; a line that names no server is about `db`. */
function write(...lines: readonly (object | string)[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-replay-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'run.jsonl');
  const texts = lines.map((line) =>
    typeof line === 'string' ? line : JSON.stringify({ ms: 0, server: 'db', ...line }),
  );
  writeFileSync(path, texts.map((text) => `${text}\n`).join(''));
  return path;
}

const head = JSON.stringify(HEAD);
const asks = (id: number, method: string, params?: object): object => ({
  from: 'host',
  message: { jsonrpc: '2.0', id, method, params },
});
const notes = (method: string, params?: object): object => ({
  from: 'host',
  message: { jsonrpc: '2.0', method, params },
});
const says = (message: unknown, rest: object = {}): object => ({ from: 'server', message, ...rest });
const tells = (event: string, detail: object): object => ({ from: 'pipe', event, ...detail });

/** Plays the recording to a host that sends `sent`. Returns the lines on stdout, the exit code and stderr. */
async function speak(
  path: string,
  sent: readonly unknown[],
  server?: string,
): Promise<{ heard: unknown[]; code: number; stderr: string }> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const served = serveReplay(await readRecording(path), streams, { server });
  streams.stdin.end(sent.map((message) => `${JSON.stringify(message)}\n`).join(''));
  const code = await served;
  const text = (streams.stdout.read() as Buffer | null)?.toString() ?? '';
  const heard = text
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => {
      try {
        return JSON.parse(line);
      } catch {
        return line;
      }
    });
  return { heard, code, stderr: (streams.stderr.read() as Buffer | null)?.toString() ?? '' };
}

const ask = (id: unknown, method: string, params?: object): object => ({ jsonrpc: '2.0', id, method, params });

describe('what was odd comes back as what it was', () => {
  test.each<[what: string, lines: readonly object[], sent: readonly unknown[], heard: readonly unknown[]]>([
    [
      'noise on stdout, before the answer',
      [
        asks(1, 'm'),
        tells('note', { note: { kind: 'noise', text: 'Debug: loading...' } }),
        says({ jsonrpc: '2.0', id: 1, result: {} }),
      ],
      [ask('a', 'm')],
      ['Debug: loading...', { jsonrpc: '2.0', id: 'a', result: {} }],
    ],
    [
      'a log line in JSON, once',
      [
        asks(1, 'm'),
        says({ level: 'info' }),
        tells('note', { note: { kind: 'noise', text: '{"level":"info"}' } }),
        says({ jsonrpc: '2.0', id: 1, result: {} }),
      ],
      [ask(9, 'm')],
      [{ level: 'info' }, { jsonrpc: '2.0', id: 9, result: {} }],
    ],
    [
      'an answer that was cut off',
      [
        asks(1, 'm'),
        tells('refused', { refusal: { code: 'bad-answer', reason: 'no JSON', ids: [1], isAnswer: true } }),
      ],
      [ask(9, 'm')],
      ['{"jsonrpc":"2.0","id":9,"result":'],
    ],
    [
      'an answer that was too large, as an error',
      [
        asks(1, 'm'),
        tells('refused', {
          refusal: { code: 'answer-too-large', reason: 'it has more than 16 MB', ids: [], isAnswer: true },
        }),
      ],
      [ask(9, 'm')],
      [
        {
          jsonrpc: '2.0',
          id: 9,
          error: { code: -32000, message: 'it has more than 16 MB', data: { code: 'answer-too-large' } },
        },
      ],
    ],
    [
      'a call that failed on the way, as an error',
      [asks(1, 'm'), tells('failed', { id: 1, error: { code: 'http-failed', message: 'HTTP 502' } })],
      [ask(9, 'm')],
      [{ jsonrpc: '2.0', id: 9, error: { code: -32000, message: 'HTTP 502', data: { code: 'http-failed' } } }],
    ],
    [
      'an error that came without an id on the channel of its call',
      [asks(1, 'm'), says({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } }, { origin: 1 })],
      [ask(9, 'm')],
      [{ jsonrpc: '2.0', id: 9, error: { code: 1, message: 'x' } }],
    ],
    [
      'a batch, an id as a text, an answer twice, and one to nobody',
      [
        asks(1, 'm'),
        says([{ jsonrpc: '2.0', id: 1, result: {} }, 5]),
        says({ jsonrpc: '2.0', id: '1', result: {} }),
        says({ jsonrpc: '2.0', id: 1, result: { second: true } }),
        says({ jsonrpc: '2.0', id: 77, result: {} }),
        says(null),
      ],
      [ask(9, 'm')],
      [
        [{ jsonrpc: '2.0', id: 9, result: {} }, 5],
        { jsonrpc: '2.0', id: '9', result: {} },
        { jsonrpc: '2.0', id: 9, result: { second: true } },
        { jsonrpc: '2.0', id: 77, result: {} },
        null,
      ],
    ],
    [
      'an answer that came too late comes too late',
      [
        asks(1, 'm'),
        notes('notifications/cancelled', { requestId: 1 }),
        says({ jsonrpc: '2.0', id: 1, result: {} }),
        asks(2, 'n'),
        says({ jsonrpc: '2.0', id: 2, result: {} }),
      ],
      [ask(8, 'm'), ask(9, 'n')],
      [{ jsonrpc: '2.0', id: 9, result: {} }],
    ],
    [
      'one that came even later, behind another call',
      [
        asks(1, 'm'),
        notes('notifications/cancelled', { requestId: 1 }),
        asks(2, 'n'),
        says({ jsonrpc: '2.0', id: 1, result: { late: true } }),
        says({ jsonrpc: '2.0', id: 2, result: {} }),
      ],
      [ask(8, 'm'), ask(9, 'n'), { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } }],
      [
        { jsonrpc: '2.0', id: 9, result: {} },
        { jsonrpc: '2.0', id: 8, result: { late: true } },
      ],
    ],
    [
      'what could not be read behind a cancelled call, for the one that was waited for',
      [
        asks(1, 'm'),
        notes('notifications/cancelled', { requestId: 1 }),
        asks(2, 'n'),
        tells('refused', { refusal: { code: 'bad-answer', reason: 'no JSON', ids: [1, 2], isAnswer: true } }),
      ],
      [ask(8, 'm'), ask(9, 'n')],
      ['{"jsonrpc":"2.0","id":9,"result":'],
    ],
    [
      'an id that is no id',
      [asks(1, 'm'), says({ jsonrpc: '2.0', id: [1], result: {} }), says({ jsonrpc: '2.0', id: 1, result: {} })],
      [ask(9, 'm')],
      [
        { jsonrpc: '2.0', id: [1], result: {} },
        { jsonrpc: '2.0', id: 9, result: {} },
      ],
    ],
    [
      'the answer of another call only once, however often this one is repeated',
      [
        asks(1, 'm'),
        asks(2, 'n'),
        says({ jsonrpc: '2.0', id: 1, result: { m: 1 } }),
        says({ jsonrpc: '2.0', id: 2, result: { n: 1 } }),
      ],
      [ask(7, 'm'), ask(8, 'n'), ask(9, 'n')],
      [
        { jsonrpc: '2.0', id: 7, result: { m: 1 } },
        { jsonrpc: '2.0', id: 8, result: { n: 1 } },
        { jsonrpc: '2.0', id: 9, result: { n: 1 } },
      ],
    ],
    [
      'news of a subscription under the id of now',
      [
        asks(1, 'subscriptions/listen'),
        says({ jsonrpc: '2.0', method: 'n', params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } } }),
      ],
      [ask('x', 'subscriptions/listen')],
      [{ jsonrpc: '2.0', method: 'n', params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'x' } } }],
    ],
    [
      'no progress for a call that asks for none',
      [
        asks(1, 'm', { _meta: { progressToken: 1 } }),
        says({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }),
        says({ jsonrpc: '2.0', id: 1, result: {} }),
      ],
      [ask(9, 'm')],
      [{ jsonrpc: '2.0', id: 9, result: {} }],
    ],
    [
      'what was cut, as its beginning and a word about the rest',
      [
        asks(1, 'm'),
        says({
          jsonrpc: '2.0',
          id: 1,
          result: {
            text: { $cut: { kind: 'text', length: 9_000_000, start: 'abc' } },
            spilled: { $spilled: { kind: 'text', bytes: 50_000_000, preview: 'def' } },
            list: [1, { $cut: { kind: 'rest', count: 7 } }],
            map: { a: 1, $cut: { kind: 'rest', count: 7 } },
          },
        }),
      ],
      [ask(9, 'm')],
      [
        {
          jsonrpc: '2.0',
          id: 9,
          result: {
            text: 'abc… [of 9000000 characters, the rest is not in the recording]',
            spilled: 'def… [of 50000000 bytes, the rest is not in the recording]',
            list: [1],
            map: { a: 1 },
          },
        },
      ],
    ],
  ])('%s', async (_, lines, sent, heard) => {
    expect(await speak(write(head, ...lines), sent)).toEqual({ heard, code: 0, stderr: '' });
  });

  test('a server that crashed crashes again, with its last words', async () => {
    const reason = { kind: 'exited', code: 3, signal: null, stderr: 'out of cheese\n' };
    const path = write(
      head,
      asks(1, 'm'),
      says({ jsonrpc: '2.0', id: 1, result: {} }),
      asks(2, 'n'),
      tells('closed', { reason }),
    );
    expect(await speak(path, [ask(8, 'm'), ask(9, 'n'), ask(10, 'm')])).toEqual({
      heard: [{ jsonrpc: '2.0', id: 8, result: {} }],
      code: 3,
      stderr: 'out of cheese\n',
    });
  });

  test('an answer to what holds a secret is found: the question is redacted like the recorded one', async () => {
    const token = ['ghp_', 'abcdefghijklmnopqrst0123456789ABCDEF'].join('');
    const path = write(
      head,
      asks(1, 'm', { b: { d: '••••' }, a: 1 }),
      says({ jsonrpc: '2.0', id: 1, result: { one: 1 } }),
      asks(2, 'm', { a: 2 }),
      says({ jsonrpc: '2.0', id: 2, result: { two: 2 } }),
    );
    const { heard } = await speak(path, [ask(8, 'm', { a: 2 }), ask(9, 'm', { a: 1, b: { d: token } })]);
    expect(heard).toEqual([
      { jsonrpc: '2.0', id: 8, result: { two: 2 } },
      { jsonrpc: '2.0', id: 9, result: { one: 1 } },
    ]);
  });
});

const answer = (server: string, connection: number, method: string): object[] =>
  [asks(1, method), says({ jsonrpc: '2.0', id: 1, result: { from: `${server} ${connection}` } })].map((line) => ({
    ...line,
    server,
    ...(connection > 1 && { connection }),
  }));

const several = (): string =>
  write(head, ...answer('db', 1, 'probe'), ...answer('web', 1, 'initialize'), ...answer('db', 2, 'initialize'));

describe('a recording of several', () => {
  test('servers is asked for one by name', async () => {
    expect((await speak(several(), [ask(1, 'initialize')], 'web')).heard).toEqual([
      { jsonrpc: '2.0', id: 1, result: { from: 'web 1' } },
    ]);
    await expect(speak(several(), [])).rejects.toMatchObject({ code: 'usage', hint: 'Name one of: "db", "web"' });
    await expect(speak(several(), [], 'wep')).rejects.toMatchObject({
      code: 'unknown-server',
      hint: 'Did you mean "web"?',
    });
  });

  test('connections plays the one that began in the same way', async () => {
    expect((await speak(several(), [ask(1, 'probe')], 'db')).heard).toEqual([
      { jsonrpc: '2.0', id: 1, result: { from: 'db 1' } },
    ]);
    expect((await speak(several(), [ask(1, 'initialize')], 'db')).heard).toEqual([
      { jsonrpc: '2.0', id: 1, result: { from: 'db 2' } },
    ]);
  });
});

describe('a file that is no good is named', () => {
  test.each<[what: string, lines: readonly (object | string)[], code: string, message: RegExp]>([
    ['empty', [], 'config-invalid', /is not a recording/u],
    ['some text', ['hello'], 'config-invalid', /is not a recording/u],
    ['other JSON lines', ['{"a":1}'], 'config-invalid', /is not a recording/u],
    [
      'of a later format',
      [JSON.stringify({ ...HEAD, format: 2 })],
      'unsupported',
      /has format 2; this version reads format 1/u,
    ],
    ['without messages', [head], 'config-invalid', /holds no messages/u],
    ['broken in the middle', [head, '{"ms":1', asks(1, 'm')], 'config-invalid', /Line 2 of .* cannot be read/u],
    [
      'nested too deep',
      [head, `{"server":"db","from":"server","message":${'['.repeat(99_999)}${']'.repeat(99_999)}}`, asks(1, 'm')],
      'config-invalid',
      /Line 2/u,
    ],
  ])('%s', async (_, lines, code, message) => {
    await expect(readRecording(write(...lines))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  test('one that is not there, or a folder', async () => {
    await expect(readRecording('/nowhere/run.jsonl')).rejects.toMatchObject({ code: 'config-unreadable' });
    await expect(readRecording(tmpdir())).rejects.toMatchObject({ code: 'config-unreadable' });
  });

  test('one that is larger than anything we would have written', async () => {
    const path = write(head);
    truncateSync(path, 600_000_000);
    await expect(readRecording(path)).rejects.toMatchObject({
      code: 'config-too-large',
      message: expect.stringContaining('has 600000000 bytes; the limit for a recording is 536870912'),
    });
  });

  test('but a last line that was cut off by a crash is forgiven', async () => {
    const path = write(head, asks(1, 'm'), says({ jsonrpc: '2.0', id: 1, result: {} }), '{"ms":12,"server":"db","fro');
    expect((await speak(path, [ask(5, 'm')])).heard).toEqual([{ jsonrpc: '2.0', id: 5, result: {} }]);
  });
});
