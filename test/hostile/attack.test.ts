import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { request } from 'undici';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { modes } from '../../src/testing/modes.js';
import { type Bundle, bundle } from './bundle.js';

let program: Bundle;
beforeAll(async () => {
  program = await bundle(`import './cli/main.js';`);
});
afterAll(() => program[Symbol.dispose]());

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function attack(args: readonly string[], input = ''): Promise<Ended> {
  const child = spawn(process.execPath, [program.script, 'attack', ...args]);
  const [stdout, stderr] = [child.stdout, child.stderr].map(textOf);
  child.stdin.end(input);
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, stdout: await stdout!, stderr: await stderr! };
}

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk as string;
  return text;
}

test('--list names every mode, its channel and what it does, a line each', async () => {
  const { code, stdout } = await attack(['--list']);
  const lines = stdout.trimEnd().split('\n');
  expect([code, lines.length]).toEqual([0, modes.length]);
  expect(lines[0]).toMatch(/^good-stdio {2,}stdio {2}does nothing wrong$/u);
});

test('--list --json tells what a right host makes of each mode', async () => {
  const { stdout } = await attack(['--list', '--json']);
  const { ok, data } = JSON.parse(stdout) as { ok: boolean; data: { modes: Record<string, unknown>[] } };
  expect([ok, data.modes.length]).toEqual([true, modes.length]);
  expect(data.modes.find(({ name }) => name === 'accept-hang')).toEqual({
    name: 'accept-hang',
    channel: 'http',
    summary: 'accepts connections and says nothing',
    expect: { connect: { kind: 'fails', text: 'within|timed? ?out|deadline', when: 'at the deadline' }, counts: [] },
  });
  expect(data.modes.find(({ name }) => name === 'http-modern-listen-silent')).toMatchObject({
    era: 'modern',
    setup: { watches: true },
    expect: { told: { least: 0, most: 0 } },
  });
});

test('a stdio mode speaks on stdin and stdout, and ends with its input', async () => {
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'attack' } };
  const { code, stdout, stderr } = await attack(['rpc-result-null'], `${JSON.stringify(asked)}\n`);
  expect([code, stdout, stderr]).toEqual([0, '{"jsonrpc":"2.0","id":1,"result":null}\n', '']);
});

test('an HTTP mode tells its address, as a line of JSON too, and serves until it is stopped', async () => {
  const child = spawn(process.execPath, [program.script, 'attack', 'ct-html', '--json']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [told, shown] = await Promise.all([child.stdout, child.stderr].map(firstLine));
  const { ok, data } = JSON.parse(told!) as { ok: boolean; data: { mode: string; url: string } };
  expect([ok, data.mode, shown]).toEqual([true, 'ct-html', `ct-html at ${data.url}`]);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'attack' } });
  const { headers, body: page } = await request(data.url, { method: 'POST', body });
  expect([headers['content-type'], (await page.text()).slice(0, 15)]).toEqual(['text/html', '<!doctype html>']);
  child.kill('SIGINT');
  const [code, signal] = await once(child, 'exit');
  expect(signal === 'SIGINT' || code === 130).toBe(true);
});

test.each([
  ['sse-legacy-endpoint-cross', /^http:\/\/127\.0\.0\.1:\d+\/sse$/u],
  ['oauth-baseline', /^http:\/\/127\.0\.0\.1:\d+\/mcp$/u],
  ['ws-masked', /^ws:\/\/127\.0\.0\.1:\d+\/mcp$/u],
])('%s tells an address of its own kind', async (mode, address) => {
  const child = spawn(process.execPath, [program.script, 'attack', mode]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [name, , url] = (await firstLine(child.stderr)).split(' ');
  expect(name).toBe(mode);
  expect(url).toMatch(address);
});

async function firstLine(stream: Readable): Promise<string> {
  const [line] = (await once(createInterface({ input: stream }), 'line')) as [string];
  return line;
}

test.each([
  [[], 'error: attack takes one mode, got 0\n  → plugboard attack --list\n'],
  [['json-bomb'], 'error: there is no mode "json-bomb"\n  → Did you mean: plugboard attack json-bom\n'],
  [['json-bom', '--list'], 'error: --list takes no mode, got "json-bom"\n  → plugboard attack json-bom\n'],
  [
    ['json-bom', '--json'],
    'error: --json is for modes with an address; json-bom speaks on stdin and stdout\n  → plugboard attack json-bom\n',
  ],
  [
    ['ct-html', '--port', '70000'],
    'error: --port must be a number from 0 to 65535; got 70000\n  → Write --port 8000\n',
  ],
])('%j is refused, with what to write instead', async (args, text) => {
  const { code, stdout, stderr } = await attack(args);
  const told = args.includes('--json') ? (JSON.parse(stdout) as { error: Record<string, string> }).error : undefined;
  expect([code, told ? `error: ${told['message']}\n  → ${told['hint']}\n` : stderr]).toEqual([2, text]);
});
