import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import type { Json, Reply } from '../fixtures/scripted-api.js';
import { call, promptScene, say, toolServer } from './prompt-scene.js';
import { copyProgram } from './sandbox.js';

// A real process that works on a prompt is killed with SIGKILL at a chosen moment; another one goes on.

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;

let root: string;
let program: string;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-killed-')));
  program = await copyProgram(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  /** Resolves when stdout has this text, so many times. */
  readonly until: (text: string, times?: number) => Promise<void>;
}

function start(home: string, args: readonly string[], env: Readonly<Record<string, string>>): Started {
  const server = { ...toolServer, env: { JOURNAL: join(home, 'calls') } };
  const flags = ['--mcp-server', `t=${JSON.stringify(server)}`, '--allow', 'mcp__t'];
  const child = spawn(process.execPath, [program, ...args, ...flags], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end();
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  const until = async (text: string, times = 1): Promise<void> => {
    while (stdout.split(text).length <= times) await once(child.stdout, 'data');
  };
  return { child, ended, until };
}

function makeHome(): string {
  const home = mkdtempSync(join(root, 'home-'));
  mkdirSync(join(home, '.git'));
  return home;
}

function sessionText(home: string): string {
  const folder = join(home, '.local/state/plugboard/sessions');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
}

/** Polls until the file of the session has this text: a file has no event for that. */
async function untilKept(home: string, text: string): Promise<void> {
  while (!sessionText(home).includes(text)) await new Promise((done) => void setImmediate(done));
}

type Moment = 'before an answer' | 'within an answer' | 'within a call';

const all: readonly (readonly [Moment, number])[] = [
  ...Array.from({ length: 7 }, (_, at) => ['before an answer', at + 1] as const),
  ...Array.from({ length: 7 }, (_, at) => ['within an answer', at + 1] as const),
  ...Array.from({ length: 6 }, (_, at) => ['within a call', at + 1] as const),
];
const some: typeof all = [
  ['before an answer', 1],
  ['before an answer', 4],
  ['within an answer', 2],
  ['within a call', 1],
  ['within a call', 3],
];

test.each(FULL ? all : some)(
  'a process that is killed %s (turn %i) loses at most the words under way, and no call is made again',
  async (moment, turn) => {
    const home = makeHome();
    let isKilled = false;
    let kill: (() => void) | undefined;
    const step = (now: number): AnthropicTurn => [
      { type: 'text', text: `words of ${now}` },
      call('mcp__t__echo', { text: `value ${now}` }, `echo_${now}`),
      ...(moment === 'within a call' && now === turn ? [call('mcp__t__never', {}, 'never_1')] : []),
    ];
    const scene = await promptScene((now): Reply<AnthropicTurn> => {
      if (isKilled) return say('I see.');
      if (now === turn && moment === 'before an answer') kill?.();
      const reply = step(now);
      const isCut = now === turn && moment === 'within an answer';
      return isCut ? { mischief: 'stall', turn: reply, share: 0.7 } : reply;
    });
    const stream = ['--output-format', 'stream-json', '--include-partial-messages'];
    const { child, ended, until } = start(home, ['-p', 'Begin', ...stream], scene.env);
    const killNow = (): void => {
      isKilled = true;
      child.kill('SIGKILL');
    };
    kill = killNow;
    if (moment === 'within an answer') await until('"content_block_start","index":0', turn).then(killNow);
    if (moment === 'within a call')
      await until('never_1')
        .then(() => untilKept(home, `"tool_use_id":"echo_${turn}"`))
        .then(killNow);
    await ended;
    const asked = scene.api.requests.length;
    const again = await start(home, ['-p', 'Go on', '--continue'], scene.env).ended;
    expect(again).toEqual({ code: 0, stdout: 'I see.\n', stderr: '' });
    expect(scene.api.refused).toEqual([]);
    expect(scene.api.requests).toHaveLength(asked + 1);
    const messages = scene.api.requests.at(-1)!['messages'] as readonly Json[];
    const blocks = messages.flatMap(({ content }) => content as Json[]);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    const done = moment === 'within a call' ? turn : turn - 1;
    expect(results.map(({ tool_use_id: id }) => id)).toEqual([
      ...Array.from({ length: done }, (_, at) => `echo_${at + 1}`),
      ...(moment === 'within a call' ? ['never_1'] : []),
    ]);
    for (let at = 1; at <= done; at++) expect(JSON.stringify(results[at - 1])).toContain(`value ${at}`);
    expect(JSON.stringify(results).includes('may have been made or not')).toBe(moment === 'within a call');
    expect(JSON.stringify(messages)).toContain('Begin');
    const calls = readFileSync(join(home, 'calls'), 'utf8')
      .split('\n')
      .filter((method) => method === 'tools/call');
    // The process may have been killed before the last call had left it.
    expect([done, results.length]).toContain(calls.length);
  },
);

test('a second process is told who writes the session, and can go on in a copy', async () => {
  const home = makeHome();
  const scene = await promptScene((now): Reply<AnthropicTurn> =>
    now === 1 ? [call('mcp__t__never', {}, 'never_1')] : say('In a copy.'),
  );
  const first = start(home, ['-p', 'Begin', '--output-format', 'stream-json'], scene.env);
  await first.until('never_1');
  const second = await start(home, ['-p', 'Me too', '--continue'], scene.env).ended;
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toMatch(
    new RegExp(`Session ID .* is already in use. Process ${first.child.pid} writes it`, 'u'),
  );
  expect(second.stderr).toContain('--fork-session');
  const third = await start(home, ['-p', 'Me too', '--continue', '--fork-session'], scene.env).ended;
  expect(third).toMatchObject({ code: 0, stdout: 'In a copy.\n' });
  first.child.kill('SIGKILL');
  await first.ended;
});
