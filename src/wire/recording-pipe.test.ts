import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../test/fake-clock.js';
import { HostError } from '../base/errors.js';
import { MASK, Secret } from '../base/secret.js';
import { linkedPair } from '../transports/in-process/in-process-pipe.js';
import { Peer } from './peer.js';
import type { CloseReason, Pipe, Receiver } from './pipe.js';
import { type PipeEvent, recordingPipe } from './recording-pipe.js';
import { Spilled } from '../model/spilled.js';

/** A recorder that keeps all events. */
class Notebook {
  readonly events: PipeEvent[] = [];
  isOver = false;

  record(event: PipeEvent): void {
    this.events.push(event);
  }

  /** One short line per event. */
  get lines(): string[] {
    return this.events.map((event) => {
      if (event.from === 'pipe') return `pipe ${event.event}`;
      const { method, id, error } = event.message as { method?: string; id?: unknown; error?: unknown };
      return `${event.from} ${method ?? (error === undefined ? 'result' : 'error')}${id === undefined ? '' : ' #'}`;
    });
  }
}

/** A pipe controlled by the test; records its calls with their arguments. */
class PipeUnderHand implements Pipe {
  readonly losesSessions = false;
  readonly hasHeaders = false;
  readonly asked: unknown[] = [];
  readonly backlog = 4711;
  receiver!: Receiver;
  end!: (reason: CloseReason) => void;
  readonly closed = new Promise<CloseReason>((resolve) => {
    this.end = resolve;
  });
  sent: Promise<void> = Promise.resolve();

  open(receiver: Receiver): void {
    this.receiver = receiver;
  }
  request(...given: unknown[]): void {
    this.asked.push(['request', ...given]);
  }
  notify(message: unknown): Promise<void> {
    this.asked.push(['notify', message]);
    return this.sent;
  }
  abandon(id: unknown): boolean {
    this.asked.push(['abandon', id]);
    return false;
  }
  adopt(agreement: unknown): void {
    this.asked.push(['adopt', agreement]);
  }
  listen(): void {
    this.asked.push(['listen']);
  }
  [Symbol.asyncDispose](): Promise<void> {
    this.asked.push(['dispose']);
    return this.sent;
  }
}

const deaf: Receiver = {
  message: () => true,
  refused() {},
  failed() {},
  warning() {},
  isPending: () => false,
  spillFor: () => undefined,
};

test('a conversation is written down in the order in which it happened, before anybody acts on it', async () => {
  const notebook = new Notebook();
  const { pipe, end } = linkedPair();
  const serve = ({ id, method }: { id?: number; method?: string }): void => {
    if (method !== 'tools/call') return;
    void end.send({ jsonrpc: '2.0', id: 'q', method: 'ping' });
    void end.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
    void end.send({ jsonrpc: '2.0', id: id!, result: {} });
  };
  Object.assign(end, { onmessage: serve });
  const peer = new Peer(recordingPipe(pipe, { recorder: notebook }), { name: 'db', clock: new FakeClock() });
  await peer.notify('notifications/initialized');
  await peer.request('tools/call', { name: 'x' }, { onProgress() {} });
  await peer[Symbol.asyncDispose]();
  expect(notebook.lines).toEqual([
    'pipe opened',
    'host notifications/initialized',
    'host tools/call #',
    'server ping #',
    'host result #',
    'server notifications/progress',
    'server result #',
    'pipe closed',
  ]);
});

test('what passes is the very same objects, with the same answers, waits and failures', async () => {
  const inner = new PipeUnderHand();
  const pipe = recordingPipe(inner, { recorder: new Notebook() });
  const seen: unknown[] = [];
  const store = { open: () => ({}) as never };
  const receiver: Receiver = {
    message: (...given) => seen.push(['message', ...given]) > 1,
    refused: (...given) => void seen.push(['refused', ...given]),
    failed: (...given) => void seen.push(['failed', ...given]),
    warning: (...given) => void seen.push(['note', ...given]),
    isPending: (id) => id === 5,
    spillFor: (id) => (id === 5 ? store : undefined),
  };
  pipe.open(receiver);
  const request = { jsonrpc: '2.0', id: 1, method: 'm', params: { token: 'abc' } } as const;
  const options = { timeoutMs: 5 };
  const note = { jsonrpc: '2.0', method: 'n' } as const;
  const agreement = { era: 'legacy', version: '2025-11-25' } as const;
  pipe.request(request, options);
  expect(pipe.notify(note)).toBe(inner.sent);
  pipe.abandon(7, { isTimedOut: false, others: 0 });
  pipe.adopt(agreement);
  pipe.listen();
  expect(pipe[Symbol.asyncDispose]()).toBe(inner.sent);
  expect(pipe.backlog).toBe(4711);
  expect(pipe.closed).toBe(inner.closed);
  expect(inner.asked.map((one) => (one as unknown[])[0])).toEqual([
    'request',
    'notify',
    'abandon',
    'adopt',
    'listen',
    'dispose',
  ]);
  expect((inner.asked[0] as unknown[])[1]).toBe(request);
  expect((inner.asked[0] as unknown[])[2]).toBe(options);
  expect((inner.asked[1] as unknown[])[1]).toBe(note);
  expect((inner.asked[3] as unknown[])[1]).toBe(agreement);

  const message = { jsonrpc: '2.0', id: 1, result: { password: 'x' } };
  const refusal = { code: 'bad-answer', reason: 'r', ids: [], isAnswer: true } as const;
  const error = new HostError('http-failed', 'e');
  expect(inner.receiver.message(message, 1)).toBe(false);
  expect(inner.receiver.message(message)).toBe(true);
  inner.receiver.refused(refusal, 1);
  inner.receiver.failed(1, error);
  expect(inner.receiver.isPending(5)).toBe(true);
  expect(inner.receiver.spillFor(5)).toBe(store);
  expect(inner.receiver.spillFor(undefined)).toBeUndefined();
  expect((seen[0] as unknown[])[1]).toBe(message);
  expect((seen[0] as unknown[])[2]).toBe(1);
  expect((seen[2] as unknown[])[1]).toBe(refusal);
  expect((seen[3] as unknown[])[2]).toBe(error);
  expect(message.result.password).toBe('x');
});

test('secrets, the home folder and the places of large values stay at home', () => {
  const notebook = new Notebook();
  const inner = new PipeUnderHand();
  const pipe = recordingPipe(inner, {
    recorder: notebook,
    secrets: [new Secret('tops3cret-value')],
    home: '/home/jane',
  });
  pipe.open(deaf);
  pipe.request(
    { jsonrpc: '2.0', id: 1, method: 'm', params: { a: 'tops3cret-value', b: '/home/jane/x' } },
    { timeoutMs: 1 },
  );
  const preview = 'start with tops3cret-value';
  const spilled = new Spilled({ kind: 'text', bytes: 20_000_000, place: '/home/jane/.local/result-1', preview });
  inner.receiver.message({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: spilled }] } });
  inner.receiver.warning({ kind: 'noise', text: 'using tops3cret-value' });
  const detail = { kind: 'http', status: 401, challenge: 'Bearer realm="x"' } as const;
  inner.receiver.failed(1, new HostError('unauthorized', 'no tops3cret-value', { hint: 'in /home/jane', detail }));
  expect(notebook.events.slice(1)).toEqual([
    { from: 'host', message: { jsonrpc: '2.0', id: 1, method: 'm', params: { a: MASK, b: '~/x' } } },
    {
      from: 'server',
      message: {
        jsonrpc: '2.0',
        id: 1,
        result: {
          content: [
            { type: 'text', text: { $spilled: { kind: 'text', bytes: 20_000_000, preview: `start with ${MASK}` } } },
          ],
        },
      },
    },
    { from: 'pipe', event: 'note', note: { kind: 'noise', text: `using ${MASK}` } },
    {
      from: 'pipe',
      event: 'failed',
      id: 1,
      error: {
        code: 'unauthorized',
        message: `no ${MASK}`,
        hint: 'in ~',
        detail: { ...detail, challenge: expect.any(String) },
      },
    },
  ]);
});

test.each<[what: string, reason: CloseReason, expected: object]>([
  ['was closed', { kind: 'disposed' }, { kind: 'disposed' }],
  [
    'crashed',
    { kind: 'exited', code: 3, signal: null, stderr: 'password=abc' },
    { kind: 'exited', code: 3, signal: null, stderr: `password=${MASK}` },
  ],
  [
    'was lost',
    { kind: 'lost', error: new HostError('http-failed', 'gone') },
    { kind: 'lost', error: { code: 'http-failed', message: 'gone' } },
  ],
])('a recording tells how the connection ended that %s', async (_, reason, expected) => {
  const notebook = new Notebook();
  const inner = new PipeUnderHand();
  recordingPipe(inner, { recorder: notebook });
  inner.end(reason);
  await turn();
  expect(notebook.events.at(-1)).toEqual({ from: 'pipe', event: 'closed', reason: expected });
});

test('a message that could not be sent fails as it does without a recording, and the recording says so', async () => {
  const notebook = new Notebook();
  const inner = new PipeUnderHand();
  inner.sent = Promise.reject(new HostError('overloaded', 'full'));
  const pipe = recordingPipe(inner, { recorder: notebook });
  await expect(pipe.notify({ jsonrpc: '2.0', method: 'n' })).rejects.toThrow('full');
  expect(notebook.lines).toEqual(['pipe opened', 'host n', 'pipe unsent']);
});

test('nothing is prepared for a recording that is over', () => {
  const notebook = new Notebook();
  const inner = new PipeUnderHand();
  const pipe = recordingPipe(inner, { recorder: notebook });
  pipe.open(deaf);
  notebook.isOver = true;
  const touchy = {
    get params(): object {
      throw new Error('touched');
    },
  };
  pipe.request({ jsonrpc: '2.0', id: 1, method: 'm', params: touchy }, { timeoutMs: 1 });
  expect(inner.receiver.message(touchy)).toBe(true);
  expect(notebook.events).toHaveLength(1);
});

test('arguments that are no JSON reach the pipe as they are, and do not stop the recording', () => {
  const notebook = new Notebook();
  const inner = new PipeUnderHand();
  const pipe = recordingPipe(inner, { recorder: notebook });
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  pipe.request({ jsonrpc: '2.0', id: 1, method: 'm', params: circle }, { timeoutMs: 1 });
  expect((inner.asked[0] as { params: unknown }[])[1]!.params).toBe(circle);
  expect(JSON.stringify(notebook.events.at(-1))).toContain('"depth"');
});
