import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HostError } from '../../base/errors.js';
import { Secret } from '../../base/secret.js';
import { systemClock } from '../../edge/clock.js';
import { openWorkshop } from '../../edge/processes/process-fixtures.js';
import { openRecording } from '../../edge/logs/recording-file.js';
import { type LinkedEnd, linkedPair } from '../../transports/in-process/in-process-pipe.js';
import { StdioPipe } from '../../transports/stdio/stdio-pipe.js';
import { legacy } from '../../wire/eras/legacy.js';
import { Peer } from '../../wire/peer.js';
import type { Pipe } from '../../wire/pipe.js';
import { recordingPipe } from '../../wire/recording-pipe.js';
import { readRecording, type Recording } from './recording.js';
import { replayServer } from './replay.js';

const SECRET = 'correct-horse-battery';

/** A small server with some of everything: progress, elicitation, errors, notifications, malformed responses. */
function serve(end: LinkedEnd): void {
  const waiting = new Map<unknown, (reply: Message) => void>();
  const held: Message[] = [];
  const say = (message: object): void => void end.send({ jsonrpc: '2.0', ...message } as never);
  const tell = (id: unknown, text: string): void => say({ id, result: { content: [{ type: 'text', text }] } });
  const note = (data: string): void => say({ method: 'notifications/message', params: { level: 'info', data } });
  const tools: Record<string, (call: Message) => void> = {
    slow({ id, params }) {
      const progressToken = (params!['_meta'] as Message | undefined)?.['progressToken'];
      for (const progress of [1, 2])
        say({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } });
      tell(id, 'at last');
    },
    ask({ id }) {
      say({ id: 'question-1', method: 'elicitation/create', params: { message: 'Who?' } });
      waiting.set('question-1', (reply) => tell(id, `hello ${JSON.stringify(reply.result)}`));
    },
    fail: ({ id }) => say({ id, error: { code: -32602, message: 'No such city', data: { near: 'Ulm' } } }),
    news({ id }) {
      note('before');
      say({ method: 'notifications/tools/list_changed' });
      tell(id, 'news');
      note('after');
    },
    leak: ({ id }) => tell(id, `the key is ${SECRET}`),
    broken: ({ id }) => say({ id, result: 'no object' }),
    swap(call) {
      if (held.push(call) < 3) return;
      for (const { id, params } of held.splice(0).toReversed())
        tell(id, `swapped ${JSON.stringify(params!['arguments'])}`);
    },
    silent() {},
    quit: () => void end.close(),
  };
  const take = (message: Message): void => {
    const { id, method, params } = message;
    if (method === undefined) return waiting.get(id)?.(message);
    if (method === 'initialize') {
      const serverInfo = { name: 'weather', version: '1.0.0' };
      return say({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } });
    }
    if (method === 'notifications/initialized') return note('ready');
    if (method === 'tools/list')
      return say({
        id,
        result: { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) },
      });
    if (method === 'tools/call') return tools[String(params!['name'])]!(message);
    return id === undefined ? undefined : say({ id, error: { code: -32601, message: 'Method not found' } });
  };
  Object.assign(end, { onmessage: take });
}

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly [key: string]: unknown;
}

/** A host that notes in `diary` all that it receives, in order. */
class Host {
  readonly diary: unknown[] = [];
  readonly peer: Peer;
  readonly #pipe: Pipe;

  constructor(pipe: Pipe) {
    this.#pipe = pipe;
    this.peer = new Peer(pipe, {
      name: 'weather',
      clock: systemClock,
      onNotification: (...note) => this.#receive(...note),
      onWarning: ({ kind, text }) => void this.diary.push({ kind, text }),
      handlers: {
        'elicitation/create': async (params) => {
          this.diary.push({ asked: params['message'] });
          return { action: 'accept', content: { name: 'Ada' } };
        },
      },
    });
  }

  async open(): Promise<void> {
    const client = { name: 'test', version: '1' };
    const session = await legacy.open(
      { pipe: this.#pipe, peer: this.peer },
      { client, capabilities: {}, timeoutMs: 5_000, onNotification: (...note) => this.#receive(...note) },
    );
    const { version, server, capabilities } = session;
    this.diary.push({ version, server, capabilities });
  }

  async ask(method: string, params: object, timeoutMs = 5_000): Promise<void> {
    const onProgress = (progress: object): void => void this.diary.push({ progress });
    const outcome = await this.peer.request(method, params, { timeoutMs, onProgress }).catch((error: HostError) => {
      return { code: error.code, message: error.message, detail: error.detail };
    });
    this.diary.push(outcome);
  }

  call(name: string, input: object = {}): Promise<void> {
    return this.ask('tools/call', { name, arguments: input });
  }

  #receive(method: string, params: object): void {
    this.diary.push({ method, params });
  }
}

async function tour(host: Host): Promise<void> {
  await host.open();
  await host.ask('tools/list', {});
  for (const name of ['slow', 'ask', 'fail', 'news', 'leak', 'broken']) await host.call(name);
  await Promise.all([1, 2, 3].map((number) => host.call('swap', { number })));
  await host.call('slow', { again: true });
  await host.ask('resources/list', {});
}

/** A pipe to the server that `serve` is. */
function weatherPipe(): Pipe {
  const { pipe, end } = linkedPair();
  serve(end);
  return pipe;
}

/** Records what `run` does over `pipe`. Returns the host's diary and the path of the recording. */
async function record(
  run: (host: Host) => Promise<void>,
  pipe: Pipe = weatherPipe(),
): Promise<{ diary: unknown[]; path: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-replay-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'run.jsonl');
  const recording = await openRecording(path, { clock: systemClock, at: new Date(0) });
  const host = new Host(
    recordingPipe(pipe, { recorder: recording.recorder('weather'), secrets: [new Secret(SECRET)] }),
  );
  await run(host);
  await host.peer[Symbol.asyncDispose]();
  await recording[Symbol.asyncDispose]();
  expect(recording.problem).toBeUndefined();
  return { diary: host.diary, path };
}

async function replay(recording: Recording, run: (host: Host) => Promise<void>, server?: string): Promise<unknown[]> {
  const { pipe, end } = linkedPair();
  await replayServer(recording, { server }).connect(end);
  const host = new Host(pipe);
  await run(host);
  await host.peer[Symbol.asyncDispose]();
  return host.diary;
}

/** Records `run`, replays it and expects the same diary, with secrets masked. */
async function check(run: (host: Host) => Promise<void>): Promise<void> {
  const { diary, path } = await record(run);
  expect(readFileSync(path, 'utf8')).not.toContain(SECRET);
  const masked = JSON.parse(JSON.stringify(diary).replaceAll(SECRET, '••••')) as unknown[];
  const heard = JSON.parse(JSON.stringify(await replay(await readRecording(path), run))) as unknown[];
  expect(heard).toEqual(masked);
}

describe('a host that does the same again hears the same again', () => {
  test('from the handshake to the last answer', () => check(tour));

  test('when answers came in another order than they were asked for', () =>
    check(async (host) => {
      await host.open();
      await Promise.all([
        host.call('swap', { a: 1 }),
        host.call('slow'),
        host.call('swap', { b: 2 }),
        host.call('swap', { c: 3 }),
      ]);
    }));

  test('when the server went in the middle of a call', () =>
    check(async (host) => {
      await host.open();
      await host.call('slow');
      await host.call('quit');
    }));

  test('when the server never answered', () =>
    check(async (host) => {
      await host.open();
      await host.ask('tools/call', { name: 'silent' }, 50);
      await host.call('slow');
    }));
});

describe('a host that does something else', () => {
  test('is not kept waiting for what the first one said at the same time', async () => {
    const { path } = await record(tour);
    const diary = await replay(await readRecording(path), async (host) => {
      await host.open();
      await host.call('swap', { number: 1 });
    });
    expect(diary.at(-1)).toEqual({ content: [{ type: 'text', text: 'swapped {"number":1}' }] });
  });

  test('gets the next answer of the same tool when its arguments are new, and the same again for the same question', async () => {
    const { path } = await record(async (host) => {
      await host.open();
      await host.call('slow', { city: 'Ulm' });
      await host.call('fail', { city: 'Bonn' });
      await host.ask('tools/list', {});
    });
    const diary = await replay(await readRecording(path), async (host) => {
      await host.open();
      await host.ask('tools/list', {});
      await host.ask('tools/list', {});
      await host.call('fail', { city: 'Rome' });
      await host.call('slow', { city: 'Ulm' });
      await host.call('slow', { city: 'Ulm' });
    });
    const [, , ...rest] = diary.filter((entry) => typeof entry === 'object' && !('progress' in entry!));
    expect(rest).toEqual([
      { tools: expect.any(Array) },
      { tools: expect.any(Array) },
      expect.objectContaining({ message: expect.stringContaining('No such city') }),
      { content: [{ type: 'text', text: 'at last' }] },
      { content: [{ type: 'text', text: 'at last' }] },
    ]);
  });

  test('is told that the recording has no such call', async () => {
    const { path } = await record((host) => host.open());
    const diary = await replay(await readRecording(path), async (host) => {
      await host.open();
      await host.call('unheard');
      await host.ask('prompts/list', {});
    });
    expect(diary.slice(-2)).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('has no such call: tools/call unheard'),
        detail: expect.objectContaining({ kind: 'rpc', code: -32601 }),
      }),
      expect.objectContaining({ message: expect.stringContaining('has no such call: prompts/list') }),
    ]);
  });
});

const FIXTURE = resolve(import.meta.dirname, '../../../test/recordings/weather.jsonl');

/** Checks a replay of the recording in this repository, in this process or in its own. */
async function checkFixture(pipe: Pipe): Promise<void> {
  const host = new Host(pipe);
  await tour(host);
  await host.peer[Symbol.asyncDispose]();
  const texts = host.diary.flatMap((entry) => (entry as { content?: { text: string }[] }).content?.[0]?.text ?? []);
  expect(texts).toEqual([
    'at last',
    'hello {"action":"accept","content":{"name":"Ada"}}',
    'news',
    'the key is ••••',
    ...[3, 2, 1].map((number) => `swapped {"number":${number}}`),
    'at last',
  ]);
  expect(host.diary).toContainEqual({ progress: { progress: 2, total: 2 } });
  expect(host.diary).toContainEqual({ asked: 'Who?' });
  expect(host.diary).toContainEqual({ method: 'notifications/tools/list_changed', params: {} });
}

test('the recording in this repository plays inside a program', async () => {
  const { pipe, end } = linkedPair();
  await replayServer(await readRecording(FIXTURE)).connect(end);
  await checkFixture(pipe);
});

const REPLAY_PROGRAM = `
  import { readRecording } from '../../testing/replay/recording.js';
  import { serveReplay } from '../../testing/replay/replay.js';
  process.exitCode = await serveReplay(await readRecording(process.argv[2]), process);
`;

test('the recording in this repository plays as a process on stdin and stdout', async () => {
  using workshop = openWorkshop();
  const program = await workshop.bundle(REPLAY_PROGRAM);
  const child = await workshop.start({ args: [program, FIXTURE] });
  await checkFixture(new StdioPipe({ name: 'weather', process: child, clock: systemClock }));
  expect(workshop.survivors()).toEqual([]);
});

const PROGRAMS = {
  attack: `
    import { findMode } from '../../testing/modes.js';
    import { serveStdio } from '../../testing/serve-stdio.js';
    await serveStdio(findMode(process.argv[2]), process);
  `,
  replay: REPLAY_PROGRAM,
};

describe('a hostile server becomes a test: recorded once, it does the same to a host again', () => {
  test.each([
    ['json-garbage-line'],
    ['json-batch'],
    ['rpc-both'],
    ['rpc-id-string'],
    ['rpc-error-huge'],
    ['rpc-roots'],
    ['list-schema-not-object'],
    ['proc-exit-mid-call'],
  ])('%s', async (mode) => {
    using workshop = openWorkshop();
    const start = async (program: keyof typeof PROGRAMS, word: string): Promise<Pipe> => {
      const child = await workshop.start({ args: [await workshop.bundle(PROGRAMS[program]), word] });
      return new StdioPipe({ name: 'weather', process: child, clock: systemClock });
    };
    const run = async (host: Host): Promise<void> => {
      await host.open();
      await host.ask('tools/list', {});
      await host.call('attack');
      await host.call('echo', { text: 'still there' });
    };
    const { diary, path } = await record(run, await start('attack', mode));
    const again = new Host(await start('replay', path));
    await run(again);
    await again.peer[Symbol.asyncDispose]();
    expect(again.diary).toEqual(diary);
    expect(diary.length).toBeGreaterThanOrEqual(4);
  });
});
