import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Bundle, bundleStdioServer } from '../../test/hostile/bundle.js';

let server: Bundle;
beforeAll(async () => {
  server = await bundleStdioServer();
});
afterAll(() => server[Symbol.dispose]());

interface Talk {
  readonly child: ChildProcessWithoutNullStreams;
  readonly send: (message: object) => void;
  /** The next line of stdout; undefined at its end. */
  readonly line: () => Promise<string | undefined>;
  readonly ask: (id: number, method: string, params?: object) => Promise<string | undefined>;
}

function start(mode: string): Talk {
  const child = spawn(process.execPath, [server.script, mode]);
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {}); // some modes close stdin
  let lines: AsyncIterator<string> | undefined;
  const line: Talk['line'] = async () => {
    lines ??= createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return (await lines.next()).value as string | undefined;
  };
  const send: Talk['send'] = (message) => void child.stdin.write(`${JSON.stringify(message)}\n`);
  return {
    child,
    send,
    line,
    ask(id, method, params = {}) {
      send({ jsonrpc: '2.0', id, method, params });
      return line();
    },
  };
}

const textOf = (line: string | undefined): string => JSON.parse(line ?? 'null').result.content[0].text as string;
const callOf = (name: string, input: object = {}): object => ({ name, arguments: input });

test('a good server shakes hands, lists its tools, answers, counts what it was sent and ends with its stdin', async () => {
  const { child, ask, send } = start('good-stdio');
  expect(JSON.parse((await ask(1, 'initialize', { protocolVersion: '2025-06-18' }))!)).toMatchObject({
    id: 1,
    result: { protocolVersion: '2025-06-18', capabilities: { tools: {} } },
  });
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { result } = JSON.parse((await ask(2, 'tools/list'))!);
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(['echo', 'attack', 'report']);
  expect(textOf(await ask(3, 'tools/call', callOf('echo', { text: 'hé' })))).toBe('hé');
  expect(textOf(await ask(4, 'tools/call', callOf('attack')))).toBe('survived');
  expect(JSON.parse((await ask(5, 'nonsense'))!)).toMatchObject({ error: { code: -32601 } });
  expect(JSON.parse(textOf(await ask(6, 'tools/call', callOf('report'))))).toEqual({
    strayed: 0,
    initialize: 1,
    'notifications/initialized': 1,
    'tools/list': 1,
    'tools/call echo': 1,
    'tools/call attack': 1,
    nonsense: 1,
    'tools/call report': 1,
  });
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('a mode is bad in its own step and good in all others', async () => {
  const { ask, line } = start('json-garbage-line');
  expect(JSON.parse((await ask(1, 'initialize'))!)).toMatchObject({ id: 1 });
  expect(await ask(2, 'tools/call', callOf('attack'))).toBe('Debug: loading...');
  expect([await line(), await line(), textOf(await line())]).toEqual(['{"level":"info"}', '{oops', 'survived']);
  expect(textOf(await ask(3, 'tools/call', callOf('echo', { text: 'x' })))).toBe('x');
});

test('a server that asks its host tells what the host answered', async () => {
  const { ask, send, line } = start('rpc-sampling');
  expect(JSON.parse((await ask(1, 'tools/call', callOf('attack')))!)).toMatchObject({
    id: 'r',
    method: 'sampling/createMessage',
  });
  send({ jsonrpc: '2.0', id: 'r', error: { code: -32601, message: 'no' } });
  expect(textOf(await line())).toBe('error -32601');
  expect(textOf(await ask(2, 'tools/call', callOf('report')))).toContain('"error -32601":1');
});

test('a late answer waits for the cancellation, however long that takes', async () => {
  const { ask, send, line } = start('rpc-late-answer');
  send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: callOf('attack') });
  expect(textOf(await ask(2, 'tools/call', callOf('echo', { text: 'first' })))).toBe('first');
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  expect(textOf(await line())).toBe('FORGED');
});

test('an endless flood waits for whoever reads slowly, takes no memory meanwhile and ends with its host', async () => {
  const { child, send } = start('json-endless-line');
  send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: callOf('attack') });
  let bytes = 0;
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > 200_000_000) break;
  }
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  expect(Number(/VmHWM:\s+(\d+) kB/u.exec(status)?.[1])).toBeLessThan(150_000);
  child.stdin.end();
  child.stdout.destroy();
  const [code, signal] = await once(child, 'exit');
  expect([code, signal]).toEqual([0, null]);
});
